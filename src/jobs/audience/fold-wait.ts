import type { Logger } from 'pino';
import type { Warehouse } from '../../warehouse/port.ts';
import { isUnavailable } from '../worker/job-handler.ts';

export interface FoldDependencies {
  readonly warehouse: Pick<Warehouse, 'refreshUniverse'>;
  readonly log: Logger;
}

/** Waits until the universe is up to date. False if that took too long or the fold failed. */
export type FoldWait = (signal: AbortSignal) => Promise<boolean>;

const defaultWaitMs = 5_000;

/**
 * All calls together wait for folds at most this long. A fold can take hours after a large change of
 * one partner, and it can fail, but it must not hold up the loads of others. The caller then counts
 * with the universe as it is; the refresh of audiences counts again after the fold.
 */
export function createFoldWait(
  { warehouse, log }: FoldDependencies,
  waitMs: number = defaultWaitMs,
): FoldWait {
  let leftMs = waitMs;
  return async (signal) => {
    const timeout = AbortSignal.timeout(Math.max(1, Math.ceil(leftMs)));
    const began = performance.now();
    try {
      await warehouse.refreshUniverse(AbortSignal.any([signal, timeout]));
      return true;
    } catch (error) {
      signal.throwIfAborted();
      if (!timeout.aborted) {
        if (isUnavailable(error)) throw error;
        log.warn({ err: error }, 'universe fold failed: matching against the previous universe');
      }
      return false;
    } finally {
      leftMs -= performance.now() - began;
    }
  };
}
