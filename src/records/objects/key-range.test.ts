import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { beforeNul, keysBeginningWith } from './key-range.ts';

const text = fc.string({ unit: 'binary', maxLength: 4 });
const edges = fc
  .array(fc.constantFrom('a', '/', '\ud7ff', '\ue000', '\uffff', '\u{10000}', '\u{10ffff}'), {
    maxLength: 4,
  })
  .map((characters) => characters.join(''));
const keys = fc.oneof(text, edges);

function compare(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

describe('keys beginning with a prefix', () => {
  test('are exactly those in its byte range', () => {
    fc.assert(
      fc.property(keys, keys, fc.boolean(), (prefix, other, isBelow) => {
        const key = isBelow ? prefix + other : other;
        const { from, to } = keysBeginningWith(prefix);
        const inRange = compare(key, from) >= 0 && (to === null || compare(key, to) < 0);
        expect(inRange).toBe(key.startsWith(prefix));
      }),
      { numRuns: 2_000 },
    );
  });
});

test('the same keys sort after a text and after its part before U+0000', () => {
  fc.assert(
    fc.property(keys, keys, keys, (before, rest, other) => {
      const key = other.replaceAll('\0', '');
      const marker = beforeNul(before);
      const isAfter = compare(key, `${marker}\0${rest}`) > 0;
      expect(compare(key, beforeNul(`${marker}\0${rest}`)) > 0).toBe(isAfter);
    }),
  );
});
