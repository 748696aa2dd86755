import { setTimeout as sleep } from 'node:timers/promises';
import type { Upkeep } from '../port.ts';
import type { Cluster } from './cluster/cluster.ts';
import type { Engine } from './cluster/engine.ts';
import { longTimeoutMs, type Server } from './cluster/server.ts';
import { batchOfFile, fileOfBatch, isOurs, placeOf, runIdOf } from './rows/run-ids.ts';
import { ofBatch } from './rows/sql.ts';

const batchesPerQuery = 500;
const mutationPollMs = 20;
/**
 * How many graces long an empty batch is remembered that no record knows: a worker that was frozen
 * may still write to it, and what it writes is to be found.
 */
const gracesToForget = 100;

/**
 * Deletes the devices of runs that nothing refers to. Not by a lightweight delete: that only hides
 * them, and what was deleted has to be gone in time.
 */
export function createSweep({ cluster, records }: Engine): Upkeep['sweep'] {
  const { runFiles } = records;
  /** When a run was first seen to be of no use: it may have been of use a moment before. */
  const uselessSince = new Map<string, number>();
  /** How many runs of use a batch had when it was found to hold nothing else. */
  const tidy = new Map<number, number>();

  async function sweepRuns(graceSeconds: number, signal?: AbortSignal): Promise<number> {
    // Listed before the records are asked: whatever is listed was known to them before.
    const ages = await listBatches(cluster);
    const known = await runFiles.names();
    const unknown = [...ages.keys()].filter((batch) => !known.has(fileOfBatch(batch)));
    const allLosers = (await runFiles.losers())
      .filter(({ file }) => isOurs(file))
      .map(({ file, firstRowGroups }) => ({
        batch: batchOfFile(file),
        used: firstRowGroups.map((firstRowGroup) => String(runIdOf({ file, firstRowGroup }))),
      }));
    forgetAllBut(
      tidy,
      allLosers.map(({ batch }) => batch),
    );
    const losers = allLosers.filter(({ batch, used }) => tidy.get(batch) !== used.length);

    const batches = [...unknown, ...losers.map(({ batch }) => batch)];
    const used = new Set(losers.flatMap((loser) => loser.used));
    const found = await findRuns(cluster, batches, signal);
    const useless = found.filter((id) => !used.has(id));
    const now = performance.now();
    forgetAllBut(uselessSince, useless);
    for (const id of useless) if (!uselessSince.has(id)) uselessSince.set(id, now);
    const ripe = useless.filter((id) => now - uselessSince.get(id)! >= graceSeconds * 1000);
    if (ripe.length > 0) {
      await deleteRows(cluster, 'run_device', `run_id in (${ripe.join(', ')})`, signal);
      for (const id of ripe) uselessSince.delete(id);
    }
    const unripe = new Set(useless.filter((id) => uselessSince.has(id)).map(batchOfRun));
    for (const { batch, used } of losers) if (!unripe.has(batch)) tidy.set(batch, used.length);

    const occupied = new Set(useless.map(batchOfRun));
    const forgettable = unknown.filter(
      (batch) => !occupied.has(batch) && ages.get(batch)! >= graceSeconds * gracesToForget,
    );
    if (forgettable.length > 0) {
      await deleteRows(cluster, 'batch', `batch in (${forgettable.join(', ')})`, signal);
    }
    return ripe.length;
  }

  /** The rows of loads that have ended, whoever forgot them. */
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
    const files = (await runFiles.strikeOff(graceSeconds)).length;
    const loads = await sweepLoadedRows();
    return { files, loads, runs: await sweepRuns(graceSeconds, signal) };
  };
}

/** What other processes have seen to is not remembered for ever. */
function forgetAllBut<K>(remembered: Map<K, unknown>, keys: readonly K[]): void {
  const kept = new Set(keys);
  for (const key of remembered.keys()) if (!kept.has(key)) remembered.delete(key);
}

function batchOfRun(id: string): number {
  return batchOfFile(placeOf(BigInt(id)).file);
}

/** Every batch that a shard may have rows of, and how many seconds ago it began. */
async function listBatches(cluster: Cluster): Promise<Map<number, number>> {
  const ages = new Map<number, number>();
  const listed = await cluster.onEach((shard) =>
    shard.select('select batch, toUInt32(now()) - toUInt32(max(begun)) from batch group by batch'),
  );
  for (const [batch, age] of listed.flat()) ages.set(Number(batch), Number(age));
  return ages;
}

async function findRuns(
  cluster: Cluster,
  batches: readonly number[],
  signal?: AbortSignal,
): Promise<string[]> {
  const options = { timeoutMs: longTimeoutMs, ...(signal && { signal }) };
  const found = new Set<string>();
  for (let at = 0; at < batches.length; at += batchesPerQuery) {
    const ranges = batches.slice(at, at + batchesPerQuery).map((batch) => `(${ofBatch(batch)})`);
    const sql = `select distinct run_id from run_device where ${ranges.join(' or ')}`;
    const ids = await cluster.onEach((shard) => shard.select(sql, options));
    for (const [id = ''] of ids.flat()) found.add(id);
  }
  return [...found];
}

async function listPartitions(shard: Server): Promise<string[]> {
  const rows = await shard.select(
    "select distinct partition from system.parts where active and database = currentDatabase() and table = 'loaded_row'",
  );
  return rows.flat();
}

/**
 * Returns when they are gone. Every mutation writes whole parts anew, so none is put behind one that
 * is not done yet, be it another process's.
 */
async function deleteRows(
  cluster: Cluster,
  table: string,
  which: string,
  signal?: AbortSignal,
): Promise<void> {
  const unfinished = `select count() from system.mutations where database = currentDatabase() and table = '${table}' and not is_done`;

  async function isIdle(shard: Server): Promise<boolean> {
    const [row] = await shard.select(unfinished);
    return row?.[0] === '0';
  }

  const until = performance.now() + longTimeoutMs;
  await cluster.onEach(async (shard) => {
    if (!(await isIdle(shard))) throw new Error(`${shard.name} still deletes what it was told to`);
  });
  await cluster.onEach(async (shard) => {
    await shard.execute(`alter table ${table} delete where ${which}`);
    while (!(await isIdle(shard))) {
      if (performance.now() > until) throw new Error(`${shard.name} does not get rows deleted`);
      await sleep(mutationPollMs, undefined, signal && { signal });
    }
  });
}
