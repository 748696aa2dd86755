import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SampleTasks } from './testing/sample-thread.ts';
import { createThreadPool, type ThreadPool } from './thread-pool.ts';

describe('a pool of threads', () => {
  let pool: ThreadPool<SampleTasks>;

  beforeEach(() => {
    pool = createThreadPool<SampleTasks>(new URL('./testing/sample-thread.ts', import.meta.url), 2);
  });
  afterEach(() => pool[Symbol.asyncDispose]());

  test('gives each task its own result, at once or later', async () => {
    const doubled = await Promise.all([1, 2, 3, 4, 5].map((number) => pool.run('double', number)));
    expect(doubled).toEqual([2, 4, 6, 8, 10]);
    expect(await pool.run('later', 3)).toBe(3);
  });

  test('works on as many tasks at once as it has threads', async () => {
    const seen = await Promise.all([1, 2].map((number) => pool.run('remember', number)));
    expect(new Set(seen.map(({ thread }) => thread)).size).toBe(2);
  });

  test('does what is meant for one thread there, in the order of the calls', async () => {
    const one = await Promise.all([1, 2, 3].map((n) => pool.run('remember', n, { thread: 1 })));
    expect(one.map(({ remembered }) => remembered)).toEqual([[1], [1, 2], [1, 2, 3]]);
    expect((await pool.run('remember', 9, { thread: 0 })).remembered).toEqual([9]);
  });

  test('does one task at a time on a thread, though others wait there', async () => {
    const later = [1, 2, 3].map((number) => pool.run('later', number, { thread: 0 }));
    const { remembered } = await pool.run('remember', 4, { thread: 0 });
    expect(remembered).toEqual([1, 2, 3, 4]);
    expect(await Promise.all(later)).toEqual([1, 2, 3]);
  });

  test('refuses a thread that it does not have', async () => {
    await expect(pool.run('double', 1, { thread: 2 })).rejects.toThrow('there is no thread 2');
  });

  test('moves memory both ways without copying it', async () => {
    const { filled } = await pool.run('fill', 1_000);
    expect(filled.every((word) => word === 7)).toBe(true);
    const input = new Uint8Array(8);
    await pool.run('double', 1, { transfer: [input.buffer] });
    expect(input.byteLength).toBe(0);
  });

  test('hands on what a task throws, with its code', async () => {
    const failure = pool.run('fail', 'ENOSPC');
    await expect(failure).rejects.toMatchObject({ message: 'there is no room', code: 'ENOSPC' });
    expect(await pool.run('double', 4)).toBe(8);
  });

  test('fails a task that cannot be sent, and goes on with the next', async () => {
    const unsendable = Symbol('not for another thread') as unknown as number;
    const sent = pool.run('double', unsendable, { thread: 0 });
    const next = pool.run('double', 2, { thread: 0 });
    await expect(sent).rejects.toThrow('could not be cloned');
    expect(await next).toBe(4);
  });

  test('fails the task of a thread that ends, and goes on with another', async () => {
    const ended = pool.run('end', 3, { thread: 0 });
    const next = pool.run('remember', 5, { thread: 0 });
    await expect(ended).rejects.toThrow('a thread ended with code 3');
    expect((await next).remembered).toEqual([5]);
  });

  test('of what waits in a thread that ends nothing is lost, nor its order', async () => {
    const ended = pool.run('end', 3, { thread: 0 });
    const next = [1, 2, 3, 4].map((number) => pool.run('remember', number, { thread: 0 }));
    await expect(ended).rejects.toThrow('a thread ended with code 3');
    expect((await Promise.all(next)).at(-1)?.remembered).toEqual([1, 2, 3, 4]);
  });

  test('stopped, it ends what is under way and fails what waits', async () => {
    const outcomes = Promise.allSettled([
      pool.run('forever', undefined, { thread: 0 }),
      pool.run('double', 1, { thread: 0 }),
    ]);
    await pool.run('double', 1, { thread: 1 });
    await pool[Symbol.asyncDispose]();
    expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await expect(pool.run('double', 1)).rejects.toThrow('the threads were stopped');
  });
});
