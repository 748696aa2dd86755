import { randomBytes } from 'node:crypto';
import { createThreadPool } from '../../../threads/thread-pool.ts';
import type { Load, LoadAttempt, Warehouse } from '../../port.ts';
import { createDigestTables } from '../digests/digest-tables.ts';
import { createRunOpener, reportRemovedRuns } from '../file/run-opener.ts';
import { createFindSuppressed } from './find-suppressed.ts';
import { beginLoad, type LoadDependencies } from './load.ts';
import {
  type ArenaOptions,
  type BlockArena,
  createBlockArena,
  planArena,
} from './memory/block-arena.ts';
import type { LoadTasks } from './tasks/load-tasks.ts';

/** Begins the loads of a process, which share its threads and memory. */
export interface Loader extends AsyncDisposable {
  beginLoad(attempt: LoadAttempt): Load;
  readonly findSuppressed: Warehouse['findSuppressed'];
}

export interface LoaderOptions
  extends Pick<LoadDependencies, 'directory' | 'manifest' | 'runFiles' | 'reserve'>,
    ArenaOptions {}

/** Sorting a part takes up to ten times its size, so a part may use only this fraction of the memory. */
const largestPartFraction = 1 / 48;

/**
 * A database that is restored from an older backup gives job ids again. The random part keeps such a
 * job from replacing the file of the earlier one.
 */
function nameFile({ jobId, attempt }: LoadAttempt): string {
  const owner = jobId === null ? 'load' : `job-${jobId}-${attempt}`;
  return `${owner}-${randomBytes(4).toString('hex')}.parquet`;
}

export function createLoader(options: LoaderOptions): Loader {
  const { directory, manifest, runFiles, memoryBytes, reserve } = options;
  planArena(options);
  const program = new URL('./tasks/load-thread.ts', import.meta.url);
  const pool = createThreadPool<LoadTasks>(program, options.threads);
  const smallProgram = new URL('./tasks/small-load-thread.ts', import.meta.url);
  const smallPool = createThreadPool<LoadTasks>(smallProgram, 1);
  let ids = 0;
  let arena: BlockArena | undefined;
  const deps = {
    directory,
    manifest,
    runFiles,
    reserve,
    nameFile,
    threads: { pool, nextId: () => ids++ },
    smallPool,
    opener: createRunOpener(directory, (input) => smallPool.run('readIndexes', input)),
    digestTables: createDigestTables((input) => pool.run('fillDigestTable', input)),
    maxPartWords: (memoryBytes / Uint32Array.BYTES_PER_ELEMENT) * largestPartFraction,
  };
  return {
    findSuppressed: createFindSuppressed({ ...deps, pool: reportRemovedRuns(smallPool) }),
    beginLoad(attempt) {
      // Created late, because some processes only check whether the warehouse is ready.
      arena ??= createBlockArena(options);
      return beginLoad({ ...deps, arena }, attempt);
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([pool, smallPool].map((some) => some[Symbol.asyncDispose]()));
    },
  };
}
