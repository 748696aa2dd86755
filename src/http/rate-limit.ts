/** What one more request of a key met. */
interface Allowance {
  readonly isAllowed: boolean;
  readonly remaining: number;
  /** Until the key starts afresh. */
  readonly resetSeconds: number;
}

export interface RateLimit {
  readonly perMinute: number;
  /** Counts a request. */
  count(apiKeyId: number): Allowance;
}

const windowMs = 60_000;

/**
 * Counts the requests of each API key in windows of a minute that begin with its first request. Only
 * keys that were found valid are counted, so there are never more counts than keys.
 */
export function createRateLimit(perMinute: number, now: () => number = Date.now): RateLimit {
  const windows = new Map<number, { endsAt: number; requests: number }>();
  return {
    perMinute,
    count(apiKeyId) {
      const time = now();
      let current = windows.get(apiKeyId);
      if (current === undefined || time >= current.endsAt) {
        current = { endsAt: time + windowMs, requests: 0 };
        windows.set(apiKeyId, current);
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
