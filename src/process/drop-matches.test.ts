import { expect, test } from 'vitest';
import { inParts, matchesIn } from './drop-matches.ts';

async function* batches(...sizes: number[]): AsyncGenerator<Uint32Array> {
  let next = 0;
  for (const size of sizes) yield Uint32Array.from({ length: size }, () => next++);
}

test.each([
  [
    [4, 4, 4],
    [8, 4],
  ],
  [[20], [8, 8, 4]],
  [
    [0, 16],
    [8, 8],
  ],
  [[], []],
])('batches of %j words become parts of %j', async (sizes, expected) => {
  const parts: number[][] = [];
  for await (const part of inParts(batches(...sizes), 8)) parts.push([...part]);
  expect(parts.map((part) => part.length)).toEqual(expected);
  expect(parts.flat()).toEqual(parts.flat().map((_, n) => n));
});

test('a digest is found only if all of it is there', async () => {
  const matches = matchesIn(Uint32Array.of(0, 0, 0, 1, 2, 3, 4, 5));
  const digests = Buffer.alloc(48);
  digests.writeUInt32BE(1, 12);
  for (const [n, word] of [2, 3, 4, 5].entries()) digests.writeUInt32BE(word, 16 + 4 * n);
  for (const [n, word] of [2, 3, 4, 6].entries()) digests.writeUInt32BE(word, 32 + 4 * n);
  expect([...(await matches.among(digests))]).toEqual([1, 1, 0]);
});
