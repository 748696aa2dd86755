import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { shareOut } from './run-on-threads.ts';

const { signal } = new AbortController();

describe('shareOut', () => {
  it('does all jobs on all threads, and what is in turn in their order', async () => {
    const jobs = Array.from({ length: 40 }, (_, i) => i);
    const threads = new Set<number>();
    const turns: number[] = [];
    await shareOut(jobs, 3, signal, async (job, thread, inTurn) => {
      threads.add(thread);
      await sleep((job * 7) % 5);
      await inTurn(() => turns.push(job));
    });
    expect(turns).toEqual(jobs);
    expect([...threads].sort()).toEqual([0, 1, 2]);
  });

  it('waits for what is under way before it throws, and begins nothing more', async () => {
    let begun = 0;
    let ended = 0;
    const sharing = shareOut(Array(100).fill(0), 2, signal, async (_, __, inTurn) => {
      const job = ++begun;
      if (job === 3) throw new Error('the third fails');
      await sleep(10);
      await inTurn(() => {}).catch(() => {});
      ended++;
    });
    await expect(sharing).rejects.toThrow('the third fails');
    expect(begun).toBe(4);
    expect(ended).toBe(3);
  });

  it('takes jobs that are made while others are done', async () => {
    async function* made() {
      for (let job = 0; job < 20; job++) {
        await sleep(job % 3);
        yield job;
      }
    }
    const turns: number[] = [];
    await shareOut(made(), 2, signal, async (job, _, inTurn) => {
      await sleep((job * 7) % 5);
      await inTurn(() => turns.push(job));
    });
    expect(turns).toEqual(Array.from({ length: 20 }, (_, i) => i));
  });

  it('throws what making the jobs throws', async () => {
    async function* failing() {
      yield 1;
      throw new Error('no more');
    }
    const done: number[] = [];
    const sharing = shareOut(failing(), 2, signal, async (job) => void done.push(job));
    await expect(sharing).rejects.toThrow('no more');
    expect(done).toEqual([1]);
  });

  it('stops between jobs when told to', async () => {
    const controller = new AbortController();
    let begun = 0;
    const sharing = shareOut(Array(100).fill(0), 1, controller.signal, async () => {
      if (++begun === 5) controller.abort(new Error('stopped'));
      await sleep(1);
    });
    await expect(sharing).rejects.toThrow('stopped');
    expect(begun).toBeLessThan(8);
  });
});
