import { limits } from '../limits.ts';

const [minute, hour] = [60, 3_600];

/** The example schedule of Standard Webhooks 1.0.0: the delay after each failed attempt. */
const delays = [
  5,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
];

/** Delays are up to this much longer, so that retries after an outage do not come all at once. */
const jitter = 0.1;

/** No attempt is further ahead, whatever `Retry-After` says. */
export const longestDelaySeconds = 24 * hour * (1 + jitter);

const firstPauseSeconds = 5;
const longestPauseSeconds = 5 * minute;

/** Statuses by which a receiver says that it gets too much. */
const throttling = new Set([429, 502, 503, 504]);

/**
 * The delay in seconds before the next attempt, after `attempts` failed attempts; null if there is none.
 * `random` is from 0 to 1.
 */
export function retryDelay(
  attempts: number,
  retryAfterSeconds: number | null,
  random: number,
): number | null {
  const delay = delays[attempts - 1];
  if (delay === undefined || attempts >= limits.webhookAttempts.most) return null;
  const wanted = Math.max(delay * (1 + jitter * random), retryAfterSeconds ?? 0);
  return Math.min(wanted, longestDelaySeconds);
}

/**
 * How many seconds nothing at all is sent to a webhook, after `failures` attempts in a row that failed.
 * `status` is null if the receiver did not answer.
 */
export function endpointPause(
  status: number | null,
  failures: number,
  retryAfterSeconds: number | null,
): number {
  if (retryAfterSeconds !== null) return Math.min(retryAfterSeconds, longestDelaySeconds);
  if (status !== null && !throttling.has(status)) return 0;
  return Math.min(firstPauseSeconds * 2 ** Math.min(failures - 1, 10), longestPauseSeconds);
}
