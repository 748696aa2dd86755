import { monotonicMs } from '../../domain/guess-limit.ts';

interface Allowance {
  readonly isAllowed: boolean;
  readonly remaining: number;
  /** Seconds until the caller's window ends. */
  readonly resetSeconds: number;
}

export interface RateLimit {
  readonly perMinute: number;
  /** Counts a request. */
  count(caller: string): Allowance;
}

const windowMs = 60_000;

/** Beyond this number the oldest windows are dropped, which bounds memory during a flood. */
const maximumCallers = 100_000;

/**
 * Counts the requests of each caller (an API key, a user or a network) in one-minute windows. A
 * window begins with the caller's first request.
 */
export function createRateLimit(perMinute: number, now: () => number = monotonicMs): RateLimit {
  // Ordered by the end of the window.
  const windows = new Map<string, { endsAt: number; requests: number }>();

  function dropOldest(time: number): void {
    for (const [caller, { endsAt }] of windows) {
      if (time < endsAt && windows.size < maximumCallers) return;
      windows.delete(caller);
    }
  }

  return {
    perMinute,
    count(caller) {
      const time = now();
      let current = windows.get(caller);
      if (current === undefined || time >= current.endsAt) {
        windows.delete(caller);
        dropOldest(time);
        current = { endsAt: time + windowMs, requests: 0 };
        windows.set(caller, current);
      }
      current.requests += 1;
      return {
        isAllowed: current.requests <= perMinute,
        remaining: Math.max(0, perMinute - current.requests),
        resetSeconds: Math.ceil((current.endsAt - time) / 1000),
      };
    },
  };
}
