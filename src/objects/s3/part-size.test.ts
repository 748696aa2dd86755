import { expect, test } from 'vitest';
import { planParts } from './part-size.ts';

const mebibyte = 1024 ** 2;
const gibibyte = 1024 ** 3;

test('parts are small while 10,000 of them are enough', () => {
  expect(planParts(0)).toEqual({ partSize: 8 * mebibyte, queueSize: 4 });
  expect(planParts(10_000 * 8 * mebibyte)).toEqual({ partSize: 8 * mebibyte, queueSize: 4 });
});

test('a larger object has larger parts, and fewer of them in memory', () => {
  const sizes = [10_000 * 8 * mebibyte + 1, 100 * gibibyte, 1_000 * gibibyte, 5_000 * gibibyte];
  for (const size of sizes) {
    const { partSize, queueSize } = planParts(size);
    expect(Math.ceil(size / partSize)).toBeLessThanOrEqual(10_000);
    expect(queueSize).toBeGreaterThanOrEqual(1);
    expect(partSize * queueSize).toBeLessThanOrEqual(Math.max(32 * mebibyte, partSize));
  }
});
