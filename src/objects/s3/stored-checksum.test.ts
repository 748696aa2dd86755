import { describe, expect, test } from 'vitest';
import { storedChecksum } from './stored-checksum.ts';

type Answer = Parameters<typeof storedChecksum>[0];

/** The published check values of the algorithms, all for the same nine digits. */
const digits = Buffer.from('123456789');
const declarations: [string, Partial<Answer>][] = [
  ['CRC32', { ChecksumCRC32: 'y/Q5Jg==' }],
  ['CRC32C', { ChecksumCRC32C: '4waSgw==' }],
  ['CRC64NVME', { ChecksumCRC64NVME: 'rosUhgp5mIg=' }],
  ['SHA1', { ChecksumSHA1: '98O8HYCOBHMq32eZZczDTKeuNEE=' }],
  ['SHA256', { ChecksumSHA256: 'FeKw08M4keuw8e9gnsQZQgwg4yDOlMZfvIwzEkSOsiU=' }],
  ['MD5, as the ETag', { ETag: '"25f9e794323b453885f5181f1b624d0b"' }],
  [
    'MD5, as the ETag of an object encrypted by the store',
    { ETag: '"25f9e794323b453885f5181f1b624d0b"', ServerSideEncryption: 'AES256' },
  ],
];

function answer(declared: Partial<Answer>): Answer {
  return { $metadata: {}, ...declared };
}

describe('the checksum of a stored object', () => {
  test.each(declarations)('%s is verified, also over several chunks', async (_, declared) => {
    for (const [pieces, matches] of [
      [[digits], true],
      [[digits.subarray(0, 4), Buffer.alloc(0), digits.subarray(4)], true],
      [[digits.subarray(1)], false],
      [[digits, digits], false],
      [[], false],
    ] as const) {
      const checksum = storedChecksum(answer(declared));
      for (const piece of pieces) checksum?.update(piece);
      expect(await checksum?.matches()).toBe(matches);
    }
  });

  test.each<[string, Partial<Answer>]>([
    ['nothing', {}],
    ['an ETag of parts', { ETag: '"25f9e794323b453885f5181f1b624d0b-2"' }],
    ['a checksum of parts', { ChecksumCRC32: 'y/Q5Jg==-2' }],
    ['an ETag in another format', { ETag: '"CJ+rtvD1/pADEAE="' }],
    [
      'an ETag of an object encrypted with the owner’s key',
      { ETag: '"25f9e794323b453885f5181f1b624d0b"', ServerSideEncryption: 'aws:kms' },
    ],
    [
      'an ETag of an object encrypted with a key in the request',
      { ETag: '"25f9e794323b453885f5181f1b624d0b"', SSECustomerAlgorithm: 'AES256' },
    ],
  ])('is undefined for %s', (_, declared) => {
    expect(storedChecksum(answer(declared))).toBeUndefined();
  });
});
