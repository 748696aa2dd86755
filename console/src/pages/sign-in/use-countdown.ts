import { useEffect, useState } from 'react';

export interface Countdown {
  /** Whole seconds that are left; undefined if nothing is counted. */
  readonly secondsLeft: number | undefined;
  start(seconds: number): void;
  forget(): void;
}

/** Counts by the clock, so that a tab that slept meanwhile still says the right time. */
export function useCountdown(): Countdown {
  const [endsAt, setEndsAt] = useState<number>();
  const [now, setNow] = useState(Date.now);

  useEffect(() => {
    if (endsAt === undefined) return;
    const timer = setInterval(() => {
      setNow(Date.now());
      if (Date.now() >= endsAt) clearInterval(timer);
    }, 250);
    return () => clearInterval(timer);
  }, [endsAt]);

  return {
    secondsLeft: endsAt === undefined ? undefined : Math.max(0, Math.ceil((endsAt - now) / 1_000)),
    start(seconds) {
      setNow(Date.now());
      setEndsAt(Date.now() + seconds * 1_000);
    },
    forget: () => setEndsAt(undefined),
  };
}
