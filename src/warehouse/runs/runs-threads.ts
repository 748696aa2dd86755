import { createThreadPool, type ThreadPool } from '../../threads/thread-pool.ts';
import { createLoaderThreads, type LoaderThreads } from './load/loader-threads.ts';
import type { SetTasks } from './sets/set-tasks.ts';

/** The threads of one or more warehouses in a process. They start when first needed. */
export interface RunsThreads extends AsyncDisposable {
  readonly load: LoaderThreads;
  readonly sets: ThreadPool<SetTasks>;
}

export function createRunsThreads(size: number): RunsThreads {
  const load = createLoaderThreads(size);
  const program = new URL('./sets/sets-thread.ts', import.meta.url);
  const sets = createThreadPool<SetTasks>(program, size);
  return {
    load,
    sets,
    async [Symbol.asyncDispose]() {
      await Promise.all([load[Symbol.asyncDispose](), sets[Symbol.asyncDispose]()]);
    },
  };
}
