import { useEffect, useState } from 'react';

export interface Countdown {
  /** Whole seconds left; undefined if the countdown is not running. */
  readonly secondsLeft: number | undefined;
  start(seconds: number): void;
  forget(): void;
}

/** Uses the clock, so the time is right even after the tab was suspended. */
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
