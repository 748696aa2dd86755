import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { TributaryError } from './errors.ts';
import {
  audienceKey,
  hasControlCharacters,
  isAwsRegion,
  isBucketName,
  maximumKeyBytes,
  partnerBucketPath,
  sharedBucketKey,
} from './source-path.ts';

const prefix = 'partner-7/';

function refusal(filePath: string): string | undefined {
  const outcome = sharedBucketKey(prefix, filePath);
  return outcome instanceof TributaryError ? outcome.message : undefined;
}

describe('a path is resolved below the prefix', () => {
  test.each([
    ['devices.csv', 'partner-7/devices.csv'],
    ['/devices.csv', 'partner-7/devices.csv'],
    ['//devices.csv', 'partner-7//devices.csv'],
    ['2026/01/', 'partner-7/2026/01/'],
    ['partner-7/devices.csv', 'partner-7/partner-7/devices.csv'],
    ['...', 'partner-7/...'],
    ['a../..b/c', 'partner-7/a../..b/c'],
    ['./a', 'partner-7/./a'],
    ['%2e%2e/x', 'partner-7/%2e%2e/x'],
    ['..\\x', 'partner-7/..\\x'],
    ['/s3://x', 'partner-7/s3://x'],
    ['ü 😀.csv', 'partner-7/ü 😀.csv'],
  ])('%j', (sent, key) => {
    expect(sharedBucketKey(prefix, sent)).toBe(key);
  });
});

describe('a path is refused with the reason', () => {
  test.each([
    ['', /is empty/],
    ['/', /is empty/],
    ['..', /"\.\." segment/],
    ['/../x', /"\.\." segment/],
    ['a/../../b', /"\.\." segment/],
    ['a/..', /"\.\." segment/],
    ['s3://bucket/x', /leave out s3:\/\//],
    ['S3://bucket/x', /leave out s3:\/\//],
    ['a\0b', /control characters/],
    ['a\u001fb', /control characters/],
    ['a\u007fb', /control characters/],
    ['a\u0080b', /control characters/],
    ['a\u009fb', /control characters/],
    ['\ud800', /well-formed/],
    ['x\udc00', /well-formed/],
  ])('%j', (sent, why) => {
    expect(refusal(sent)).toMatch(why);
    const outcome = sharedBucketKey(prefix, sent) as TributaryError;
    expect(outcome.code).toBe('invalid_input');
    expect(outcome.issues.map((issue) => issue.pointer)).toEqual(['/file_path']);
  });

  test('if its key would exceed S3’s limit in bytes', () => {
    const room = maximumKeyBytes - prefix.length;
    expect(refusal('k'.repeat(room))).toBeUndefined();
    expect(refusal(`/${'k'.repeat(room)}`)).toBeUndefined();
    expect(refusal('k'.repeat(room + 1))).toMatch(/exceeds 1024 bytes/);
    expect(refusal('😀'.repeat(room / 4 + 1))).toMatch(/exceeds 1024 bytes/);
  });
});

test.each([
  ['an import', (filePath: string) => sharedBucketKey(prefix, filePath)],
  ['an audience', (filePath: string) => audienceKey('shared', prefix, filePath)],
])('no path of %s leaves the prefix or gives an invalid key', (_, keyOf) => {
  const piece = fc.oneof(
    fc.constantFrom(
      '/',
      '..',
      '.',
      '\\',
      's3://',
      's3://shared/',
      '%2e%2e',
      '\0',
      '\u202e',
      '\ud800',
      'partner-7/',
      'partner-8/',
    ),
    fc.string({ unit: 'binary', maxLength: 5 }),
    fc.string({ unit: 'grapheme', maxLength: 100 }),
  );
  const hostile = fc.array(piece, { maxLength: 16 }).map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(hostile, (filePath) => {
      const key = keyOf(filePath);
      if (key instanceof TributaryError) return;
      expect(key.startsWith(prefix)).toBe(true);
      expect(key.length).toBeGreaterThan(prefix.length);
      expect(key.split('/')).not.toContain('..');
      // Resolved as a URL, it is still below the prefix.
      const address = new URL(key.split('/').map(encodeURIComponent).join('/'), 'http://h/');
      expect(address.pathname.startsWith(`/${prefix}`)).toBe(true);
      expect(hasControlCharacters(key)).toBe(false);
      expect(key.isWellFormed()).toBe(true);
      expect(Buffer.byteLength(key)).toBeLessThanOrEqual(maximumKeyBytes);
      expect(`s3://shared/${key}`.endsWith(filePath.replace(/^\//, ''))).toBe(true);
    }),
    { numRuns: 1_000 },
  );
});

describe('every form of an audience path names the same key', () => {
  const key = (filePath: string) => audienceKey('shared', prefix, filePath);

  test.each([
    ['devices.csv', 'partner-7/devices.csv'],
    ['/devices.csv', 'partner-7/devices.csv'],
    ['partner-7/devices.csv', 'partner-7/devices.csv'],
    ['/partner-7/devices.csv', 'partner-7/devices.csv'],
    ['s3://shared/partner-7/devices.csv', 'partner-7/devices.csv'],
    ['s3://shared/partner-7/2026/', 'partner-7/2026/'],
    ['partner-7', 'partner-7/partner-7'],
    ['partner-7/partner-7/x', 'partner-7/partner-7/x'],
    ['partner-7//x', 'partner-7//x'],
    ['//partner-7/x', 'partner-7//partner-7/x'],
    ['partner-8/x', 'partner-7/partner-8/x'],
    ['/s3://shared/partner-7/x', 'partner-7/s3://shared/partner-7/x'],
    ['acme/summer sale/', 'partner-7/acme/summer sale/'],
  ])('%j', (sent, expected) => {
    expect(key(sent)).toBe(expected);
  });

  test.each([
    ['', /is empty/],
    ['/', /is empty/],
    ['partner-7/', /is empty/],
    ['/partner-7/', /is empty/],
    ['s3://shared/partner-7/', /is empty/],
    ['s3://shared/partner-7', /begin with s3:\/\/shared\/partner-7\//],
    ['s3://shared/', /begin with/],
    ['s3://shared//partner-7/x', /begin with/],
    ['s3://shared/partner-70/x', /begin with/],
    ['s3://shared/partner-8/x', /begin with/],
    ['s3://other/partner-7/x', /begin with/],
    ['S3://shared/partner-7/x', /begin with/],
    ['..', /"\.\." segment/],
    ['partner-7/../partner-8/x', /"\.\." segment/],
    ['s3://shared/partner-7/../partner-8/x', /"\.\." segment/],
    ['s3://shared/partner-7/a\0b', /control characters/],
    ['a\u0085b', /control characters/],
    ['\ud800', /well-formed/],
    ['k'.repeat(1025), /exceeds 1024 bytes/],
  ])('%j is refused', (sent, why) => {
    const outcome = key(sent) as TributaryError;
    expect(outcome).toBeInstanceOf(TributaryError);
    expect(outcome.message).toMatch(why);
    expect(outcome.issues.map((issue) => issue.pointer)).toEqual(['/file_path']);
  });
});

describe('a path in the partner’s own bucket', () => {
  test.each([
    ['s3://acme/devices.csv', { bucket: 'acme', path: 'devices.csv' }],
    ['s3://acme.files-1/2026/01/', { bucket: 'acme.files-1', path: '2026/01/' }],
    ['s3://acme//x', { bucket: 'acme', path: '/x' }],
  ])('%j', (sent, place) => {
    expect(partnerBucketPath(sent)).toEqual(place);
  });

  test.each([
    ['devices.csv', /form s3:/],
    ['/acme/devices.csv', /form s3:/],
    ['S3://acme/x', /form s3:/],
    ['https://acme/x', /form s3:/],
    ['s3:/acme/x', /form s3:/],
    ['s3://acme', /form s3:/],
    ['s3:///x', /not a valid bucket name/],
    ['s3://Acme/x', /not a valid bucket name/],
    ['s3://ac/x', /not a valid bucket name/],
    ['s3://acme.example.com:8080/x', /not a valid bucket name/],
    ['s3://user@acme/x', /not a valid bucket name/],
    ['s3://127.0.0.1/x', /not a valid bucket name/],
    ['s3://acme/', /no path/],
    ['s3://acme/../x', /"\.\." segment/],
    ['s3://acme/a\0b', /control characters/],
    ['s3://acme/\ud800', /well-formed/],
    [`s3://acme/${'k'.repeat(1025)}`, /exceeds 1024 bytes/],
  ])('is refused: %j', (sent, why) => {
    const outcome = partnerBucketPath(sent);
    expect(outcome).toBeInstanceOf(TributaryError);
    expect((outcome as TributaryError).message).toMatch(why);
  });

  test('never leads to another host, whatever is sent as a bucket or a region', () => {
    const hostile = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom(...'ab1.-/:@#?%\\_ Z') }),
    );
    fc.assert(
      fc.property(hostile, hostile, (bucket, region) => {
        if (!isBucketName(bucket) || !isAwsRegion(region)) return;
        const url = new URL(`https://${bucket}.s3.${region}.amazonaws.com/key`);
        expect(url.host).toBe(`${bucket}.s3.${region}.amazonaws.com`);
      }),
      { numRuns: 5_000 },
    );
  });

  test.each([
    'us-east-1',
    'eu-central-1',
    'ap-southeast-3',
    'us-gov-west-1',
    'cn-north-1',
    'il-central-1',
  ])('%s is an AWS region', (region) => {
    expect(isAwsRegion(region)).toBe(true);
  });

  test.each([
    '',
    'us-east-1.evil.com',
    'evil.com/',
    'us-east-1/',
    'US-EAST-1',
    'us_east_1',
    'localhost',
    '127.0.0.1',
  ])('%j is not an AWS region', (region) => {
    expect(isAwsRegion(region)).toBe(false);
  });
});
