import { expect, test } from 'vitest';
import { inSlices } from './suppression-rows.ts';

test('the event loop turns between two slices of devices', async () => {
  let turns = 0;
  const slices: [number, number[]][] = [];
  setImmediate(() => {
    turns += 1;
  });
  for await (const slice of inSlices(Uint32Array.of(1, 2, 3, 4, 5), 2)) {
    slices.push([turns, [...slice]]);
    setImmediate(() => {
      turns += 1;
    });
  }
  expect(slices).toEqual([
    [0, [1, 2]],
    [2, [3, 4]],
    [3, [5]],
  ]);
});
