import { setImmediate } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { createCallerShares } from './caller-shares.ts';

test('a caller takes its share, and the rest of its work waits in order', async () => {
  const shares = createCallerShares(2, 60_000);
  const entered: string[] = [];
  const enter = async (name: string) => {
    const leave = await shares.take('acme');
    entered.push(name);
    return leave;
  };
  const [first, second] = [await enter('first'), await enter('second')];
  const [third, fourth] = [enter('third'), enter('fourth')];
  await setImmediate();
  expect(entered).toEqual(['first', 'second']);
  (await shares.take('other'))();

  second();
  expect((await third) && entered).toEqual(['first', 'second', 'third']);
  first();
  expect((await fourth) && entered).toEqual(['first', 'second', 'third', 'fourth']);
  (await third)();
  (await fourth)();
  await Promise.all([enter('fifth'), enter('sixth')]);
});

test('work that waits too long is let in', async () => {
  const shares = createCallerShares(1, 10);
  const first = await shares.take('acme');
  const second = await shares.take('acme');
  second();
  first();
  await shares.take('acme');
});

test('a place that was added because of a long wait is not handed on', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const shares = createCallerShares(1, 1_000);
    const first = await shares.take('acme');
    const second = shares.take('acme');
    vi.advanceTimersByTime(1_000);
    const leaveSecond = await second;
    let hasThird = false;
    const third = shares.take('acme').then(() => {
      hasThird = true;
    });
    leaveSecond();
    await setImmediate();
    expect(hasThird).toBe(false);
    first();
    await third;
  } finally {
    vi.useRealTimers();
  }
});
