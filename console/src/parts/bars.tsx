import { percent } from './format.ts';

export interface ShareBarProps {
  /** 0 to 1. */
  readonly share: number;
  /** What the share is of, for screen readers. */
  readonly label: string;
}

/** A small bar with its number beside it. */
export function ShareBar({ share, label }: ShareBarProps) {
  return (
    <span className="share">
      <span className="visually-hidden">{label}: </span>
      <span className="share-track" aria-hidden="true">
        <span className="share-fill" style={{ inlineSize: widthOf(share) }} />
      </span>
      <span className="share-number">{percent(share)}</span>
    </span>
  );
}

export interface ProgressBarProps {
  /** 0 to 1; null if unknown. */
  readonly share: number | null;
  readonly label: string;
}

export function ProgressBar({ share, label }: ProgressBarProps) {
  return (
    <div
      className={share === null ? 'progress progress-unknown' : 'progress'}
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      {...(share === null ? {} : { 'aria-valuenow': Math.floor(clamped(share) * 100) })}
    >
      <div
        className="progress-fill"
        {...(share === null ? {} : { style: { inlineSize: widthOf(share) } })}
      />
    </div>
  );
}

function widthOf(share: number): string {
  return `${clamped(share) * 100}%`;
}

function clamped(share: number): number {
  return Math.min(1, Math.max(0, share));
}
