import { setTimeout as sleep } from 'node:timers/promises';
import type { Maintenance } from '../port.ts';
import { allSettled, type Cluster } from './cluster/cluster.ts';
import type { Engine } from './cluster/engine.ts';
import type { EveryServer, Replicas } from './cluster/replicas.ts';
import { longTimeoutMs, type Server } from './cluster/server.ts';
import { batchOfFile, fileOfBatch, isBatchFile, placeOf, runIdOf } from './rows/run-ids.ts';
import { type DeviceTable, deviceTables, withinBatch } from './rows/sql.ts';

const batchesPerQuery = 500;
const mutationPollMs = 20;
/** ZooKeeper stores a mutation in a node of at most 1 MB. */
const runsPerMutation = 20_000;
/** How long a sweep waits for other replicas to delete rows. */
const copyTimeoutMs = 60_000;
/**
 * An empty batch without a row in PostgreSQL is remembered for this many grace periods. A frozen
 * worker may still write to it, and the sweep must find those rows.
 */
const gracePeriodsToForget = 100;

/**
 * Deletes the devices of unreferenced runs. It uses mutations, not lightweight deletes, because
 * those only hide rows and deleted data must leave the disk. Nothing is forgotten until every replica has
 * deleted it; a replica that is down may still hold rows.
 */
export function createSweep(
  replicas: Replicas,
  runFiles: Engine['records']['runFiles'],
): Maintenance['sweep'] {
  /** When a run was first found unreferenced. It may have been in use a moment before. */
  const unreferencedSince = new Map<string, number>();

  /** `removed` are the batches that nothing has used for the grace period. */
  async function sweepRuns(
    { servers, absent }: EveryServer,
    graceSeconds: number,
    removed: ReadonlySet<number>,
    signal?: AbortSignal,
  ): Promise<{ runs: number; isComplete: boolean }> {
    let isComplete = absent.length === 0;
    const on = { cluster: replicas.cluster(), servers };
    // Reads the shards before PostgreSQL, because a batch is recorded in PostgreSQL first.
    const ages = await listBatches(servers);
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
    const found = await findRuns(servers, batches, signal);
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
      for (let at = 0; at < ids.length; at += runsPerMutation) {
        const some = ids.slice(at, at + runsPerMutation);
        const condition = `run_id in (${some.join(', ')})`;
        if (!(await deleteRows(on, table, condition, signal))) isComplete = false;
        for (const id of some) unreferencedSince.delete(id);
      }
    }
    if (!isComplete) return { runs: expired.length, isComplete };
    const waiting = new Set([...unreferencedSince.keys()].map(batchOfRun));
    await runFiles.forgetDropped(withDropped.filter(({ file }) => !waiting.has(batchOfFile(file))));

    const occupied = new Set(unreferenced.map(batchOfRun));
    const forgettable = unknown.filter(
      (batch) => !occupied.has(batch) && ages.get(batch)! >= graceSeconds * gracePeriodsToForget,
    );
    if (forgettable.length > 0) {
      await deleteRows(on, 'batch', `batch in (${forgettable.join(', ')})`, signal);
    }
    return { runs: expired.length, isComplete };
  }

  /** Drops the rows of loads that have ended. */
  async function sweepLoadedRows({ servers }: EveryServer): Promise<number> {
    const partitions = await allSettled(servers.map(listPartitions));
    const loading = await runFiles.withoutRuns();
    const left = partitions.map((batches) =>
      batches.filter((batch) => !loading.has(fileOfBatch(Number(batch)))),
    );
    for (const [i, batches] of left.entries()) {
      for (const batch of batches) {
        await servers[i]!.execute(`alter table loaded_row drop partition ${batch}`);
      }
    }
    return left.flat().length;
  }

  return async (graceSeconds, signal) => {
    const removed = await runFiles.removeUnreferenced(graceSeconds);
    const every = await replicas.every();
    const loads = await sweepLoadedRows(every);
    const batches = new Set(removed.filter(isBatchFile).map(batchOfFile));
    const { runs, isComplete } = await sweepRuns(every, graceSeconds, batches, signal);
    if (isComplete) await runFiles.forgetRemoved(removed);
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

/** Every batch that may have rows on a server, and its age in seconds. */
async function listBatches(servers: readonly Server[]): Promise<Map<number, number>> {
  const ages = new Map<number, number>();
  const sql = 'select batch, toUInt32(now()) - toUInt32(max(begun)) from batch group by batch';
  const listed = await allSettled(servers.map((server) => server.select(sql)));
  for (const [batch, age] of listed.flat()) ages.set(Number(batch), Number(age));
  return ages;
}

/** The runs of the batches, each with its table. A batch of a profile has no other runs. */
async function findRuns(
  servers: readonly Server[],
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
      const ids = await allSettled(servers.map((server) => server.select(sql, options)));
      for (const [id = ''] of ids.flat()) found.set(id, table);
    }
  }
  return found;
}

async function listPartitions(server: Server): Promise<string[]> {
  const rows = await server.select(
    "select distinct partition from system.parts where active and database = currentDatabase() and table = 'loaded_row'",
  );
  return rows.flat();
}

/**
 * Deletes rows and waits until they are gone. Returns whether they are gone from every server. A mutation
 * rewrites whole parts, so none is queued behind an unfinished one, even of another process.
 */
async function deleteRows(
  { cluster, servers }: { cluster: Cluster; servers: readonly Server[] },
  table: string,
  condition: string,
  signal?: AbortSignal,
): Promise<boolean> {
  const unfinished = `select count() from system.mutations where database = currentDatabase() and table = '${table}' and not is_done`;
  const left = `select count() from ${table} where ${condition}`;

  async function isNone(server: Server, sql: string): Promise<boolean> {
    const [row] = await server.select(sql, { timeoutMs: longTimeoutMs });
    return row?.[0] === '0';
  }

  async function pause(): Promise<void> {
    await sleep(mutationPollMs, undefined, signal && { signal });
  }

  await cluster.onEach(async (shard) => {
    if (await isNone(shard, unfinished)) return;
    throw new Error(`${shard.name} has not finished an earlier delete`);
  });
  const deadline = performance.now() + longTimeoutMs;
  await cluster.onEach(async (shard) => {
    await shard.execute(`alter table ${table} delete where ${condition}`);
    while (!(await isNone(shard, unfinished))) {
      if (performance.now() > deadline) throw new Error(`${shard.name} timed out deleting rows`);
      await pause();
    }
  });
  // Another replica may not know of the mutation yet, so its rows are counted.
  const copiesDeadline = performance.now() + copyTimeoutMs;
  const chosen = await cluster.shards();
  const others = servers.filter((server) => !chosen.includes(server));
  const gone = await allSettled(
    others.map(async (server) => {
      while (!(await isNone(server, left))) {
        if (performance.now() > copiesDeadline) return false;
        await pause();
      }
      return true;
    }),
  );
  return !gone.includes(false);
}
