import { setTimeout as sleep } from 'node:timers/promises';
import type { Maintenance } from '../port.ts';
import type { Cluster } from './cluster/cluster.ts';
import type { Engine } from './cluster/engine.ts';
import { longTimeoutMs, type Server } from './cluster/server.ts';
import { batchOfFile, fileOfBatch, isBatchFile, placeOf, runIdOf } from './rows/run-ids.ts';
import { type DeviceTable, deviceTables, withinBatch } from './rows/sql.ts';

const batchesPerQuery = 500;
const mutationPollMs = 20;
/**
 * An empty batch without a row in PostgreSQL is remembered for this many grace periods. A frozen
 * worker may still write to it, and the sweep must find those rows.
 */
const gracePeriodsToForget = 100;

/**
 * Deletes the devices of unreferenced runs. It uses mutations, not lightweight deletes, because
 * those only hide rows and deleted data must leave the disk.
 */
export function createSweep({ cluster, records }: Engine): Maintenance['sweep'] {
  const { runFiles } = records;
  /** When a run was first found unreferenced. It may have been in use a moment before. */
  const unreferencedSince = new Map<string, number>();

  /** `removed` are the batches that nothing has used for the grace period. */
  async function sweepRuns(
    graceSeconds: number,
    removed: ReadonlySet<number>,
    signal?: AbortSignal,
  ): Promise<number> {
    // Reads the shards before PostgreSQL, because a batch is recorded in PostgreSQL first.
    const ages = await listBatches(cluster);
    const known = await runFiles.names();
    const unknown = [...ages.keys()].filter(
      (batch) => removed.has(batch) || !known.has(fileOfBatch(batch)),
    );
    const withDropped = (await runFiles.withDroppedRuns()).filter(({ file }) => isBatchFile(file));

    const batches = [...unknown, ...withDropped.map(({ file }) => batchOfFile(file))];
    const used = new Set(
      withDropped.flatMap(({ file, firstRowGroups }) =>
        firstRowGroups.map((firstRowGroup) => String(runIdOf({ file, firstRowGroup }))),
      ),
    );
    const found = await findRuns(cluster, batches, signal);
    const unreferenced = [...found.keys()].filter((id) => !used.has(id));
    const now = performance.now();
    forgetAllBut(unreferencedSince, unreferenced);
    for (const id of unreferenced) if (!unreferencedSince.has(id)) unreferencedSince.set(id, now);
    const expired = unreferenced.filter(
      (id) =>
        removed.has(batchOfRun(id)) || now - unreferencedSince.get(id)! >= graceSeconds * 1000,
    );
    for (const table of deviceTables) {
      const ids = expired.filter((id) => found.get(id) === table);
      if (ids.length === 0) continue;
      await deleteRows(cluster, table, `run_id in (${ids.join(', ')})`, signal);
      for (const id of ids) unreferencedSince.delete(id);
    }
    const waiting = new Set([...unreferencedSince.keys()].map(batchOfRun));
    await runFiles.forgetDropped(withDropped.filter(({ file }) => !waiting.has(batchOfFile(file))));

    const occupied = new Set(unreferenced.map(batchOfRun));
    const forgettable = unknown.filter(
      (batch) => !occupied.has(batch) && ages.get(batch)! >= graceSeconds * gracePeriodsToForget,
    );
    if (forgettable.length > 0) {
      await deleteRows(cluster, 'batch', `batch in (${forgettable.join(', ')})`, signal);
    }
    return expired.length;
  }

  /** Drops the rows of loads that have ended. */
  async function sweepLoadedRows(): Promise<number> {
    const partitions = await cluster.onEach(listPartitions);
    const loading = await runFiles.withoutRuns();
    const left = partitions.map((batches) =>
      batches.filter((batch) => !loading.has(fileOfBatch(Number(batch)))),
    );
    const shards = await cluster.shards();
    for (const [i, batches] of left.entries()) {
      for (const batch of batches) {
        await shards[i]!.execute(`alter table loaded_row drop partition ${batch}`);
      }
    }
    return left.flat().length;
  }

  return async (graceSeconds, signal) => {
    const removed = await runFiles.removeUnreferenced(graceSeconds);
    const loads = await sweepLoadedRows();
    const batches = new Set(removed.filter(isBatchFile).map(batchOfFile));
    const runs = await sweepRuns(graceSeconds, batches, signal);
    await runFiles.forgetRemoved(removed);
    return { files: removed.length, loads, runs };
  };
}

/** Removes entries that are no longer needed, for example because another process swept the batch. */
function forgetAllBut<K>(remembered: Map<K, unknown>, keys: readonly K[]): void {
  const kept = new Set(keys);
  for (const key of remembered.keys()) if (!kept.has(key)) remembered.delete(key);
}

function batchOfRun(id: string): number {
  return batchOfFile(placeOf(BigInt(id)).file);
}

/** Every batch that may have rows on a shard, and its age in seconds. */
async function listBatches(cluster: Cluster): Promise<Map<number, number>> {
  const ages = new Map<number, number>();
  const listed = await cluster.onEach((shard) =>
    shard.select('select batch, toUInt32(now()) - toUInt32(max(begun)) from batch group by batch'),
  );
  for (const [batch, age] of listed.flat()) ages.set(Number(batch), Number(age));
  return ages;
}

/** The runs of the batches, each with its table. A batch of a profile has no other runs. */
async function findRuns(
  cluster: Cluster,
  batches: readonly number[],
  signal?: AbortSignal,
): Promise<Map<string, DeviceTable>> {
  const options = { timeoutMs: longTimeoutMs, ...(signal && { signal }) };
  const found = new Map<string, DeviceTable>();
  for (let at = 0; at < batches.length; at += batchesPerQuery) {
    const ranges = batches
      .slice(at, at + batchesPerQuery)
      .map((batch) => `(${withinBatch(batch)})`);
    for (const table of deviceTables) {
      const sql = `select distinct run_id from ${table} where ${ranges.join(' or ')}`;
      const ids = await cluster.onEach((shard) => shard.select(sql, options));
      for (const [id = ''] of ids.flat()) found.set(id, table);
    }
  }
  return found;
}

async function listPartitions(shard: Server): Promise<string[]> {
  const rows = await shard.select(
    "select distinct partition from system.parts where active and database = currentDatabase() and table = 'loaded_row'",
  );
  return rows.flat();
}

/**
 * Deletes rows and waits until they are gone. A mutation rewrites whole parts, so none is queued
 * behind an unfinished one, even of another process.
 */
async function deleteRows(
  cluster: Cluster,
  table: string,
  condition: string,
  signal?: AbortSignal,
): Promise<void> {
  const unfinished = `select count() from system.mutations where database = currentDatabase() and table = '${table}' and not is_done`;

  async function isIdle(shard: Server): Promise<boolean> {
    const [row] = await shard.select(unfinished);
    return row?.[0] === '0';
  }

  const deadline = performance.now() + longTimeoutMs;
  await cluster.onEach(async (shard) => {
    if (!(await isIdle(shard))) throw new Error(`${shard.name} has not finished an earlier delete`);
  });
  await cluster.onEach(async (shard) => {
    await shard.execute(`alter table ${table} delete where ${condition}`);
    while (!(await isIdle(shard))) {
      if (performance.now() > deadline) throw new Error(`${shard.name} timed out deleting rows`);
      await sleep(mutationPollMs, undefined, signal && { signal });
    }
  });
}
