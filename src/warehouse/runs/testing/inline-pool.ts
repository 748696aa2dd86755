import type { Tasks } from '../../../threads/serve-tasks.ts';
import type { ThreadPool } from '../../../threads/thread-pool.ts';

/** A pool whose threads are this one, so that coverage sees what their tasks do. */
export function createInlinePool<T extends Tasks>(
  size: number,
  createTasks: () => T,
): ThreadPool<T> {
  const threads = Array.from({ length: size }, createTasks);
  return {
    size,
    async run(name, input, { thread = 0 } = {}) {
      await new Promise(setImmediate);
      // Copied as between threads, so that nothing passes here that would not pass there.
      return (await threads[thread]![name]!(structuredClone(input))) as never;
    },
    async [Symbol.asyncDispose]() {},
  };
}
