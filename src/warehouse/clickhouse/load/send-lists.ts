import type { ThreadPool } from '../../../threads/thread-pool.ts';
import { groupBySize } from '../../group-by-size.ts';
import { type ListSlice, type StoredLists, slicesOf } from '../../runs/load/list-store.ts';
import type { ScratchSpace } from '../../runs/load/memory/scratch-space.ts';
import type { Extents } from '../../runs/load/memory/slots.ts';
import { runOnThreads } from '../../runs/load/run-on-threads.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { HeldLists } from './held-lists.ts';
import { type InsertStream, openInsert } from './insert-stream.ts';
import type { ListRows, RowTable } from './row-table.ts';
import type { ShardTasks } from './tasks/shard-tasks.ts';

/** 2 MiB of devices in a task, of one list or of many. */
const wordsPerTask = 512 * 1024;

export interface SendContext {
  readonly cluster: Cluster;
  readonly pool: ThreadPool<ShardTasks>;
  readonly scratch: ScratchSpace;
  readonly stored: StoredLists;
  readonly signal: AbortSignal;
}

/** Rows to send: lists by their position in the store, in the sort order of the table. */
export interface RowsToSend {
  readonly table: RowTable;
  readonly batch: number;
  readonly lists: ReadonlyMap<number, ListRows>;
  /** Devices to leave out of all lists, ascending. */
  readonly leftOut: Extents;
  /** Devices to leave out of each list, by the number of its rows. */
  readonly held?: HeldLists;
}

const none: Extents = new Int32Array(0);

/**
 * Sends sorted lists of devices to the shards that the devices belong to, with one insert for each shard.
 * Returns how many devices each list has.
 */
export async function sendLists(
  { cluster, pool, scratch, stored, signal }: SendContext,
  { table, batch, lists, leftOut, held }: RowsToSend,
): Promise<Map<number, number>> {
  const sent = new Map([...lists.keys()].map((list) => [list, 0]));
  const servers = await cluster.shards();
  const failed = new AbortController();
  const stop = AbortSignal.any([signal, failed.signal]);
  const inserts = servers.map((server) => openInsert(server, table.insert, stop));
  try {
    const slices = nonEmpty(slicesOf(stored, lists.keys(), wordsPerTask));
    const tasks = groupBySize(slices, ({ words }) => words, wordsPerTask);
    await runOnThreads(tasks, pool.size, stop, async (items, thread, inOrder) => {
      const input = {
        scratch: scratch.handle(),
        lists: items.map((item) => ({ devices: item.devices, held: heldOf(item) })),
        leftOut,
        shards: servers.length,
      };
      const divided = await pool.run('encodeDevices', input, { thread });
      const saying = items.map(({ list }) => lists.get(list)!);
      await inOrder(() =>
        Promise.all(
          divided.map(async (ofShard, shard) => {
            for (const [i, count] of ofShard.counts.entries()) {
              const { list } = items[i]!;
              sent.set(list, sent.get(list)! + count);
            }
            if (ofShard.devices.length === 0) return;
            await inserts[shard]!.write(table.encode(batch, saying, ofShard));
          }),
        ),
      );
    });
    await allOf(inserts, (insert) => insert.end());
  } catch (error) {
    failed.abort(error);
    await Promise.allSettled(inserts.map((insert) => insert.end()));
    throw error;
  }
  return sent;

  function heldOf({ list, from, to }: ListSlice): Extents {
    return held?.stretches(lists.get(list)!.number, ...stored.span(from, to)) ?? none;
  }
}

function* nonEmpty(slices: Iterable<ListSlice>): Iterable<ListSlice> {
  for (const slice of slices) if (slice.words > 0) yield slice;
}

/** Waits for all inserts even after an error, so that none goes on when the caller continues. */
async function allOf(
  inserts: readonly InsertStream[],
  act: (insert: InsertStream) => Promise<void>,
): Promise<void> {
  const outcomes = await Promise.allSettled(inserts.map(act));
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}
