import { codeOf, messageOf } from '../../../domain/errors.ts';
import type { RowBatch } from '../../../domain/row-batch.ts';
import type { Manifest } from '../../../records/warehouse/manifest.ts';
import type { RunFiles } from '../../../records/warehouse/run-files.ts';
import { type Load, type LoadAttempt, WarehouseFull } from '../../port.ts';
import { firstBits } from '../devices/bit-window.ts';
import type { RunOpener } from '../file/run-opener.ts';
import { createHeldRows } from './row-buffer.ts';
import type { BlockArena } from './memory/block-arena.ts';
import { createLoadRoom } from './memory/scratch-space.ts';
import {
  createRowScatter,
  type LoadThreads,
  type RowParts,
  type RowScatter,
  slotsOf,
} from './parallel-scatter.ts';
import { stageRows } from './stage.ts';
import { createStagedFile } from './staged-file.ts';

export interface LoadDependencies {
  readonly directory: string;
  readonly manifest: Pick<Manifest, 'runsOf'>;
  readonly runFiles: Pick<RunFiles, 'announce'>;
  readonly threads: LoadThreads;
  readonly arena: BlockArena;
  readonly opener: RunOpener;
  readonly maxPartWords: number;
}

/** Rows of so many blocks are kept together: a small load is sorted at once, as one part. */
const fewBlocks = 8;

export function beginLoad(deps: LoadDependencies, { jobId, attempt, load = 0 }: LoadAttempt): Load {
  const { directory, threads, arena } = deps;
  const room = createLoadRoom(arena, directory);
  const underWay = new Set<Promise<unknown>>();
  const held = createHeldRows(room);
  let scatter: Promise<RowScatter> | undefined;

  async function scatterHeld(): Promise<RowScatter> {
    const handle = await room.handleWithFile();
    const into = createRowScatter(threads, room, handle, firstBits);
    try {
      const { parts, areShort } = held.finish();
      for (const { extents } of parts) {
        await into.addAgain(extents, areShort, 0);
        room.give(slotsOf(extents));
      }
      return into;
    } catch (error) {
      await into.forget();
      throw error;
    }
  }

  async function add(batch: RowBatch): Promise<void> {
    try {
      const words = held.words + batch.words.length;
      if (!scatter && words <= fewBlocks * arena.blockWords) return held.add(batch);
      scatter ??= scatterHeld();
      await (await scatter).add(batch);
    } finally {
      batch.release();
    }
  }

  async function finishScatter(): Promise<RowParts> {
    return scatter ? (await scatter).finish() : held.finish();
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
    stage: (meaning, signal) =>
      tracked(
        (async () => {
          signal.throwIfAborted();
          const file = `job-${jobId}-${attempt}${load === 0 ? '' : `-${load}`}.parquet`;
          const announce = () => deps.runFiles.announce({ file, jobId, attempt });
          await using staged = createStagedFile({ directory, file, announce });
          const runsOf = (ids: readonly number[]) => deps.manifest.runsOf(ids);
          const options = { ...deps, room, file: staged, meaning, signal, runsOf };
          return await stageRows(options, await finishScatter());
        })(),
      ),
    async [Symbol.asyncDispose]() {
      await Promise.allSettled(underWay);
      await (await scatter?.catch(() => undefined))?.forget();
      await room[Symbol.asyncDispose]();
    },
  };
}

const fullDisk = new Set(['ENOSPC', 'EDQUOT']);

function asFull(error: unknown): unknown {
  if (!fullDisk.has(codeOf(error) ?? '')) return error;
  return new WarehouseFull(`the disk of the warehouse is full: ${messageOf(error)}`, {
    cause: error,
  });
}
