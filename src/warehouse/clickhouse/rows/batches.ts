import { ManifestConflict } from '../../../domain/errors.ts';
import type { RunFiles } from '../../../records/warehouse/run-files.ts';
import type { LoadAttempt } from '../../port.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { longTimeoutMs } from '../cluster/server.ts';
import { fileOfBatch } from './run-ids.ts';
import { ofBatch } from './sql.ts';

export interface BatchDependencies {
  readonly cluster: Cluster;
  readonly runFiles: Pick<RunFiles, 'announce' | 'renew'>;
}

/**
 * Begins a batch that nobody has used and nobody will: known to the records first, which say whose
 * it is, then to every shard, and only then written to. So the sweep finds whatever comes of it.
 */
export async function beginBatch(
  { cluster, runFiles }: BatchDependencies,
  owner: Pick<LoadAttempt, 'jobId' | 'attempt'> | { jobId: null; attempt: null },
): Promise<number> {
  const { jobId, attempt } = owner;
  let batch = Date.now();
  while (!(await runFiles.announce({ file: fileOfBatch(batch), jobId, attempt }))) batch++;
  await cluster.onEach((shard) => shard.execute(`insert into batch (batch) values (${batch})`));
  return batch;
}

/** How many devices the shards hold of each run of a batch, by its id. */
export function devicesByRun(
  cluster: Cluster,
  batch: number,
  signal: AbortSignal,
): Promise<Map<string, number>> {
  return cluster.sums(
    `select run_id, count() from run_device where ${ofBatch(batch)} group by run_id`,
    { signal, timeoutMs: longTimeoutMs },
  );
}

/** Away with the rows that were loaded for it. Those that cannot be dropped now the sweep takes. */
export async function dropLoadedRows(cluster: Cluster, batch: number): Promise<void> {
  await cluster
    .onEach((shard) => shard.execute(`alter table loaded_row drop partition ${batch}`))
    .catch(() => {});
}

/** How often the sweep is told that a batch of maintenance is still being written. */
const renewEveryMs = 60_000;

/**
 * Does something for a batch that belongs to no job, while the sweep is kept from it. A process that
 * was frozen may find it swept all the same, and what it worked with gone.
 */
export async function withMaintenanceBatch<T>(
  deps: BatchDependencies,
  work: (batch: number) => Promise<T>,
): Promise<T> {
  const batch = await beginBatch(deps, { jobId: null, attempt: null });
  const timer = setInterval(() => {
    // Should the records be away, or the batch be swept all the same, that is met below.
    deps.runFiles.renew(fileOfBatch(batch)).catch(() => {});
  }, renewEveryMs);
  try {
    const outcome = await work(batch);
    if (await deps.runFiles.renew(fileOfBatch(batch))) return outcome;
    throw new ManifestConflict('a batch was swept while it was written');
  } finally {
    clearInterval(timer);
    await dropLoadedRows(deps.cluster, batch);
  }
}
