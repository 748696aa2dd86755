import { describe, expect, test } from 'vitest';
import type { S3Options } from './s3-client.ts';
import { createS3UploadLinks } from './upload-links.ts';

const options: S3Options = {
  bucket: 'devices',
  region: 'eu-central-1',
  endpoint: null,
  credentials: { accessKeyId: 'given', secretAccessKey: 'secret' },
  pathStyle: false,
  checksums: 'when_supported',
};

describe('a link to an external bucket', () => {
  test.each([
    [{}, 'https://devices.s3.eu-central-1.amazonaws.com', '/partner-1/a%20b.csv'],
    [{ pathStyle: true }, 'https://s3.eu-central-1.amazonaws.com', '/devices/partner-1/a%20b.csv'],
    [
      { endpoint: 'http://store.example:9000', pathStyle: true },
      'http://store.example:9000',
      '/devices/partner-1/a%20b.csv',
    ],
  ])('with %j has the reported origin', async (changes, origin, pathname) => {
    const links = await createS3UploadLinks({ ...options, ...changes });
    expect(links.origin).toBe(origin);
    const { url } = await links.create({ partnerId: 1, apiKeyId: 1 }, 'partner-1/a b.csv');
    expect(new URL(url)).toMatchObject({ origin, pathname });
  });

  test('signs only the host, and no checksum', async () => {
    const signedAt = new Date('2026-01-31T12:00:00.987Z');
    const links = await createS3UploadLinks(options, () => signedAt);
    const { url, expiresAt } = await links.create(
      { partnerId: 1, apiKeyId: 1 },
      'partner-1/devices.csv',
    );
    const { 'X-Amz-Signature': signature, ...query } = Object.fromEntries(
      new URL(url).searchParams,
    );
    expect(signature).toMatch(/^[0-9a-f]{64}$/);
    expect(query).toEqual({
      'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
      'X-Amz-Content-Sha256': 'UNSIGNED-PAYLOAD',
      'X-Amz-Credential': 'given/20260131/eu-central-1/s3/aws4_request',
      'X-Amz-Date': '20260131T120000Z',
      'X-Amz-Expires': '900',
      'X-Amz-SignedHeaders': 'host',
      'x-id': 'PutObject',
    });
    expect(expiresAt).toEqual(new Date('2026-01-31T12:15:00.000Z'));
  });
});
