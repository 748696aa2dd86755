import type { RowBatch } from '../../../domain/row-batch.ts';
import type { ThreadPool } from '../../../threads/thread-pool.ts';
import { wordsPerRow } from '../devices/rows.ts';
import type { Window } from '../devices/bit-window.ts';
import type { LoadTasks } from './tasks/load-tasks.ts';
import type { LoadRoom } from './memory/scratch-space.ts';
import { type Extents, extentWords, type Room } from './memory/slots.ts';
import type { ScatteredRows } from './tasks/scatter.ts';

/** What is common to all loads of the process. */
export interface LoadThreads {
  readonly pool: ThreadPool<LoadTasks>;
  /** A number that names something of a load to the threads, never given twice. */
  nextName(): number;
}

/** Rows whose devices fall into one range. */
export interface Part {
  readonly words: number;
  readonly extents: Extents;
  /** Rows that lie nowhere but here. */
  readonly rows: Uint32Array | null;
}

export interface RowParts {
  /** Ascending. */
  readonly parts: readonly Part[];
  readonly numbers: number;
  readonly removals: boolean;
  readonly areShort: boolean;
}

/** Sorts rows into parts on all threads, each of which has blocks of its own for every part. */
export interface RowScatter {
  add(batch: Pick<RowBatch, 'words' | 'rows' | 'numbering'>): Promise<void>;
  /** Takes rows that lie in slots, on a certain thread. */
  addAgain(extents: Extents, haveNoLists: boolean, thread: number): Promise<void>;
  /** `aside`: no memory stays in use for blocks that are not full. */
  finish(aside?: boolean): Promise<RowParts>;
  /** Has the threads let go of it. */
  forget(): Promise<void>;
}

export function createRowScatter(
  { pool, nextName }: LoadThreads,
  room: LoadRoom,
  handle: Room,
  window: Window,
): RowScatter {
  const parts = 1 << window.bits;
  const scatter = nextName();
  const begun = new Set<number>();
  // One for each part on each thread, without which none can begin; taken before another load can.
  const first = Array.from({ length: pool.size }, () => room.takeBlocks(parts, true));
  const waiting = new Array<number>(pool.size).fill(0);

  /** Blocks for what is to come, as far as there are some. */
  function grant(thread: number, words: number) {
    const more = room.takeBlocks(Math.ceil(words / room.slotWords), false);
    if (begun.has(thread)) return { scatter, begin: null, blocks: more };
    begun.add(thread);
    const blocks = Int32Array.from([...more, ...first[thread]!]);
    return { scatter, begin: { room: handle, window }, blocks };
  }

  return {
    async add({ words, rows, numbering }) {
      const thread = waiting.indexOf(Math.min(...waiting));
      waiting[thread]!++;
      try {
        const haveNoLists = words.length === rows * wordsPerRow;
        const input = { ...grant(thread, words.length), words, numbering, haveNoLists };
        await pool.run('scatter', input, { thread });
      } finally {
        waiting[thread]!--;
      }
    },

    async addAgain(extents, haveNoLists, thread) {
      const granted = grant(thread, extentWords(extents));
      const input = { ...granted, room: handle, extents, haveNoLists };
      await pool.run('scatterAgain', input, { thread });
    },

    async finish(aside = false) {
      const scattered: ScatteredRows[] = [];
      for (const [thread, unused] of first.entries()) {
        if (!begun.has(thread)) {
          room.give(unused);
          continue;
        }
        const ended = await pool.run('endScatter', { scatter, aside }, { thread });
        room.give(ended.unused);
        scattered.push(ended);
      }
      begun.clear();
      return joinScattered(scattered, window);
    },

    async forget() {
      const forgetting = [...begun].map((thread) =>
        pool.run('forgetScatter', { scatter }, { thread }),
      );
      await Promise.allSettled(forgetting);
    },
  };
}

/** What threads have made of their rows, together. */
export function joinScattered(all: readonly ScatteredRows[], { bits }: Window): RowParts {
  const extents = Array.from({ length: 1 << bits }, (): number[] => []);
  for (const { chunks } of all) {
    for (let i = 0; i < chunks.length; i += 3) {
      const [part, slot, words] = chunks.subarray(i, i + 3);
      extents[part!]!.push(slot!, 0, words!);
    }
  }
  return {
    parts: extents.filter(({ length }) => length > 0).map(partOf),
    numbers: all.reduce((most, { numbers }) => Math.max(most, numbers), 0),
    removals: all.some(({ removals }) => removals),
    areShort: all.every(({ areShort }) => areShort),
  };
}

function partOf(extents: readonly number[]): Part {
  let words = 0;
  for (let i = 2; i < extents.length; i += 3) words += extents[i]!;
  return { words, extents: Int32Array.from(extents), rows: null };
}

/** The slots that extents lie in. */
export function* slotsOf(extents: Extents): Iterable<number> {
  for (let i = 0; i < extents.length; i += 3) yield extents[i]!;
}
