import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import type { ReadableRun } from '../file/readable-run.ts';
import { fillDigestTable, findCandidates, newDigestTable } from './digest-table.ts';

function randomDigests(count: number): Uint32Array {
  return new Uint32Array(Uint8Array.from(randomBytes(count * 16)).buffer);
}

it.each([1, 5, 3_000])('finds each of %i digests, and hardly any other', (count) => {
  const held = randomDigests(count);
  const table = newDigestTable(count);
  const run = { index: { pages: 1 } } as ReadableRun;
  fillDigestTable({ readPage: () => held }, [run], table);
  // Every second one is in the set.
  const mixed = randomDigests(2 * count);
  for (let n = 0; n < count; n++) mixed.set(held.subarray(n * 4, n * 4 + 4), n * 8);
  const candidates = new Uint32Array(2 * count);
  const found = candidates.subarray(0, findCandidates(table, mixed, candidates));
  const even = found.filter((number) => number % 2 === 0);
  expect([...even]).toEqual(Array.from({ length: count }, (_, n) => 2 * n));
  // One of 100,000 is expected.
  expect(found.length - even.length).toBeLessThan(10);
});
