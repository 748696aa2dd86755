import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { tooManyRequests } from '../../domain/quotas.ts';
import type { Records } from '../../records/records.ts';

/** Counts the requests of partners in memory, and writes the counts from time to time. */
export interface RequestCounter extends AsyncDisposable {
  /** Throws rate_limited if the partner has used up its requests of this month. */
  count(partnerId: number): void;
  /** Writes the counts now. */
  flush(): Promise<void>;
}

const everyMs = 5_000;
const lastFlushMs = 1_000;

/**
 * A request costs an addition. The quota is checked with the sum of the last flush, so a partner may
 * exceed it by the requests of a few seconds in each process.
 */
export function createRequestCounter(
  { usage }: Pick<Records, 'usage'>,
  log: Logger,
  flushMs: number = everyMs,
): RequestCounter {
  let pending = new Map<number, number>();
  /** Partners with a quota: what they had used at the last flush. */
  const known = new Map<number, { readonly requests: number; readonly quota: number }>();
  let flushing = Promise.resolve();

  async function write(): Promise<void> {
    const counted = pending;
    pending = new Map();
    // Those with a quota also if they sent nothing: the month or the quota may have changed.
    const all = new Map([...known.keys()].map((partnerId) => [partnerId, 0]));
    for (const [partnerId, requests] of counted) all.set(partnerId, requests);
    if (all.size === 0) return;
    try {
      for (const { partnerId, requests, quota } of await usage.addRequests(all)) {
        if (quota === null) known.delete(partnerId);
        else known.set(partnerId, { requests, quota });
      }
    } catch (error) {
      for (const [partnerId, requests] of counted) add(partnerId, requests);
      throw error;
    }
  }

  function add(partnerId: number, requests: number): void {
    pending.set(partnerId, (pending.get(partnerId) ?? 0) + requests);
  }

  /** One after the other. */
  function flush(): Promise<void> {
    flushing = flushing.catch(() => {}).then(write);
    return flushing;
  }

  const timer = setInterval(() => {
    flush().catch((err) => log.warn({ err }, 'request counts not saved'));
  }, flushMs);
  timer.unref();

  return {
    count(partnerId) {
      const use = known.get(partnerId);
      const used = (use?.requests ?? 0) + (pending.get(partnerId) ?? 0);
      if (use && used >= use.quota) throw tooManyRequests(use.quota);
      add(partnerId, 1);
    },
    flush,
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      const saved = flush().catch((err) => log.warn({ err }, 'request counts not saved'));
      // A stop does not wait for a database that is frozen.
      await Promise.race([saved, sleep(lastFlushMs, undefined, { ref: false })]);
    },
  };
}
