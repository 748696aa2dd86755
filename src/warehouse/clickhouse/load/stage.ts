import type { StagedRun } from '../../../records/warehouse/manifest.ts';
import type { ThreadPool } from '../../../threads/thread-pool.ts';
import type { LoadAttempt, LoadMeaning, StagedLoad } from '../../port.ts';
import type { GatheredRows } from '../../runs/load/gather-rows.ts';
import { changedSegments } from '../../runs/load/list-store.ts';
import { checkNumbers } from '../../runs/load/parallel-scatter.ts';
import { type SortedRows, sortParts } from '../../runs/load/sort-parts.ts';
import { splitLargeParts } from '../../runs/load/split-large-parts.ts';
import { addedDevices, allDevices, type ListLayout } from '../../runs/load/tasks/collect-lists.ts';
import type { Engine } from '../cluster/engine.ts';
import { beginBatch, devicesByRun, dropLoadedRows } from '../rows/batches.ts';
import { withCurrentRuns } from '../rows/current-runs.ts';
import { placeOf, runId, runIdOf, runsPerBatch } from '../rows/run-ids.ts';
import { noList, stagedRun } from '../rows/sql.ts';
import { createHeldLists, type HeldLists } from './held-lists.ts';
import { findLeftOut, type LeftOut, nothingLeftOut } from './leave-out.ts';
import { checkLoadedRows, missingRows } from './loaded-rows.ts';
import { readHeld } from './read-held.ts';
import type { NumberedRun } from './removal-sql.ts';
import { type ListRows, loadedRows, runRows } from './row-table.ts';
import { type SendContext, sendLists } from './send-lists.ts';
import { shortenRuns } from './shorten-runs.ts';
import type { ShardTasks } from './tasks/shard-tasks.ts';

export interface Staging extends GatheredRows {
  /** The threads for these rows: few rows must not wait for the tasks of large loads. */
  threadsFor(rows: GatheredRows): { readonly pool: ThreadPool<ShardTasks>; nextId(): number };
  readonly maxPartWords: number;
  readonly owner: LoadAttempt;
  readonly meaning: LoadMeaning;
  readonly signal: AbortSignal;
}

/**
 * Turns rows into runs on the shards. The rows are sorted and deduplicated here. If their segments have runs, or
 * devices are suppressed, the shards get the devices of the load once, and return those that they hold. The
 * remaining devices go straight into runs. A device and all runs that contain it are on the same shard.
 */
export async function stageRows(engine: Engine, staging: Staging): Promise<StagedLoad> {
  const { cluster, records } = engine;
  const { rows, scratch, owner, meaning, signal } = staging;
  const { segmentIds, everyRow, suppressed } = meaning;
  checkNumbers(rows, meaning);
  if (rows.parts.length === 0) {
    return { uniqueDevices: 0, suppressedDevices: 0, change: { add: [], drop: [] } };
  }
  const { removals } = rows;
  // Without removals, the devices that rows add are all devices.
  const added = everyRow !== null;
  const lists = { segments: segmentIds.length, removals, added, all: removals || !added };
  const sorted = await sort(staging, lists);
  const { pool } = staging.threadsFor(staging);
  const sending = { cluster, pool, scratch, stored: sorted.lists, signal };

  const batches: Promise<number>[] = [];
  function newBatch(): Promise<number> {
    const batch = beginBatch({ cluster, runFiles: records.runFiles }, owner);
    batches.push(batch);
    return batch;
  }

  /** Sends the devices of the load to the shards, as loaded rows of the first batch, once. */
  let sent: Promise<number> | undefined;
  async function sendDevices(): Promise<number> {
    const batch = await newBatch();
    const list = lists.all ? allDevices(lists) : addedDevices(lists);
    const all = new Map([[list, { number: noList, removes: false }]]);
    const { extents: leftOut } = nothingLeftOut;
    await sendLists(sending, { table: loadedRows, batch, lists: all, leftOut });
    return batch;
  }

  async function withDevices<T>(work: (batch: number) => Promise<T>): Promise<T> {
    sent ??= sendDevices();
    const batch = await sent;
    const outcome = await work(batch);
    await checkLoadedRows(engine, { batch, kind: 'devices', rows: sorted.devices }, signal);
    return outcome;
  }

  async function leaveOut(): Promise<LeftOut> {
    if (!suppressed) return nothingLeftOut;
    const { length } = await records.manifest.runsOf([suppressed.plain, suppressed.digests]);
    if (length === 0) return nothingLeftOut;
    return await withDevices((batch) =>
      findLeftOut(engine, { batch, rows: sorted.devices, scratch, signal }, suppressed),
    );
  }

  /** Adds the devices of the load that the runs hold. */
  async function listKnown(held: readonly NumberedRun[], known: HeldLists): Promise<void> {
    if (held.length === 0 || meaning.mode === 'replace') return;
    const runs = held.map(({ run }) => run);
    await withDevices((batch) =>
      readHeld(engine, runs, { batch, devices: sorted.devices }, known, signal),
    );
  }

  try {
    const leftOut = await leaveOut();
    const numberOf = new Map(
      changedSegments(sorted.lists).map((number) => [segmentIds[number]!, number]),
    );
    if (everyRow !== null) numberOf.set(everyRow, listOfEveryRow(meaning));
    let tries = 0;
    const change = await withCurrentRuns(
      engine,
      () => records.manifest.runsOf([...numberOf.keys()]),
      async (runs) => {
        const held = runs.map((run) => ({ run, list: numberOf.get(run.segmentId)! }));
        const listOf = new Map(held.map(({ run, list }) => [runIdOf(run), list]));
        using known = createHeldLists(staging, listOf);
        await listKnown(held, known);
        // A new batch for another try, because rows of the first one must not be counted.
        const batch = await (tries++ === 0 && batches[0] ? batches[0] : newBatch());
        return await writeRuns(engine, meaning, sending, { batch, held, known, leftOut });
      },
    );
    return {
      uniqueDevices: sorted.devices - leftOut.devices,
      suppressedDevices: leftOut.devices,
      change,
    };
  } finally {
    if (sent || removals) {
      for (const begun of await Promise.allSettled(batches)) {
        if (begun.status === 'fulfilled') await dropLoadedRows(cluster, begun.value);
      }
    }
  }
}

function sort(staging: Staging, lists: ListLayout): Promise<SortedRows> {
  const { rows } = staging;
  const context = { ...staging, threads: staging.threadsFor(staging), file: null };
  const parts = { parts: splitLargeParts(context, rows), areShort: rows.areShort };
  return sortParts(context, parts, lists, null, null);
}

/** The rows of each segment form a list with its number. The list of all rows comes after them. */
function listOfEveryRow({ segmentIds }: LoadMeaning): number {
  return segmentIds.length;
}

interface RunsToWrite {
  readonly batch: number;
  /** The runs that the segments have. */
  readonly held: readonly NumberedRun[];
  /** The devices of the load that these runs hold, by number, as far as they matter. */
  readonly known: HeldLists;
  readonly leftOut: LeftOut;
}

async function writeRuns(
  engine: Engine,
  { segmentIds, everyRow, mode }: LoadMeaning,
  sending: SendContext,
  { batch, held, known, leftOut: { extents: leftOut } }: RunsToWrite,
): Promise<StagedLoad['change']> {
  const { signal, stored } = sending;
  const ofEveryRow = segmentIds.length;
  const named = held.filter(({ list }) => list !== ofEveryRow);
  const first = ofEveryRow + 1;
  const shortened =
    mode === 'replace'
      ? []
      : await shortenRuns(engine, sending, { batch, held: named, first, leftOut });
  if (first + shortened.length > runsPerBatch) {
    throw new RangeError(`a load can change at most ${runsPerBatch} runs`);
  }
  const lists = new Map<number, ListRows>(
    segmentIds.map((_, number) => [number, { number, removes: false }]),
  );
  if (everyRow !== null) {
    lists.set(addedDevices(stored.lists), { number: ofEveryRow, removes: false });
  }
  const written = await sendLists(sending, { table: runRows, batch, lists, leftOut, held: known });
  const counts = await devicesByRun(engine.cluster, batch, signal);
  for (const [list, { number }] of lists) {
    const found = counts.get(String(runId(batch, number))) ?? 0;
    if (found !== written.get(list)) throw missingRows(found, written.get(list)!);
  }
  const segmentOf = [...segmentIds, everyRow, ...shortened.map(({ run }) => run.segmentId)];
  const add = [...counts].map(([id, devices]): StagedRun => {
    const { firstRowGroup } = placeOf(BigInt(id));
    return stagedRun(BigInt(id), segmentOf[firstRowGroup]!, devices);
  });
  return { add, drop: (mode === 'replace' ? held : shortened).map(({ run }) => run) };
}
