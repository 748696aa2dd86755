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
 * The universe, brought up to date; as it stands if that fails, for what is wrong with somebody's
 * attribute is no reason to load no audience.
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
