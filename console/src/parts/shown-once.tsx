import { useRef } from 'react';
import { CopyButton } from './copy-button.tsx';

export interface ShownOnceProps {
  readonly label: string;
  readonly value: string;
}

/** A secret that is shown only once. */
export function ShownOnce({ label, value }: ShownOnceProps) {
  const code = useRef<HTMLElement>(null);
  return (
    <div className="shown-once">
      <p className="shown-once-label">{label}</p>
      <div className="shown-once-value">
        <code ref={code}>{value}</code>
        <CopyButton text={value} what={label} source={code} />
      </div>
      <p className="field-hint">Copy it now. It will not be shown again.</p>
    </div>
  );
}
