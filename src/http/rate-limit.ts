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

/**
 * Counts the requests of each caller, an API key or a user, in windows of a minute that begin with
 * its first request. Only callers that were found valid are counted, so there are never more counts
 * than those.
 */
export function createRateLimit(perMinute: number, now: () => number = Date.now): RateLimit {
  const windows = new Map<string, { endsAt: number; requests: number }>();
  return {
    perMinute,
    count(caller) {
      const time = now();
      let current = windows.get(caller);
      if (current === undefined || time >= current.endsAt) {
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
