import { expect, test } from 'vitest';
import { createSharedBuffers } from './shared-buffers.ts';

test('a returned buffer is reused for anything that fits', () => {
  const buffers = createSharedBuffers(1 << 20);
  const first = buffers.take(100_000);
  buffers.giveBack(first);
  expect(buffers.take(131_072)).toBe(first);
  expect(buffers.take(131_072)).not.toBe(first);
});

test.each([1, 65_536, 65_537, 1_048_640])('%i bytes fit', (bytes) => {
  expect(createSharedBuffers(0).take(bytes).byteLength).toBeGreaterThanOrEqual(bytes);
});

test('a small request does not take a large buffer', () => {
  const buffers = createSharedBuffers(1 << 30);
  buffers.giveBack(buffers.take(1 << 20));
  expect(buffers.take(1000).byteLength).toBe(65_536);
});

test('buffers beyond the kept bytes are dropped', () => {
  const buffers = createSharedBuffers(200_000);
  const taken = Array.from({ length: 5 }, () => buffers.take(65_536));
  for (const buffer of taken) buffers.giveBack(buffer);
  const again = Array.from({ length: 5 }, () => buffers.take(65_536));
  expect(again.filter((buffer) => taken.includes(buffer))).toHaveLength(3);
});
