import { expect, test } from 'vitest';
import { planParts } from './plan-parts.ts';

const limits = { leastBytes: 100, leastBytesPerFile: 10, bytesPerPart: 50 };
const layout = { delimiter: ',', columns: 2 } as const;

function plan(sizes: readonly number[], isPlain = true) {
  const files = sizes.map((size, i) => ({ key: `${i}.csv`, etag: 'e', size }));
  return planParts(files, limits, async () => (isPlain ? layout : null));
}

test('a small job, and one with small files, is not divided', async () => {
  expect(await plan([40, 40])).toBeNull();
  expect(await plan(Array.from({ length: 20 }, () => 9))).toBeNull();
  expect(await plan([])).toBeNull();
});

test('every file is a part', async () => {
  expect(await plan([60, 199])).toMatchObject([
    { file: 0, version: { key: '0.csv' }, range: null, layout: null },
    { file: 1, version: { key: '1.csv' }, range: null, layout: null },
  ]);
});

test('a large uncompressed file is cut into ranges, and the last one has the rest', async () => {
  expect(await plan([10, 230])).toMatchObject([
    { file: 0, range: null },
    { file: 1, range: { start: 0, end: 50 }, layout: null },
    { file: 1, range: { start: 50, end: 100 }, layout },
    { file: 1, range: { start: 100, end: 150 }, layout },
    { file: 1, range: { start: 150, end: 230 }, layout },
  ]);
});

test('a single file that cannot be cut is not divided', async () => {
  expect(await plan([1_000], false)).toBeNull();
});
