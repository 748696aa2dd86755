import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { nextTurn } from './turns.ts';

/** Counts the turns of the event loop until it is stopped. */
function countTurns() {
  let turns = 0;
  let isStopped = false;
  void (async () => {
    while (!isStopped) {
      await setImmediate();
      turns += 1;
    }
  })();
  return {
    soFar: () => turns,
    [Symbol.dispose]() {
      isStopped = true;
    },
  };
}

test('long work of several callers never shares a turn of the event loop', async () => {
  using turns = countTurns();
  const seen: number[] = [];
  const work = async () => {
    for (let part = 0; part < 10; part++) {
      await nextTurn();
      seen.push(turns.soFar());
    }
  };
  await Promise.all([work(), work(), work()]);
  expect(seen).toHaveLength(30);
  expect(new Set(seen).size).toBe(30);
});

test('callers take turns in the order in which they asked', async () => {
  const order: string[] = [];
  const work = async (name: string) => {
    for (let part = 0; part < 3; part++) {
      await nextTurn();
      order.push(name);
    }
  };
  await Promise.all([work('a'), work('b')]);
  expect(order.join('')).toBe('ababab');
});

test('a turn is over after a while', async () => {
  const turn = await nextTurn();
  const begun = performance.now();
  while (!turn.isOver()) expect(performance.now() - begun).toBeLessThan(1_000);
});
