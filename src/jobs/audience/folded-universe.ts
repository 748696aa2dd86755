import type { Logger } from 'pino';
import type { Records } from '../../records/records.ts';
import type { Universe, Warehouse } from '../../warehouse/port.ts';
import { isUnavailable } from '../worker/job-handler.ts';

export interface UniverseDependencies {
  readonly records: Pick<Records, 'universe'>;
  readonly warehouse: Pick<Warehouse, 'refreshUniverse'>;
  readonly log: Logger;
}

/**
 * Folds the universe and returns it. If the fold fails, it returns the previous universe: a damaged
 * attribute must not stop audiences from loading.
 */
export async function foldedUniverse(
  { records, warehouse, log }: UniverseDependencies,
  signal: AbortSignal,
): Promise<Universe> {
  try {
    return await warehouse.refreshUniverse(signal);
  } catch (error) {
    signal.throwIfAborted();
    if (isUnavailable(error)) throw error;
    log.warn({ err: error }, 'universe fold failed: matching against the previous universe');
    return records.universe.state();
  }
}
