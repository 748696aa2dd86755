import { checkWhileWriting, type DiskReserve } from '../../../domain/disk-reserve.ts';
import { codeOf, messageOf, TributaryError } from '../../../domain/errors.ts';
import type { RowBatch } from '../../../domain/row-batch.ts';
import type { Manifest } from '../../../records/warehouse/manifest.ts';
import type { RunFiles } from '../../../records/warehouse/run-files.ts';
import type { ThreadPool } from '../../../threads/thread-pool.ts';
import { type Load, type LoadAttempt, LoadTooLarge } from '../../port.ts';
import { initialWindow } from '../devices/bit-window.ts';
import type { DigestTables } from '../digests/digest-tables.ts';
import { type RunOpener, reportRemovedRuns } from '../file/run-opener.ts';
import type { BlockArena } from './memory/block-arena.ts';
import { createScratchSpace } from './memory/scratch-space.ts';
import {
  createParallelScatter,
  type LoadThreads,
  type ParallelScatter,
  type RowParts,
  slotsOf,
} from './parallel-scatter.ts';
import { createRowBuffer } from './row-buffer.ts';
import { stageRows } from './stage.ts';
import { createStagedFile } from './staged-file.ts';
import type { LoadTasks } from './tasks/load-tasks.ts';

export interface LoadDependencies {
  readonly directory: string;
  readonly manifest: Pick<Manifest, 'runsOf'>;
  readonly runFiles: Pick<RunFiles, 'register'>;
  readonly threads: LoadThreads;
  /** Runs the tasks of small loads, which then do not wait for the tasks of large ones. */
  readonly smallPool: ThreadPool<LoadTasks>;
  readonly arena: BlockArena;
  readonly opener: RunOpener;
  readonly digestTables: DigestTables;
  readonly maxPartWords: number;
  nameFile(attempt: LoadAttempt): string;
  readonly reserve: DiskReserve;
}

/** A load of up to this many blocks is not scattered, but sorted as one part. */
const maxBufferedBlocks = 8;

export function beginLoad(deps: LoadDependencies, loadAttempt: LoadAttempt): Load {
  const { jobId, attempt, mustBeSmall = false } = loadAttempt;
  const { directory, arena } = deps;
  const threads = { ...deps.threads, pool: reportRemovedRuns(deps.threads.pool) };
  const scratch = createScratchSpace(arena, directory);
  const underWay = new Set<Promise<unknown>>();
  const buffer = createRowBuffer(scratch);
  const checkSpace = checkWhileWriting(deps.reserve, 'data');
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

  async function finishScatter(): Promise<RowParts> {
    return scatter ? (await scatter).finish() : buffer.finish();
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
          const file = deps.nameFile(loadAttempt);
          const register = () => deps.runFiles.register({ file, jobId, attempt });
          await using staged = createStagedFile({ directory, file, register });
          const runsOf = (ids: readonly number[]) => deps.manifest.runsOf(ids);
          const pool = scatter ? threads.pool : reportRemovedRuns(deps.smallPool);
          const options = {
            ...deps,
            threads: { ...threads, pool },
            allThreads: threads,
            scratch,
            file: staged,
            meaning,
            signal,
            runsOf,
            checkSpace,
          };
          return await stageRows(options, await finishScatter());
        })(),
      ),
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
