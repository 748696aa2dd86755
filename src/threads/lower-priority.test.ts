import { getPriority } from 'node:os';
import { expect, test } from 'vitest';
import type { SampleTasks } from './testing/sample-thread.ts';
import { createThreadPool } from './thread-pool.ts';

test.runIf(process.platform === 'linux')('a thread lowers its own priority only', async () => {
  const program = new URL('./testing/sample-thread.ts', import.meta.url);
  await using pool = createThreadPool<SampleTasks>(program, 2);
  const priority = getPriority();
  const lower = Math.min(priority + 10, 19);
  expect(await pool.run('lowerPriority', undefined, { thread: 0 })).toBe(lower);
  expect(await pool.run('priority', undefined, { thread: 0 })).toBe(lower);
  expect(await pool.run('priority', undefined, { thread: 1 })).toBe(priority);
  expect(getPriority()).toBe(priority);
});
