import type { RowBatch } from '../../../domain/row-batch.ts';
import type { ThreadPool } from '../../../threads/thread-pool.ts';
import type { LoadMeaning } from '../../port.ts';
import type { BitWindow } from '../devices/bit-window.ts';
import { wordsPerRow } from '../devices/rows.ts';
import type { ScratchSpace } from './memory/scratch-space.ts';
import { type Extents, extentWords, type ScratchHandle, wordsPerExtent } from './memory/slots.ts';
import type { LoadTasks } from './tasks/load-tasks.ts';
import type { ScatteredRows } from './tasks/scatter.ts';

/** The threads that all loads of the process share. */
export interface LoadThreads {
  readonly pool: ThreadPool<LoadTasks>;
  /** A new id for a scatter or an output on a thread. */
  nextId(): number;
}

/** Rows whose devices are in one range. */
export interface Part {
  readonly words: number;
  readonly extents: Extents;
  /** If not null, all rows of the part; it then has no extents. */
  readonly rows: Uint32Array | null;
}

export interface RowParts {
  /** Ascending. */
  readonly parts: readonly Part[];
  readonly numbers: number;
  readonly removals: boolean;
  readonly areShort: boolean;
}

/** Throws if a row names a segment that the load does not have. */
export function checkNumbers({ numbers }: RowParts, { segmentIds }: LoadMeaning): void {
  if (numbers <= segmentIds.length) return;
  const { length } = segmentIds;
  throw new RangeError(`rows use segment number ${numbers - 1}, but the load has ${length}`);
}

/** Scatters rows into parts on all threads. Each thread has its own blocks for every part. */
export interface ParallelScatter {
  add(batch: Pick<RowBatch, 'words' | 'rows' | 'numbering'>): Promise<void>;
  /** Adds rows that are stored in slots, on the given thread. */
  addExtents(extents: Extents, haveNoLists: boolean, thread: number): Promise<void>;
  /** `spillAll`: also spills blocks that are not full, so that no memory stays in use. */
  finish(spillAll?: boolean): Promise<RowParts>;
  /** Discards its state on the threads. */
  discard(): Promise<void>;
}

export function createParallelScatter(
  { pool, nextId }: LoadThreads,
  scratch: ScratchSpace,
  handle: ScratchHandle,
  window: BitWindow,
): ParallelScatter {
  const parts = 1 << window.bits;
  const scatter = nextId();
  const begun = new Set<number>();
  // One block for each part on each thread is needed to begin. Taken now, before other loads take them.
  const first = Array.from({ length: pool.size }, () => scratch.takeBlocks(parts, true));
  const waiting = new Array<number>(pool.size).fill(0);

  /** Grants a thread blocks for the next rows, as far as memory is available. */
  function grant(thread: number, words: number) {
    const more = scratch.takeBlocks(Math.ceil(words / scratch.slotWords), false);
    if (begun.has(thread)) return { scatter, begin: null, blocks: more };
    begun.add(thread);
    const blocks = Int32Array.from([...more, ...first[thread]!]);
    return { scatter, begin: { scratch: handle, window }, blocks };
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

    async addExtents(extents, haveNoLists, thread) {
      const granted = grant(thread, extentWords(extents));
      const input = { ...granted, scratch: handle, extents, haveNoLists };
      await pool.run('scatterExtents', input, { thread });
    },

    async finish(spillAll = false) {
      const scattered: ScatteredRows[] = [];
      for (const [thread, unused] of first.entries()) {
        if (!begun.has(thread)) {
          scratch.release(unused);
          continue;
        }
        const ended = await pool.run('endScatter', { scatter, spillAll }, { thread });
        scratch.release(ended.unused);
        scattered.push(ended);
      }
      begun.clear();
      return joinScattered(scattered, window);
    },

    async discard() {
      const discarding = [...begun].map((thread) =>
        pool.run('discardScatter', { scatter }, { thread }),
      );
      await Promise.allSettled(discarding);
    },
  };
}

/** Joins the parts of all threads. */
export function joinScattered(all: readonly ScatteredRows[], { bits }: BitWindow): RowParts {
  const extents = Array.from({ length: 1 << bits }, (): number[] => []);
  for (const { chunks } of all) {
    for (let i = 0; i < chunks.length; i += 3) {
      const [part, slot, words] = chunks.subarray(i, i + 3);
      extents[part!]!.push(slot!, 0, words!);
    }
  }
  return {
    parts: extents.filter(({ length }) => length > 0).map((some) => partOf(Int32Array.from(some))),
    numbers: all.reduce((most, { numbers }) => Math.max(most, numbers), 0),
    removals: all.some(({ removals }) => removals),
    areShort: all.every(({ areShort }) => areShort),
  };
}

function partOf(extents: Extents): Part {
  return { words: extentWords(extents), extents, rows: null };
}

/** The slots of the extents. */
export function* slotsOf(extents: Extents): Iterable<number> {
  for (let i = 0; i < extents.length; i += wordsPerExtent) yield extents[i]!;
}
