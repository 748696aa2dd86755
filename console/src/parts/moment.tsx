import { useNow } from './clock.tsx';
import { exactTime, relativeTime } from './format.ts';

export interface MomentProps {
  readonly at: string | null;
  /** Whether it takes the focus, which shows its tooltip. In a table, the row's link or button does. */
  readonly isFocusable?: boolean;
}

/** A time relative to now, with the exact time as a tooltip. Null is shown as never. */
export function Moment({ at, isFocusable = false }: MomentProps) {
  const now = useNow();
  if (at === null) return <span className="muted">never</span>;
  const date = new Date(at);
  return (
    <time
      className="moment"
      dateTime={at}
      title={exactTime(date)}
      tabIndex={isFocusable ? 0 : undefined}
    >
      {relativeTime(date, now)}
    </time>
  );
}
