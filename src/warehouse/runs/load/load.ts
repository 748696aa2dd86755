import type { DiskReserve } from '../../../domain/disk-reserve.ts';
import type { Manifest } from '../../../records/warehouse/manifest.ts';
import type { RunFiles } from '../../../records/warehouse/run-files.ts';
import type { ThreadPool } from '../../../threads/thread-pool.ts';
import type { Load, LoadAttempt, LoadMeaning, StagedLoad } from '../../port.ts';
import type { DigestTables } from '../digests/digest-tables.ts';
import { type RunOpener, reportRemovedRuns } from '../file/run-opener.ts';
import { type GatheredRows, gatherRows } from './gather-rows.ts';
import type { BlockArena } from './memory/block-arena.ts';
import type { LoadThreads } from './parallel-scatter.ts';
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

/** A load whose runs go to a file. */
export function beginLoad(deps: LoadDependencies, loadAttempt: LoadAttempt): Load {
  const { jobId, attempt, mustBeSmall = false } = loadAttempt;
  const { directory } = deps;
  const threads = { ...deps.threads, pool: reportRemovedRuns(deps.threads.pool) };
  const gathering = gatherRows({ ...deps, threads, mustBeSmall });

  async function stage(
    { rows, isSmall, scratch, checkSpace }: GatheredRows,
    meaning: LoadMeaning,
    signal: AbortSignal,
  ): Promise<StagedLoad> {
    const file = deps.nameFile(loadAttempt);
    const register = () => deps.runFiles.register({ file, jobId, attempt });
    await using staged = createStagedFile({ directory, file, register });
    const runsOf = (ids: readonly number[]) => deps.manifest.runsOf(ids);
    const pool = isSmall ? reportRemovedRuns(deps.smallPool) : threads.pool;
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
    return await stageRows(options, rows);
  }

  return {
    add: gathering.add,
    async stage(meaning, signal) {
      signal.throwIfAborted();
      return await gathering.finish((gathered) => stage(gathered, meaning, signal));
    },
    [Symbol.asyncDispose]: () => gathering[Symbol.asyncDispose](),
  };
}
