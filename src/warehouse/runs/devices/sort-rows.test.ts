import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createBucketing } from '../load/tasks/buckets.ts';
import { hexOf, packRows, spreadDevice, wordsOfHex } from '../testing/rows.ts';
import { createRowSorter } from './sort-rows.ts';

const sorter = createRowSorter();
const bucketing = createBucketing();

/** The devices after sorting bucket by bucket, as for parts. Each row must keep its segments. */
function sorted(devices: readonly string[], areShort: boolean): string[] {
  const rows = devices.map((device, i) => ({
    device,
    names: areShort || i % 3 === 0 ? [i] : [i, i + 1],
  }));
  const cuts = [0, 0.2, 0.5, 1].map((share) => Math.floor(share * rows.length));
  const stretches = cuts.slice(1).map((end, i) => packRows(rows.slice(cuts[i], end)));
  const buckets = bucketing.divide(
    stretches.filter(({ length }) => length > 0),
    areShort,
  );
  expect(buckets.ends.at(-1)).toBe(devices.length);
  const found: string[] = [];
  let from = 0;
  for (const to of buckets.ends) {
    const ofBucket = buckets.positions.subarray(from, to);
    sorter.sort(buckets.rows, ofBucket, ofBucket.length, buckets.prefix);
    for (const at of ofBucket) {
      const [device] = hexOf(buckets.rows.subarray(at, at + 4));
      const header = buckets.rows[at + 4]! & 0x3fff_ffff;
      const number = buckets.rows[at + 4]! & 0x4000_0000 ? header : buckets.rows[at + 5]!;
      const own = devices[number];
      found.push(own === device ? device! : `${device} with what came with ${own}`);
    }
    from = to;
  }
  return found;
}

const digit = fc.constantFrom(...'0123456789abcdef');
const hex = (length: number) => fc.string({ unit: digit, minLength: length, maxLength: length });

describe('sorting rows', () => {
  it.each([
    ['random devices', hex(32)],
    ['a shared prefix', hex(2).map((end) => 'f'.repeat(30) + end)],
    ['a prefix that ends within a word', hex(9).map((end) => '7'.repeat(11) + end.padEnd(21, '0'))],
    ['a shared ending', hex(2).map((begin) => begin + '8'.repeat(30))],
    [
      'one differing digit in the middle',
      hex(1).map((one) => `${'7'.repeat(15)}${one}${'7'.repeat(16)}`),
    ],
    ['few distinct devices', fc.constantFrom('0'.repeat(32), 'f'.repeat(32), '80'.repeat(16))],
    ['digits far apart', fc.tuple(hex(1), hex(1)).map(([a, b]) => `${a}${'3'.repeat(30)}${b}`)],
  ])('agrees with a naive sort: %s', (_, device) => {
    fc.assert(
      fc.property(fc.array(device, { maxLength: 300 }), (devices) => {
        expect(sorted(devices, true)).toEqual(devices.toSorted());
        expect(sorted(devices, false)).toEqual(devices.toSorted());
      }),
    );
  });

  it.each([
    ['spread', spreadDevice],
    ['ascending', (i: number) => i.toString(16).padStart(32, '0')],
    ['descending', (i: number) => (99_999 - i).toString(16).padStart(32, '0')],
    ['equal', () => '7'.repeat(32)],
    [
      'clustered',
      (i: number) => `${i % 2 ? 'f' : '0'}${(i % 5000).toString(16).padStart(31, '0')}`,
    ],
    // Each pass separates a few devices and leaves the rest to the next one.
    ['nested', (i: number) => 'f'.repeat(i % 32).padEnd(31, '0') + (i % 7).toString(16)],
  ])('sorts 20,000 %s devices', (_, device) => {
    const devices = Array.from({ length: 20_000 }, (_, i) => device(i));
    expect(sorted(devices, true)).toEqual(devices.toSorted());
    expect(sorted(devices, false)).toEqual(devices.toSorted());
  });

  it('also sorts positions without buckets', () => {
    const devices = Array.from({ length: 10_000 }, (_, i) => spreadDevice(i % 6000));
    const rows = Uint32Array.from(devices.flatMap((device) => [...wordsOfHex(device), 0]));
    const positions = Uint32Array.from(devices, (_, i) => i * 5);
    sorter.sort(rows, positions, positions.length);
    const found = [...positions].map((at) => hexOf(rows.subarray(at, at + 4))[0]);
    expect(found).toEqual(devices.toSorted());
  });
});
