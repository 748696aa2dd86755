import type { RunFiles } from '../../../records/warehouse/run-files.ts';
import { keepRegistered } from '../../keep-registered.ts';
import type { LoadAttempt } from '../../port.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { longTimeoutMs } from '../cluster/server.ts';
import { fileOfBatch } from './run-ids.ts';
import { type DeviceTable, withinBatch } from './sql.ts';

export interface BatchDependencies {
  readonly cluster: Cluster;
  readonly runFiles: Pick<RunFiles, 'register' | 'renew'>;
}

/**
 * Begins a batch with a new number. It is entered in PostgreSQL with its owner, then on every shard,
 * and only then written to, so the sweep always finds its rows.
 */
export async function beginBatch(
  { cluster, runFiles }: BatchDependencies,
  owner: Pick<LoadAttempt, 'jobId' | 'attempt'> | { jobId: null; attempt: null },
): Promise<number> {
  const { jobId, attempt } = owner;
  let batch = Date.now();
  while (!(await runFiles.register({ file: fileOfBatch(batch), jobId, attempt }))) batch++;
  await cluster.onEach((shard) => shard.execute(`insert into batch (batch) values (${batch})`));
  return batch;
}

/** The number of devices in each run of a batch, by run id, after replicas have copied them. */
export function devicesByRun(
  cluster: Cluster,
  batch: number,
  signal: AbortSignal,
  table: DeviceTable = 'run_device',
): Promise<Map<string, number>> {
  return cluster.sumsOfCopies(
    `select run_id, count() from ${table} where ${withinBatch(batch)} group by run_id`,
    { signal, timeoutMs: longTimeoutMs },
  );
}

/** Drops a batch's loaded rows. If that fails, the sweep drops them later. */
export async function dropLoadedRows(cluster: Cluster, batch: number): Promise<void> {
  await cluster
    .onEach((shard) => shard.execute(`alter table loaded_row drop partition ${batch}`))
    .catch(() => {});
}

/** Runs work in a batch that belongs to no job. If the batch was swept, the work is discarded. */
export async function withMaintenanceBatch<T>(
  deps: BatchDependencies,
  work: (batch: number) => Promise<T>,
): Promise<T> {
  const batch = await beginBatch(deps, { jobId: null, attempt: null });
  using registration = keepRegistered(deps.runFiles, fileOfBatch(batch));
  try {
    const outcome = await work(batch);
    await registration.check();
    return outcome;
  } finally {
    await dropLoadedRows(deps.cluster, batch);
  }
}
