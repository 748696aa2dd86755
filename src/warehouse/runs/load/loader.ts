import { createThreadPool } from '../../../threads/thread-pool.ts';
import type { Load, LoadAttempt } from '../../port.ts';
import { createRunOpener } from '../file/run-opener.ts';
import { beginLoad, type LoadDependencies } from './load.ts';
import type { LoadTasks } from './tasks/load-tasks.ts';
import { type BlockArena, createBlockArena } from './memory/block-arena.ts';

/** What begins the loads of a process; they share its threads and its memory. */
export interface Loader extends AsyncDisposable {
  beginLoad(attempt: LoadAttempt): Load;
}

export interface LoaderOptions
  extends Pick<LoadDependencies, 'directory' | 'manifest' | 'runFiles'> {
  readonly threads: number;
  /** What rows of all loads together take in memory; the rest goes to disk. */
  readonly memoryBytes: number;
}

/** A part that is sorted at once takes, with all that is made of it, up to ten times its size. */
const partsOfMemory = 48;

export function createLoader(options: LoaderOptions): Loader {
  const { directory, manifest, runFiles, memoryBytes } = options;
  const program = new URL('./tasks/load-thread.ts', import.meta.url);
  const pool = createThreadPool<LoadTasks>(program, options.threads);
  let names = 0;
  let arena: BlockArena | undefined;
  const deps = {
    directory,
    manifest,
    runFiles,
    threads: { pool, nextName: () => names++ },
    opener: createRunOpener(directory, (input) => pool.run('readIndexes', input)),
    maxPartWords: memoryBytes / Uint32Array.BYTES_PER_ELEMENT / partsOfMemory,
  };
  return {
    beginLoad(attempt) {
      // Not before, for processes that only ask whether the warehouse is ready.
      arena ??= createBlockArena(memoryBytes, options.threads);
      return beginLoad({ ...deps, arena }, attempt);
    },
    [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose](),
  };
}
