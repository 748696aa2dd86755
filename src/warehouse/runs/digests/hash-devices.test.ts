import { createHash, randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { standardId } from '../../../domain/privacy/standard-id.ts';
import { hexOf, wordsOfHex } from '../testing/rows.ts';
import { createDeviceHasher } from './hash-devices.ts';

const hash = createDeviceHasher();

function digestsOf(devices: readonly string[]): string[] {
  const words = wordsOfHex(devices.join(''));
  const digests = new Uint32Array(words.length);
  hash(words, digests);
  return hexOf(digests);
}

it.each([
  // Published with the rule.
  ['a3f1c2d4-5678-90ab-cdef-1234567890ab', '250KY6lOgzYUB3EHrkbDCE2kMEZQE69SF38muhoDudI='],
  ['{A3F1C2D4-5678-90AB-CDEF-1234567890AB}', '250KY6lOgzYUB3EHrkbDCE2kMEZQE69SF38muhoDudI='],
  ['0'.repeat(32), 'hODA6vqpWjTCk/J4rFLkXOU3urXnUqAOaVmhOuEDtlo='],
])('hashes %s', (id, base64) => {
  const digest = Buffer.from(base64, 'base64').toString('hex').slice(0, 32);
  expect(digestsOf([standardId(id)!])).toEqual([digest]);
});

it.each([1, 3, 4, 5, 1_023, 1_024, 1_025, 3_000])('hashes %i devices like node:crypto', (count) => {
  const devices = Array.from({ length: count }, () => randomBytes(16).toString('hex'));
  const expected = devices.map((device) => createHash('sha256').update(device).digest('hex'));
  expect(digestsOf(devices)).toEqual(expected.map((digest) => digest.slice(0, 32)));
});
