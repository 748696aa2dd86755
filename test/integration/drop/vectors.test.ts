import { describe, expect, test } from 'vitest';
import { hexOfWords, standardId, wordsOfHex } from '../../../src/domain/privacy/standard-id.ts';
import { writeDigest } from '../../../src/drop/digest-of-hash.ts';
import { digestsOf } from '../../../src/jobs/privacy/suppression-rows.ts';

/** The digest of a listed hash, and that of a stored device, in hexadecimal. */
const listed = (hash: string) => {
  const digest = Buffer.alloc(16);
  writeDigest(hash, digest, 0);
  return digest.toString('hex');
};
const stored = (text: string) => hexOfWords(digestsOf(wordsOfHex(standardId(text)!)), 0);

const published = '250KY6lOgzYUB3EHrkbDCE2kMEZQE69SF38muhoDudI=';

describe('the digest of a stored device is that of the listed hash', () => {
  test.each([
    ['as published', 'a3f1c2d4-5678-90ab-cdef-1234567890ab'],
    ['in upper case', 'A3F1C2D4-5678-90AB-CDEF-1234567890AB'],
    ['without hyphens', 'a3f1c2d4567890abcdef1234567890ab'],
    ['with braces', '{a3f1c2d4-5678-90ab-cdef-1234567890ab}'],
    ['with white space', ' \ta3f1c2d4-5678-90ab-cdef-1234567890ab\r\n'],
    ['with everything', ' {A3F1C2D4 5678 90AB CDEF 1234567890AB}\u00a0'],
  ])('%s', (_, text) => {
    expect(stored(text)).toBe(listed(published));
    expect(stored(text)).not.toBe(listed('Stwc1bCPnkQSTKlMj3WY3weXuck5FFt9/X3q+IaOBKY='));
  });

  test('for the identifier of zeros', () => {
    const zeros = '00000000-0000-0000-0000-000000000000';
    expect(stored(zeros)).toBe(listed('hODA6vqpWjTCk/J4rFLkXOU3urXnUqAOaVmhOuEDtlo='));
  });
});
