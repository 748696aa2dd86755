import { createThreadPool, type ThreadPool } from '../../../threads/thread-pool.ts';
import type { LoadTasks } from './tasks/load-tasks.ts';

/** The threads of one or more loaders in a process. They start when first needed. */
export interface LoaderThreads<T extends LoadTasks = LoadTasks> extends AsyncDisposable {
  readonly pool: ThreadPool<T>;
  /** Runs the tasks of small loads, which then do not wait for the tasks of large ones. */
  readonly smallPool: ThreadPool<T>;
  /** Identifies what a load keeps on the threads. */
  nextId(): number;
}

/** The programs of the threads, for loads of any size and for small ones. */
interface Programs {
  readonly large: URL;
  readonly small: URL;
}

const ofRunFiles: Programs = {
  large: new URL('./tasks/load-thread.ts', import.meta.url),
  small: new URL('./tasks/small-load-thread.ts', import.meta.url),
};

export function createLoaderThreads<T extends LoadTasks = LoadTasks>(
  size: number,
  programs = ofRunFiles,
): LoaderThreads<T> {
  const pool = createThreadPool<T>(programs.large, size);
  const smallPool = createThreadPool<T>(programs.small, 1);
  let ids = 0;
  return {
    pool,
    smallPool,
    nextId: () => ids++,
    async [Symbol.asyncDispose]() {
      await Promise.all([pool, smallPool].map((some) => some[Symbol.asyncDispose]()));
    },
  };
}
