import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SampleTasks } from './testing/sample-thread.ts';
import { createThreadPool, type ThreadPool } from './thread-pool.ts';

describe('a thread pool', () => {
  let pool: ThreadPool<SampleTasks>;

  beforeEach(() => {
    pool = createThreadPool<SampleTasks>(new URL('./testing/sample-thread.ts', import.meta.url), 2);
  });
  afterEach(() => pool[Symbol.asyncDispose]());

  test('returns the result of each task, synchronous or not', async () => {
    const doubled = await Promise.all([1, 2, 3, 4, 5].map((number) => pool.run('double', number)));
    expect(doubled).toEqual([2, 4, 6, 8, 10]);
    expect(await pool.run('later', 3)).toBe(3);
  });

  test('runs as many tasks at once as it has threads', async () => {
    const seen = await Promise.all([1, 2].map((number) => pool.run('remember', number)));
    expect(new Set(seen.map(({ thread }) => thread)).size).toBe(2);
  });

  test('runs tasks for a given thread there, in the order of the calls', async () => {
    const one = await Promise.all([1, 2, 3].map((n) => pool.run('remember', n, { thread: 1 })));
    expect(one.map(({ remembered }) => remembered)).toEqual([[1], [1, 2], [1, 2, 3]]);
    expect((await pool.run('remember', 9, { thread: 0 })).remembered).toEqual([9]);
  });

  test('runs one task at a time on a thread, even if others wait', async () => {
    const later = [1, 2, 3].map((number) => pool.run('later', number, { thread: 0 }));
    const { remembered } = await pool.run('remember', 4, { thread: 0 });
    expect(remembered).toEqual([1, 2, 3, 4]);
    expect(await Promise.all(later)).toEqual([1, 2, 3]);
  });

  test('refuses a thread number out of range', async () => {
    await expect(pool.run('double', 1, { thread: 2 })).rejects.toThrow(
      'no thread 2: the pool has 2',
    );
  });

  test('moves memory in both directions without copying it', async () => {
    const { filled } = await pool.run('fill', 1_000);
    expect(filled.every((word) => word === 7)).toBe(true);
    const input = new Uint8Array(8);
    await pool.run('double', 1, { transfer: [input.buffer] });
    expect(input.byteLength).toBe(0);
  });

  test('passes on the error of a task with its code and detail', async () => {
    const failure = pool.run('fail', 'ENOSPC');
    await expect(failure).rejects.toMatchObject({
      message: 'the disk is full',
      code: 'ENOSPC',
      detail: { file: 'a' },
    });
    expect(await pool.run('double', 4)).toBe(8);
  });

  test('fails a task that cannot be sent and continues with the next', async () => {
    const unsendable = Symbol('not for another thread') as unknown as number;
    const sent = pool.run('double', unsendable, { thread: 0 });
    const next = pool.run('double', 2, { thread: 0 });
    await expect(sent).rejects.toThrow('could not be cloned');
    expect(await next).toBe(4);
  });

  test('fails the task of a thread that exits and continues in a new thread', async () => {
    const ended = pool.run('end', 3, { thread: 0 });
    const next = pool.run('remember', 5, { thread: 0 });
    await expect(ended).rejects.toThrow('a thread exited with code 3');
    expect((await next).remembered).toEqual([5]);
  });

  test('keeps waiting tasks and their order if their thread exits', async () => {
    const ended = pool.run('end', 3, { thread: 0 });
    const next = [1, 2, 3, 4].map((number) => pool.run('remember', number, { thread: 0 }));
    await expect(ended).rejects.toThrow('a thread exited with code 3');
    expect((await Promise.all(next)).at(-1)?.remembered).toEqual([1, 2, 3, 4]);
  });

  test('fails running and waiting tasks when it is stopped', async () => {
    const outcomes = Promise.allSettled([
      pool.run('forever', undefined, { thread: 0 }),
      pool.run('double', 1, { thread: 0 }),
    ]);
    await pool.run('double', 1, { thread: 1 });
    await pool[Symbol.asyncDispose]();
    expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await expect(pool.run('double', 1)).rejects.toThrow('the thread pool was stopped');
  });
});
