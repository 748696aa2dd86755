import type { RowBatch } from '../../../domain/row-batch.ts';
import type { ThreadPool } from '../../../threads/thread-pool.ts';
import type { LoadRoom } from './load-room.ts';
import type { LoadTasks } from './load-tasks.ts';
import { type Extents, extentWords, type Room } from './room.ts';
import { wordsPerRow } from './scatter.ts';
import type { Window } from './window.ts';

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
  finish(): Promise<RowParts>;
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
  const waiting = new Array<number>(pool.size).fill(0);

  /** Blocks for what is to come; the first time also one for each part, without which none can begin. */
  function grant(thread: number, words: number) {
    const more = room.takeBlocks(Math.ceil(words / room.slotWords), false);
    if (begun.has(thread)) return { scatter, begin: null, blocks: more };
    begun.add(thread);
    const blocks = Int32Array.from([...more, ...room.takeBlocks(parts, true)]);
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

    async finish() {
      const extents = Array.from({ length: parts }, (): number[] => []);
      let numbers = 0;
      let removals = false;
      let areShort = true;
      for (const thread of begun) {
        const scattered = await pool.run('endScatter', { scatter }, { thread });
        room.give(scattered.unused);
        for (let i = 0; i < scattered.chunks.length; i += 3) {
          const [part, slot, words] = scattered.chunks.subarray(i, i + 3);
          extents[part!]!.push(slot!, 0, words!);
        }
        numbers = Math.max(numbers, scattered.numbers);
        removals ||= scattered.removals;
        areShort &&= scattered.areShort;
      }
      begun.clear();
      const filled = extents.filter(({ length }) => length > 0);
      return { parts: filled.map(partOf), numbers, removals, areShort };
    },

    async forget() {
      const forgetting = [...begun].map((thread) =>
        pool.run('forgetScatter', { scatter }, { thread }),
      );
      await Promise.allSettled(forgetting);
    },
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
