import { describe, expect, test } from 'vitest';
import { startDigests } from '../../content.ts';
import { checkDeclared, checksumHeaders, declaredChecksum } from './declared-checksums.ts';

/** Each algorithm's checksum of `123456789` in its specification. */
const known = {
  'x-amz-checksum-crc32': 'cbf43926',
  'x-amz-checksum-crc32c': 'e3069283',
  'x-amz-checksum-crc64nvme': 'ae8b14860a799888',
  'x-amz-checksum-sha1': 'f7c3bc1d808e04732adf679965ccc34ca7ae3441',
  'x-amz-checksum-sha256': '15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225',
};

describe.each(Object.entries(known))('%s', (header, hex) => {
  const base64 = Buffer.from(hex, 'hex').toString('base64');
  const checksum = declaredChecksum(header)!;
  const digestsOf = (...parts: string[]) => {
    const digests = startDigests([checksum.name]);
    for (const part of parts) digests.update(Buffer.from(part));
    return digests.finish();
  };
  const ofDigits = () => digestsOf('12', '', '3456789');

  test('matches its specification, however the bytes are split', async () => {
    checkDeclared(checksum, base64, await ofDigits());
  });

  test('of other bytes is refused', async () => {
    const other = await digestsOf('1234567890');
    expect(() => checkDeclared(checksum, base64, other)).toThrow(
      expect.objectContaining({ code: 'BadDigest' }),
    );
  });

  test.each(['', 'x', base64.slice(4), ` ${base64}`, base64.replace(/=*$/, '') || '='])(
    'written as %j is refused',
    async (text) => {
      const digests = await ofDigits();
      const written = text === base64 ? `${text}=` : text;
      expect(() => checkDeclared(checksum, written, digests)).toThrow(
        expect.objectContaining({ code: 'InvalidRequest' }),
      );
    },
  );
});

test('there are exactly these five', () => {
  expect(checksumHeaders).toEqual(Object.keys(known));
  expect(declaredChecksum('x-amz-checksum-md5')).toBeUndefined();
  expect(declaredChecksum('toString')).toBeUndefined();
});
