import { describe, expect, test } from 'vitest';
import { isHash, writeDigest } from './digest-of-hash.ts';

const published = '250KY6lOgzYUB3EHrkbDCE2kMEZQE69SF38muhoDudI=';

describe('a hash', () => {
  test('has its first half as its digest', () => {
    expect(isHash(published)).toBe(true);
    const whole = Buffer.from(published, 'base64');
    expect(whole).toHaveLength(32);
    const written = Buffer.alloc(20);
    writeDigest(published, written, 2);
    const nothing = Buffer.alloc(2);
    expect(written).toEqual(Buffer.concat([nothing, whole.subarray(0, 16), nothing]));
  });

  test.each([
    '',
    published.slice(1),
    `${published}=`,
    published.replace('=', 'A'),
    ` ${published}`,
  ])('is not %j', (text) => {
    expect(isHash(text)).toBe(false);
  });
});
