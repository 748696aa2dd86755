/** What one more request met. */
interface Allowance {
  readonly isAllowed: boolean;
  readonly remaining: number;
  /** Until the caller starts afresh. */
  readonly resetSeconds: number;
}

export interface RateLimit {
  readonly perMinute: number;
  /** Counts a request. */
  count(caller: string): Allowance;
}

const windowMs = 60_000;

/** Past so many callers the longest known are forgotten: a flood from everywhere fills no memory. */
const mostCallers = 100_000;

/**
 * Counts the requests of each caller, an API key, a user or a network, in windows of a minute that
 * begin with its first request.
 */
export function createRateLimit(perMinute: number, now: () => number = Date.now): RateLimit {
  // In the order in which they end.
  const windows = new Map<string, { endsAt: number; requests: number }>();

  function forget(time: number): void {
    for (const [caller, { endsAt }] of windows) {
      if (time < endsAt && windows.size < mostCallers) return;
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
        forget(time);
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
