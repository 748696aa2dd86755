import { randomBytes } from 'node:crypto';
import type { Load, LoadAttempt, Warehouse } from '../../port.ts';
import { createDigestTables } from '../digests/digest-tables.ts';
import { createRunOpener, reportRemovedRuns } from '../file/run-opener.ts';
import { createFindSuppressed } from './find-suppressed.ts';
import { beginLoad, type LoadDependencies } from './load.ts';
import { createLoadMemory } from './load-memory.ts';
import type { LoaderThreads } from './loader-threads.ts';
import type { ArenaOptions } from './memory/block-arena.ts';

/** Begins the loads of a process, which share its threads and memory. */
export interface Loader {
  beginLoad(attempt: LoadAttempt): Load;
  readonly findSuppressed: Warehouse['findSuppressed'];
}

export interface LoaderOptions
  extends Pick<LoadDependencies, 'directory' | 'manifest' | 'runFiles' | 'reserve'>,
    Omit<ArenaOptions, 'threads'> {
  readonly threads: LoaderThreads;
}

/**
 * A database that is restored from an older backup gives job ids again. The random part keeps such a
 * job from replacing the file of the earlier one.
 */
function nameFile({ jobId, attempt }: LoadAttempt): string {
  const owner = jobId === null ? 'load' : `job-${jobId}-${attempt}`;
  return `${owner}-${randomBytes(4).toString('hex')}.parquet`;
}

export function createLoader(options: LoaderOptions): Loader {
  const { directory, manifest, runFiles, reserve } = options;
  const { pool, smallPool, nextId } = options.threads;
  const { maxPartWords, arena } = createLoadMemory({ ...options, threads: pool.size });
  const deps = {
    directory,
    manifest,
    runFiles,
    reserve,
    nameFile,
    threads: { pool, nextId },
    smallPool,
    opener: createRunOpener(directory, (input) => smallPool.run('readIndexes', input)),
    digestTables: createDigestTables((input) => pool.run('fillDigestTable', input)),
    maxPartWords,
  };
  return {
    findSuppressed: createFindSuppressed({ ...deps, pool: reportRemovedRuns(smallPool) }),
    beginLoad: (attempt) => beginLoad({ ...deps, arena: arena() }, attempt),
  };
}
