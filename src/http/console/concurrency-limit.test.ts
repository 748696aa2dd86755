import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { limitConcurrency } from './concurrency-limit.ts';

it('runs all tasks in order, never more than the limit at a time, even if some fail', async () => {
  const run = limitConcurrency(2);
  const begun: number[] = [];
  let running = 0;
  let maximum = 0;
  const outcomes = await Promise.allSettled(
    Array.from({ length: 9 }, (_, index) =>
      run(async () => {
        begun.push(index);
        running += 1;
        maximum = Math.max(maximum, running);
        await sleep(5);
        running -= 1;
        if (index % 4 === 1) throw new Error('failed');
        return index;
      }),
    ),
  );
  expect(maximum).toBe(2);
  expect(begun).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
  expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(2);
  expect(await run(async () => 'free again')).toBe('free again');
});
