import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  bytesBefore,
  firstBytes,
  flagByte,
  flagControls,
  isSameText,
  repeated,
  viewOf,
  wordOf,
  wordsIn,
} from './text-words.ts';

const fourBytes = fc.tuple(
  ...Array.from({ length: 4 }, () =>
    fc.oneof(fc.integer({ min: 0, max: 255 }), fc.constantFrom(0, 9, 10, 13, 14, 0x2c, 0x7c, 0x80)),
  ),
);

function littleEndian(bytes: readonly number[]): number {
  return Buffer.from(bytes).readInt32LE();
}

test('the first flagged byte is the first match', () => {
  fc.assert(
    fc.property(fourBytes, fc.constantFrom(0x09, 0x2c, 0x7c), (bytes, wanted) => {
      const word = littleEndian(bytes);
      const control = bytes.findIndex((byte) => byte <= 13);
      const same = bytes.indexOf(wanted);
      const controls = flagControls(word);
      const sames = flagByte(word, repeated(wanted));
      expect(controls === 0 ? -1 : bytesBefore(controls)).toBe(control);
      expect(sames === 0 ? -1 : bytesBefore(sames)).toBe(same);
      const either = bytes.findIndex((byte) => byte <= 13 || byte === wanted);
      expect((controls | sames) === 0 ? -1 : bytesBefore(controls | sames)).toBe(either);
    }),
    { numRuns: 2000 },
  );
});

test('`firstBytes` zeroes the other bytes', () => {
  const word = littleEndian([1, 2, 3, 0xff]);
  expect([0, 1, 2, 3].map((count) => firstBytes(word, count))).toEqual([0, 1, 0x0201, 0x030201]);
});

test('texts are equal if all their bytes are equal', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '\0', 'é'), maxLength: 12 });
  fc.assert(
    fc.property(text, text, fc.nat({ max: 5 }), (a, b, before) => {
      const inPlace = Buffer.concat([
        Buffer.alloc(before, 'x'),
        Buffer.from(b),
        Buffer.alloc(4, 'y'),
      ]);
      const view = new DataView(inPlace.buffer, inPlace.byteOffset, inPlace.length);
      const length = Buffer.byteLength(b);
      const words = new Int32Array(10);
      const given = viewOf(a);
      const bytes = Buffer.byteLength(a);
      for (let i = 0; i < wordsIn(bytes); i++) words[i + 1] = wordOf(given, 0, bytes, i);
      if (bytes === length) {
        expect(isSameText(words, 1, view, before, length)).toBe(a === b);
      }
    }),
  );
});
