import { expect, test } from 'vitest';
import { type ChunkLabels, createLabelDictionary } from './label-dictionary.ts';

function textsOf({ text, offsets, lengths }: ChunkLabels): string[] {
  return Array.from(offsets, (offset, i) =>
    Buffer.from(text.subarray(offset * 4, offset * 4 + lengths[i]!)).toString(),
  );
}

test('labels are numbered in order of first occurrence, and counted', () => {
  const dictionary = createLabelDictionary();
  const rows = ['view', 'a', 'é', 'view', 'view\0', 'a', 'view'];
  const numbers = rows.map((label, i) => {
    const number = dictionary.numberOf(label, i + 1);
    dictionary.counts[number]!++;
    return number;
  });
  expect(numbers).toEqual([0, 1, 2, 0, 3, 1, 0]);
  const labels = dictionary.labels();
  expect(textsOf(labels)).toEqual(['view', 'a', 'é', 'view\0']);
  expect([...labels.counts]).toEqual([3, 2, 1, 1]);
  expect([...labels.firstLines]).toEqual([1, 2, 3, 5]);
});

test.each([1000, 5000])(
  'it holds %i labels, short and long, and can be reused after clear',
  (rows) => {
    const dictionary = createLabelDictionary();
    for (const prefix of ['a', 'a long label ']) {
      const labels = Array.from({ length: rows }, (_, i) => `${prefix}${i}`);
      expect(labels.map((label) => dictionary.numberOf(label, 1))).toEqual([...labels.keys()]);
      expect(textsOf(dictionary.labels())).toEqual(labels);
      expect(dictionary.labels().counts.every((count) => count === 0)).toBe(true);
      dictionary.counts.fill(1);
      dictionary.clear();
    }
    expect(textsOf(dictionary.labels())).toEqual([]);
  },
);
