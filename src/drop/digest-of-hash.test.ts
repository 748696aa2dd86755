import { describe, expect, test } from 'vitest';
import { digestOfHash } from './digest-of-hash.ts';

const published = '250KY6lOgzYUB3EHrkbDCE2kMEZQE69SF38muhoDudI=';

describe('the digest of a hash', () => {
  test('is its first half', () => {
    const whole = Buffer.from(published, 'base64');
    expect(whole).toHaveLength(32);
    expect(digestOfHash(published)).toEqual(whole.subarray(0, 16));
  });

  test.each([
    '',
    published.slice(1),
    `${published}=`,
    published.replace('=', 'A'),
    ` ${published}`,
  ])('does not exist for %j', (hash) => {
    expect(digestOfHash(hash)).toBeNull();
  });
});
