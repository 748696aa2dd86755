import {
  checkWhileWriting,
  type DiskReserve,
  type SpaceCheck,
} from '../../../domain/disk-reserve.ts';
import { codeOf, messageOf, TributaryError } from '../../../domain/errors.ts';
import type { RowBatch } from '../../../domain/row-batch.ts';
import { LoadTooLarge } from '../../port.ts';
import { initialWindow } from '../devices/bit-window.ts';
import type { BlockArena } from './memory/block-arena.ts';
import { createScratchSpace, type ScratchSpace } from './memory/scratch-space.ts';
import {
  createParallelScatter,
  type LoadThreads,
  type ParallelScatter,
  type RowParts,
  slotsOf,
} from './parallel-scatter.ts';
import { createRowBuffer } from './row-buffer.ts';

export interface GatherOptions {
  /** Gets a spill file if the rows do not fit in memory. */
  readonly directory: string;
  readonly threads: LoadThreads;
  readonly arena: BlockArena;
  readonly reserve: DiskReserve;
  readonly mustBeSmall: boolean;
}

/** All rows of a load, scattered into parts and not sorted yet. */
export interface GatheredRows {
  readonly rows: RowParts;
  readonly scratch: ScratchSpace;
  readonly checkSpace: SpaceCheck;
  /** Few rows, in one part. The threads of small loads are enough for them. */
  readonly isSmall: boolean;
}

/** A load of up to this many blocks is not scattered, but sorted as one part. */
const maxBufferedBlocks = 8;

/** Rows that are gathered in bounded memory, and spilled to disk beyond it. */
export interface Gathering extends AsyncDisposable {
  /** Adds the rows and releases the batch. Calls may overlap. */
  add(batch: RowBatch): Promise<void>;
  /** Passes on all rows. Called once, after the last `add`. */
  finish<T>(work: (gathered: GatheredRows) => Promise<T>): Promise<T>;
}

export function gatherRows({
  directory,
  threads,
  arena,
  reserve,
  mustBeSmall,
}: GatherOptions): Gathering {
  const scratch = createScratchSpace(arena, directory);
  const underWay = new Set<Promise<unknown>>();
  const buffer = createRowBuffer(scratch);
  const checkSpace = checkWhileWriting(reserve, 'data');
  let scatter: Promise<ParallelScatter> | undefined;

  async function scatterBuffered(): Promise<ParallelScatter> {
    const handle = await scratch.handleWithSpillFile();
    const into = createParallelScatter(threads, scratch, handle, initialWindow);
    try {
      const { parts, areShort } = buffer.finish();
      for (const { extents } of parts) {
        await into.addExtents(extents, areShort, 0);
        scratch.release(slotsOf(extents));
      }
      return into;
    } catch (error) {
      await into.discard();
      throw error;
    }
  }

  async function add(batch: RowBatch): Promise<void> {
    try {
      const checked = checkSpace(batch.words.byteLength);
      if (checked) await checked;
      const words = buffer.words + batch.words.length;
      if (!scatter && words <= maxBufferedBlocks * arena.blockWords) return buffer.add(batch);
      if (mustBeSmall)
        throw new LoadTooLarge('the rows do not fit into the buffer of a small load');
      scatter ??= scatterBuffered();
      await (await scatter).add(batch);
    } finally {
      batch.release();
    }
  }

  async function finish(): Promise<GatheredRows> {
    const rows = scatter ? await (await scatter).finish() : buffer.finish();
    return { rows, scratch, checkSpace, isSmall: !scatter };
  }

  async function tracked<T>(work: Promise<T>): Promise<T> {
    underWay.add(work);
    try {
      return await work;
    } catch (error) {
      throw asFull(error);
    } finally {
      underWay.delete(work);
    }
  }

  return {
    add: (batch) => tracked(add(batch)),
    finish: (work) => tracked(finish().then(work)),
    async [Symbol.asyncDispose]() {
      await Promise.allSettled(underWay);
      await (await scatter?.catch(() => undefined))?.discard();
      await scratch[Symbol.asyncDispose]();
    },
  };
}

const fullDisk = new Set(['ENOSPC', 'EDQUOT']);

function asFull(error: unknown): unknown {
  if (!fullDisk.has(codeOf(error) ?? '')) return error;
  return new TributaryError('storage_full', `The warehouse disk is full: ${messageOf(error)}`, {
    cause: error,
  });
}
