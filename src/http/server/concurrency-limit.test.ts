import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { limitConcurrency } from './concurrency-limit.ts';

it('never does more at a time, and all of it in the end, in order, whatever fails', async () => {
  const inTurn = limitConcurrency(2);
  const begun: number[] = [];
  let running = 0;
  let most = 0;
  const outcomes = await Promise.allSettled(
    Array.from({ length: 9 }, (_, index) =>
      inTurn(async () => {
        begun.push(index);
        running += 1;
        most = Math.max(most, running);
        await sleep(5);
        running -= 1;
        if (index % 4 === 1) throw new Error('failed');
        return index;
      }),
    ),
  );
  expect(most).toBe(2);
  expect(begun).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
  expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(2);
  expect(await inTurn(async () => 'free again')).toBe('free again');
});
