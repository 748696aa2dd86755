import { TributaryError } from '../../../domain/errors.ts';
import type { Engine } from '../cluster/engine.ts';
import { longTimeoutMs } from '../cluster/server.ts';
import { noList } from '../rows/sql.ts';

/** Rows of a batch: one for each device of the load, or one for each device of the lists. */
interface SentRows {
  readonly batch: number;
  readonly kind: 'devices' | 'lists';
  readonly rows: number;
}

/** A condition that selects the rows with the devices of a load. */
export function areDevices(batch: number): string {
  return `batch = ${batch} and removes = 0 and list = ${noList}`;
}

/**
 * Throws unless the shards have all rows that were sent. Loaded rows are not synced to disk, so this is
 * checked after their last use.
 */
export async function checkLoadedRows(
  { cluster }: Pick<Engine, 'cluster'>,
  { batch, kind, rows }: SentRows,
  signal: AbortSignal,
): Promise<void> {
  const selected =
    kind === 'devices' ? areDevices(batch) : `batch = ${batch} and list != ${noList}`;
  const sql = `select 'rows', count() from loaded_row where ${selected}`;
  const counts = await cluster.sums(sql, { signal, timeoutMs: longTimeoutMs });
  const found = counts.get('rows') ?? 0;
  if (found !== rows) throw missingRows(found, rows);
}

export function missingRows(found: number, sent: number): TributaryError {
  return new TributaryError(
    'unavailable',
    `The shards have ${found} of ${sent} rows that were sent. Check whether a shard lost data.`,
  );
}
