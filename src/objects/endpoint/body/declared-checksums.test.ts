import { describe, expect, test } from 'vitest';
import { checksumHeaders, startChecksum } from './declared-checksums.ts';

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
  const ofDigits = () => {
    const checksum = startChecksum(header)!;
    for (const part of ['12', '', '3456789']) checksum.update(Buffer.from(part));
    return checksum;
  };

  test('matches its specification, however the bytes are split', async () => {
    await expect(ofDigits().check(base64)).resolves.toBeUndefined();
  });

  test('of other bytes is refused', async () => {
    const checksum = ofDigits();
    checksum.update(Buffer.from('0'));
    await expect(checksum.check(base64)).rejects.toMatchObject({ code: 'BadDigest' });
  });

  test.each(['', 'x', base64.slice(4), ` ${base64}`, base64.replace(/=*$/, '') || '='])(
    'written as %j is refused',
    async (text) => {
      await expect(ofDigits().check(text === base64 ? `${text}=` : text)).rejects.toMatchObject({
        code: 'InvalidRequest',
      });
    },
  );
});

test('there are exactly these five', () => {
  expect(checksumHeaders).toEqual(Object.keys(known));
  expect(startChecksum('x-amz-checksum-md5')).toBeUndefined();
  expect(startChecksum('toString')).toBeUndefined();
});
