import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { TributaryError } from './errors.ts';
import { sharedBucketKey } from './source-path.ts';
import { uploadKey } from './upload-path.ts';

const prefix = 'partner-7/';

describe('a file is uploaded below the prefix', () => {
  test.each([
    ['devices.csv', 'partner-7/devices.csv'],
    ['/devices.csv', 'partner-7/devices.csv'],
    ['partner-8/devices.csv', 'partner-7/partner-8/devices.csv'],
    ['.hidden', 'partner-7/.hidden'],
    ['a./.b/...', 'partner-7/a./.b/...'],
    ['%2e/x', 'partner-7/%2e/x'],
  ])('%j', (path, key) => {
    expect(uploadKey(prefix, path)).toBe(key);
  });
});

describe('a path is refused, and the error calls it path', () => {
  test.each([
    ['', /^path is empty/],
    ['/', /^path is empty/],
    ['../partner-8/devices.csv', /^path must not contain a "\.\." segment/],
    ['s3://tributary/partner-7/devices.csv', /^path must be relative to your prefix/],
    ['a\nb', /^path must not contain control characters/],
    ['x'.repeat(1_100), /^path is too long: the key exceeds 1024 bytes/],
    ['folder/', /^path must not end in "\/"/],
    ['.', /^path must not contain a "\." segment/],
    ['./devices.csv', /^path must not contain a "\." segment/],
    ['a/./b', /^path must not contain a "\." segment/],
  ])('%j', (path, why) => {
    const outcome = uploadKey(prefix, path) as TributaryError;
    expect(outcome.message).toMatch(why);
    expect(outcome.code).toBe('invalid_input');
    expect(outcome.issues).toEqual([{ pointer: '/path', message: outcome.message }]);
  });
});

test('an accepted path names the same key in an import and survives a browser’s URL parser', () => {
  const segment = fc.oneof(
    fc.constantFrom('.', '..', '%2e', '%2E.', '', 'a', '\\', '?', '#', '%'),
    fc.string({ unit: 'grapheme' }),
  );
  const path = fc.array(segment, { maxLength: 5 }).map((segments) => segments.join('/'));
  fc.assert(
    fc.property(path, (sent) => {
      const key = uploadKey(prefix, sent);
      if (key instanceof TributaryError) return;
      expect(key).toBe(sharedBucketKey(prefix, sent));
      expect(key.startsWith(prefix)).toBe(true);
      const address = `http://localhost/${key.split('/').map(encodeURIComponent).join('/')}`;
      expect(decodeURIComponent(new URL(address).pathname)).toBe(`/${key}`);
    }),
    { numRuns: process.env.TRIBUTARY_SOAK === '1' ? 20_000 : 500 },
  );
});
