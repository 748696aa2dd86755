import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ConnectionError } from './problems.ts';

export interface RetryOptions {
  /** How often a request is sent again. */
  readonly retries: number;
  /** The longest first pause. Each further one is up to twice as long. */
  readonly pauseMs: number;
  readonly fetch: typeof fetch;
  /**
   * How long an attempt may take until the headers of its response arrive. It includes the time to send the
   * body, so requests with large bodies have none.
   */
  readonly headersTimeoutMs?: number;
}

/** No pause is longer than this. If the service asks for more time, its response is final. */
const longestPauseMs = 60_000;
/** Overloaded, restarting, or the rate limit is reached. */
const transient = new Set([408, 429, 502, 503, 504]);

/**
 * Sends a request until it succeeds or fails for good. Every write gets an Idempotency-Key, so it takes
 * effect once, however often it is sent.
 */
export function createRetryingFetch(
  options: RetryOptions,
): (request: Request) => Promise<Response> {
  return async function retryingFetch(request) {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (!isRead && !request.headers.has('idempotency-key')) {
      request.headers.set('idempotency-key', randomUUID());
    }
    for (let attempt = 0; ; attempt++) {
      const isLast = attempt >= options.retries;
      const outcome = await send(request, options);
      const pauseMs = isLast ? undefined : await pauseAfter(outcome, attempt, options.pauseMs);
      if (pauseMs === undefined) {
        if (outcome instanceof ConnectionError) throw outcome;
        return outcome;
      }
      if (outcome instanceof Response) await outcome.body?.cancel();
      await sleep(pauseMs, undefined, { signal: request.signal });
    }
  };
}

/** The response as soon as its headers are there. A redirect could send the credentials to another address. */
async function send(request: Request, { fetch, headersTimeoutMs }: RetryOptions) {
  const timeout = new AbortController();
  const timer =
    headersTimeoutMs === undefined
      ? undefined
      : setTimeout(() => timeout.abort(), headersTimeoutMs);
  try {
    const signal = AbortSignal.any([request.signal, timeout.signal]);
    return await fetch(new Request(request.clone(), { signal, redirect: 'manual' }));
  } catch (cause) {
    if (request.signal.aborted) throw request.signal.reason;
    return new ConnectionError(`cannot reach ${new URL(request.url).origin}`, { cause });
  } finally {
    clearTimeout(timer);
  }
}

/** Undefined: another attempt would not help. */
async function pauseAfter(
  outcome: Response | ConnectionError,
  attempt: number,
  pauseMs: number,
): Promise<number | undefined> {
  // A random part of the pause, so that many clients do not come back at the same moment.
  const backoff = Math.random() * Math.min(longestPauseMs, pauseMs * 2 ** attempt);
  if (outcome instanceof ConnectionError) return backoff;
  if (!transient.has(outcome.status) && !(await isUnderWay(outcome))) return undefined;
  const asked = retryAfterMs(outcome.headers.get('retry-after'));
  if (asked === undefined) return backoff;
  return asked > longestPauseMs ? undefined : asked + backoff;
}

/** The first request with this Idempotency-Key has not ended. */
async function isUnderWay(response: Response): Promise<boolean> {
  if (response.status !== 409) return false;
  const problem = await response.clone().text();
  return problem.includes('"idempotency_key_in_use"');
}

/** The header has seconds or a date. */
export function retryAfterMs(header: string | null, now = Date.now()): number | undefined {
  if (header === null) return undefined;
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
