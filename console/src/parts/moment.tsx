import { useNow } from './clock.tsx';
import { exactTime, relativeTime } from './format.ts';

/** A time relative to now, with the exact time as a tooltip. Null is shown as never. */
export function Moment({ at }: { readonly at: string | null }) {
  const now = useNow();
  if (at === null) return <span className="muted">never</span>;
  const date = new Date(at);
  return (
    <time className="moment" dateTime={at} title={exactTime(date)}>
      {relativeTime(date, now)}
    </time>
  );
}
