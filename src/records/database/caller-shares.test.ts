import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createCallerShares } from './caller-shares.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Shares of two places, and the names of the works in the order in which they got a place. */
function twoPlaces() {
  const shares = createCallerShares(2);
  const entered: string[] = [];
  async function enter(name: string, tenant = 'acme') {
    const leave = await shares.take({ tenant, places: 0 });
    entered.push(name);
    return leave;
  }
  return { shares, entered, enter };
}

test('a tenant takes its share, and the rest of its work waits in order', async () => {
  const { entered, enter } = twoPlaces();
  const [first, second] = [await enter('first'), await enter('second')];
  const [third, fourth] = [enter('third'), enter('fourth')];
  await setImmediate();
  expect(entered).toEqual(['first', 'second']);

  second();
  expect((await third) && entered).toEqual(['first', 'second', 'third']);
  first();
  expect((await fourth) && entered).toEqual(['first', 'second', 'third', 'fourth']);
  (await third)();
  (await fourth)();
  await Promise.all([enter('fifth'), enter('sixth')]);
});

test('beside another tenant it takes one place, which rests as long as it was used', async () => {
  const { entered, enter } = twoPlaces();
  (await enter('other', 'other'))();
  const first = await enter('first');
  const [second, third] = [enter('second'), enter('third')];
  await setImmediate();
  expect(entered).toEqual(['other', 'first']);

  vi.advanceTimersByTime(7);
  first();
  vi.advanceTimersByTime(6);
  await setImmediate();
  expect(entered).toEqual(['other', 'first']);
  vi.advanceTimersByTime(1);
  expect((await second) && entered).toEqual(['other', 'first', 'second']);

  // The last work in the queue takes long, but nothing waits for its place.
  (await second)();
  vi.advanceTimersByTime(1);
  const leaveThird = await third;
  vi.advanceTimersByTime(50);
  leaveThird();
  await enter('fourth');
});

test('a place rests for a tenth of a second at most', async () => {
  const { enter } = twoPlaces();
  (await enter('other', 'other'))();
  const first = await enter('first');
  const second = enter('second');
  vi.advanceTimersByTime(900);
  first();
  vi.advanceTimersByTime(100);
  await second;
});

test('a tenant has its whole share again ten seconds after the last request of another', async () => {
  const { entered, enter } = twoPlaces();
  (await enter('other', 'other'))();
  await enter('first');
  vi.advanceTimersByTime(10_000);
  await enter('second');
  expect(entered).toEqual(['other', 'first', 'second']);
});

test('a request that has a place gets another one beside other tenants', async () => {
  const { shares, enter } = twoPlaces();
  (await enter('other', 'other'))();
  const request = { tenant: 'acme', places: 0 };
  const leaveFirst = await shares.take(request);
  const leaveSecond = await shares.take(request);
  leaveSecond();
  leaveFirst();
  expect(request.places).toBe(0);
});

test('work that waits too long is let in, and its place is not handed on', async () => {
  const { entered, enter } = twoPlaces();
  const [first, second] = [await enter('first'), await enter('second')];
  const third = enter('third');
  vi.advanceTimersByTime(1_000);
  const leaveThird = await third;
  const fourth = enter('fourth');
  leaveThird();
  await setImmediate();
  expect(entered).toEqual(['first', 'second', 'third']);
  first();
  await fourth;
  second();
});
