import { GetObjectCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { StorageFault } from '../port.ts';
import { createS3Client, type S3Options } from './s3-client.ts';
import { createS3Store } from './s3-store.ts';

const options: S3Options = {
  bucket: 'devices',
  region: 'eu-central-1',
  endpoint: null,
  credentials: { accessKeyId: 'given', secretAccessKey: 'secret' },
  pathStyle: false,
  checksums: 'when_supported',
};

/** The URL of a request for the key `a/b`, and the credential that signs it. */
async function destination(changes: Partial<S3Options> = {}) {
  const client = createS3Client({ ...options, ...changes });
  const { bucket = options.bucket } = changes;
  const command = new GetObjectCommand({ Bucket: bucket, Key: 'a/b' });
  const url = new URL(await getSignedUrl(client, command));
  client.destroy();
  const signer = url.searchParams.get('X-Amz-Credential')?.split('/').with(1, 'date').join('/');
  return { place: url.origin + url.pathname, signer };
}

afterEach(() => {
  vi.unstubAllEnvs();
});

describe('requests', () => {
  test('go to AWS’s endpoint of the region by default', async () => {
    expect(await destination()).toEqual({
      place: 'https://devices.s3.eu-central-1.amazonaws.com/a/b',
      signer: 'given/date/eu-central-1/s3/aws4_request',
    });
    expect(await destination({ region: 'cn-north-1' })).toMatchObject({
      place: 'https://devices.s3.cn-north-1.amazonaws.com.cn/a/b',
    });
  });

  test('go to the configured endpoint, with the bucket in the host or the path', async () => {
    const endpoint = 'http://store.example:9000';
    expect(await destination({ endpoint })).toMatchObject({
      place: 'http://devices.store.example:9000/a/b',
    });
    expect(await destination({ endpoint, pathStyle: true })).toMatchObject({
      place: 'http://store.example:9000/devices/a/b',
    });
  });

  test('ignore endpoints and credentials in the environment', async () => {
    const before = await destination();
    for (const [name, value] of Object.entries({
      AWS_ENDPOINT_URL: 'http://elsewhere.example',
      AWS_ENDPOINT_URL_S3: 'http://elsewhere.example',
      AWS_ACCESS_KEY_ID: 'ambient',
      AWS_SECRET_ACCESS_KEY: 'ambient',
      AWS_SESSION_TOKEN: 'ambient',
      AWS_REGION: 'us-west-2',
      AWS_PROFILE: 'ambient',
      AWS_USE_FIPS_ENDPOINT: 'true',
      AWS_USE_DUALSTACK_ENDPOINT: 'true',
      AWS_DEFAULTS_MODE: 'auto',
    })) {
      vi.stubEnv(name, value);
    }
    expect(await destination()).toEqual(before);
  });

  test.each([
    'arn:aws:s3:eu-central-1:123456789012:accesspoint/elsewhere',
    'arn:aws:s3:us-west-2:123456789012:accesspoint/elsewhere',
    'arn:aws:s3::123456789012:accesspoint/elsewhere.mrap',
    'devices--euc1-az1--x-s3',
  ])('never go to another host, even for the bucket name %s', async (bucket) => {
    await expect(destination({ bucket })).rejects.toThrow();
  });

  test("to another host are the partner's error, at once", async () => {
    await using store = createS3Store({ ...options, bucket: 'devices--euc1-az1--x-s3' });
    const reading = (async () => {
      for await (const _ of store.find('a')) throw new Error('found a file');
    })();
    await expect(reading).rejects.toThrow(StorageFault);
    await expect(reading).rejects.toMatchObject({ code: 'no_such_bucket' });
  });
});
