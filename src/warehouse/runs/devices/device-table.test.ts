import { describe, expect, it } from 'vitest';
import { createLookupQueue } from '../sets/lookup-queue.ts';
import { shapes } from '../sets/testing/shapes.ts';
import { wordsOfHex } from '../testing/rows.ts';
import { findHeld, maxLookups, newTableMemory, positionOf, tableOf } from './device-table.ts';
import { wordsPerDevice } from './device-words.ts';

function devicesOf(shape: (number: number) => string, numbers: readonly number[]): Uint32Array {
  return wordsOfHex(numbers.map(shape).sort().join(''));
}

function every(step: number, end: number): number[] {
  return Array.from({ length: Math.ceil(end / step) }, (_, i) => i * step);
}

describe.each(Object.entries(shapes))('a table of devices %s', (_, shape) => {
  const numbers = every(2, 60_000);
  const devices = devicesOf(shape, numbers);
  const memory = newTableMemory();
  const table = tableOf(memory, devices, numbers.length);
  const found = new Uint32Array(maxLookups);

  it('finds exactly the devices it holds, with their positions', () => {
    const some = devicesOf(shape, every(3, 12_000));
    const held = findHeld(table, some, 0, some.length, found);
    expect(held).toBe(2_000);
    const positions = [...found.subarray(0, held)].map((slot) => positionOf(table, slot));
    const at = (words: Uint32Array, position: number) =>
      words.subarray(position * wordsPerDevice, (position + 1) * wordsPerDevice).join();
    const expected = new Set(every(6, 12_000).map((number) => wordsOfHex(shape(number)).join()));
    expect(new Set(positions.map((position) => at(devices, position)))).toEqual(expected);
  });

  it('counts queued devices the same as devices looked up one by one', () => {
    const counts = new Uint32Array(2);
    const queue = createLookupQueue();
    queue.begin(table, counts);
    const [evens, all] = [devicesOf(shape, every(4, 12_000)), devicesOf(shape, every(1, 4_000))];
    // More than fit in the queue at a time.
    for (let round = 0; round < 30; round++) {
      queue.add(0, evens, 0, evens.length);
      queue.add(1, all, wordsPerDevice, all.length);
    }
    queue.finish();
    const first = findHeld(table, all, 0, wordsPerDevice, found);
    expect([...counts]).toEqual([30 * 3_000, 30 * (2_000 - first)]);
  });

  it('leaves no devices behind in memory that the next table reuses', () => {
    const few = devicesOf(shape, [1, 3, 5]);
    const next = tableOf(memory, few, 3);
    const before = devices.slice(0, maxLookups * wordsPerDevice);
    expect(findHeld(next, before, 0, before.length, found)).toBe(0);
    expect(findHeld(next, few, 0, few.length, found)).toBe(3);
  });
});

describe('tableOf', () => {
  it('uses an ordered hash for evenly distributed devices, and a mixed one for clusters', () => {
    const isMixed = (shape: (number: number) => string) => {
      const devices = devicesOf(shape, every(1, 50_000));
      return tableOf(newTableMemory(), devices, 50_000).hash.isMixed;
    };
    for (const name of ['evenly spread', 'random UUIDs', 'with 60 bits in common']) {
      expect([name, isMixed(shapes[name]!)]).toEqual([name, false]);
    }
    expect(isMixed(shapes['in a few clusters']!)).toBe(true);
  });

  it('of no devices holds none, not even the all-zero device', () => {
    const table = tableOf(newTableMemory(), new Uint32Array(0), 0);
    expect(findHeld(table, new Uint32Array(4), 0, 4, new Uint32Array(1))).toBe(0);
  });
});
