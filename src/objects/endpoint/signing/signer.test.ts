import { describe, expect, test } from 'vitest';
import { canonicalQuery, parseTarget } from '../wire/target.ts';
import { createSigner, emptySha256, type Signer, sameSignature, sha256 } from './signer.ts';

/** The examples in AWS's documentation of S3. */
const host = 'examplebucket.s3.amazonaws.com';
const signer: Signer = createSigner(
  'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  '20130524T000000Z',
  { date: '20130524', region: 'us-east-1', service: 's3' },
);

function signed(
  method: string,
  url: string,
  headers: Record<string, string>,
  payloadHash = emptySha256,
): string {
  const target = parseTarget(url, host, 'examplebucket');
  return signer.signRequest({
    method,
    path: target.canonicalPath,
    query: canonicalQuery(target.parameters),
    headers: Object.entries({ host, ...headers }).sort(([a], [b]) => (a < b ? -1 : 1)),
    payloadHash,
  });
}

const dated = { 'x-amz-content-sha256': emptySha256, 'x-amz-date': '20130524T000000Z' };

describe("AWS's own examples", () => {
  test('GET Object', () => {
    expect(signed('GET', '/test.txt', { ...dated, range: 'bytes=0-9' })).toBe(
      'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
    );
  });

  test('PUT Object', () => {
    const hash = sha256('Welcome to Amazon S3.');
    expect(
      signed(
        'PUT',
        '/test$file.text',
        {
          ...dated,
          date: 'Fri, 24 May 2013 00:00:00 GMT',
          'x-amz-content-sha256': hash,
          'x-amz-storage-class': 'REDUCED_REDUNDANCY',
        },
        hash,
      ),
    ).toBe('98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd');
  });

  test('GET Bucket Lifecycle', () => {
    expect(signed('GET', '/?lifecycle', dated)).toBe(
      'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
    );
  });

  test('GET Bucket (List Objects)', () => {
    expect(signed('GET', '/?max-keys=2&prefix=J', dated)).toBe(
      '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
    );
  });

  test('a presigned GET', () => {
    const query =
      'X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host';
    expect(signed('GET', `/test.txt?${query}`, {}, 'UNSIGNED-PAYLOAD')).toBe(
      'aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
    );
  });

  test('a chunked upload, in which each signature covers the previous one', () => {
    const seed = signed(
      'PUT',
      '/examplebucket/chunkObject.txt',
      {
        host: 's3.amazonaws.com',
        'content-encoding': 'aws-chunked',
        'content-length': '66824',
        'x-amz-content-sha256': 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD',
        'x-amz-date': '20130524T000000Z',
        'x-amz-decoded-content-length': '66560',
        'x-amz-storage-class': 'REDUCED_REDUNDANCY',
      },
      'STREAMING-AWS4-HMAC-SHA256-PAYLOAD',
    );
    expect(seed).toBe('4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9');
    const first = signer.signChunk(seed, sha256('a'.repeat(65_536)));
    expect(first).toBe('ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648');
    const second = signer.signChunk(first, sha256('a'.repeat(1_024)));
    expect(second).toBe('0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497');
    expect(signer.signChunk(second, emptySha256)).toBe(
      'b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9',
    );
  });
});

test('signatures are equal only if every digit is', () => {
  const one = 'a'.repeat(64);
  expect(sameSignature(one, one)).toBe(true);
  expect(sameSignature(one, `${'a'.repeat(63)}b`)).toBe(false);
  expect(sameSignature(one, 'a'.repeat(63))).toBe(false);
  expect(sameSignature(one, '')).toBe(false);
  expect(sameSignature(one, '\u{1f600}'.repeat(32))).toBe(false);
});
