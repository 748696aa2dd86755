import type { Tasks } from '../../../threads/serve-tasks.ts';
import type { ThreadPool } from '../../../threads/thread-pool.ts';

/** A pool that runs tasks in this thread, so that coverage includes them. */
export function createInlinePool<T extends Tasks>(
  size: number,
  createTasks: () => T,
): ThreadPool<T> {
  const threads = Array.from({ length: size }, createTasks);
  return {
    size,
    async run(name, input, { thread = 0 } = {}) {
      await new Promise(setImmediate);
      // Cloned as between threads, so that input that cannot be cloned fails here as well.
      return (await threads[thread]![name]!(structuredClone(input))) as never;
    },
    async [Symbol.asyncDispose]() {},
  };
}
