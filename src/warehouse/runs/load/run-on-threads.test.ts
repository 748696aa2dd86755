import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { runOnThreads } from './run-on-threads.ts';

const { signal } = new AbortController();

describe('runOnThreads', () => {
  it('runs tasks on all threads, and their ordered steps in order', async () => {
    const tasks = Array.from({ length: 40 }, (_, i) => i);
    const threads = new Set<number>();
    const turns: number[] = [];
    await runOnThreads(tasks, 3, signal, async (task, thread, inOrder) => {
      threads.add(thread);
      await sleep((task * 7) % 5);
      await inOrder(() => turns.push(task));
    });
    expect(turns).toEqual(tasks);
    expect([...threads].sort()).toEqual([0, 1, 2]);
  });

  it('waits for running tasks before it throws, and starts no more', async () => {
    let begun = 0;
    let ended = 0;
    const running = runOnThreads(Array(100).fill(0), 2, signal, async (_, __, inOrder) => {
      const task = ++begun;
      if (task === 3) throw new Error('the third fails');
      await sleep(10);
      await inOrder(() => {}).catch(() => {});
      ended++;
    });
    await expect(running).rejects.toThrow('the third fails');
    expect(begun).toBe(4);
    expect(ended).toBe(3);
  });

  it('accepts tasks that are generated while others run', async () => {
    async function* made() {
      for (let task = 0; task < 20; task++) {
        await sleep(task % 3);
        yield task;
      }
    }
    const turns: number[] = [];
    await runOnThreads(made(), 2, signal, async (task, _, inOrder) => {
      await sleep((task * 7) % 5);
      await inOrder(() => turns.push(task));
    });
    expect(turns).toEqual(Array.from({ length: 20 }, (_, i) => i));
  });

  it('throws an error of the task generator', async () => {
    async function* failing() {
      yield 1;
      throw new Error('no more');
    }
    const done: number[] = [];
    const running = runOnThreads(failing(), 2, signal, async (task) => void done.push(task));
    await expect(running).rejects.toThrow('no more');
    expect(done).toEqual([1]);
  });

  it('stops between tasks when aborted', async () => {
    const controller = new AbortController();
    let begun = 0;
    const running = runOnThreads(Array(100).fill(0), 1, controller.signal, async () => {
      if (++begun === 5) controller.abort(new Error('stopped'));
      await sleep(1);
    });
    await expect(running).rejects.toThrow('stopped');
    expect(begun).toBeLessThan(8);
  });
});
