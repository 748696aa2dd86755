import { useNow } from './clock.tsx';
import { exactTime, relativeTime } from './format.ts';

/** When something was, as people say it; the exact time shows on pointing at it. */
export function Moment({ at }: { readonly at: string }) {
  const now = useNow();
  const date = new Date(at);
  return (
    <time className="moment" dateTime={at} title={exactTime(date)}>
      {relativeTime(date, now)}
    </time>
  );
}
