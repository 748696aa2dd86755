import fc from 'fast-check';
import { expect, test } from 'vitest';
import { buildKeyTable, segmentOfKey } from './key-table.ts';

test('finds exactly the keys of the map', () => {
  const key = fc.oneof(
    fc.string({ maxLength: 20 }),
    fc.string({ unit: 'grapheme', maxLength: 6 }),
    fc.constantFrom('a', 'a\0', 'a\0\0\0', 'a\0\0\0\0', 'abcd', 'abcd\0'),
    fc.nat().map(String),
  );
  const map = fc
    .array(fc.tuple(key, fc.nat({ max: 1000 })), { maxLength: 200 })
    .map((entries) => new Map(entries));
  fc.assert(
    fc.property(map, fc.array(key), (keys, others) => {
      const table = buildKeyTable(keys);
      for (const wanted of [...keys.keys(), ...others]) {
        // The empty string is not a key.
        const expected = wanted === '' ? undefined : keys.get(wanted);
        expect(segmentOfKey(table, wanted)).toBe(expected);
      }
      expect([...keys.values()].every((number) => number < Math.max(table.segments, 1001))).toBe(
        true,
      );
    }),
  );
});

test('a key with half a surrogate pair is ignored and does not match U+FFFD', () => {
  const table = buildKeyTable(new Map([['\ud83d', 1]]));
  expect(segmentOfKey(table, '\ufffd')).toBeUndefined();
});

test('`segments` is greater than the highest segment number', () => {
  expect(buildKeyTable(new Map()).segments).toBe(0);
  const numbers = new Map([
    ['a', 4],
    ['b', 9],
    ['c', 2],
  ]);
  expect(buildKeyTable(numbers).segments).toBe(10);
});
