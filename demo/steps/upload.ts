import { Readable } from 'node:stream';
import { S3Client } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import type { paths } from '../../src/client/openapi.ts';

type IssuedCredentials =
  paths['/admin/v1/partners/{partner_id}/storage-credentials']['post']['responses'][201]['content']['application/json'];
/** The bucket and the credentials of a partner. */
export type StorageCredentials = Pick<
  IssuedCredentials,
  'endpoint' | 'region' | 'bucket' | 'prefix' | 'accessKeyId' | 'secretAccessKey'
>;

const partBytes = 16 << 20;

/** Uploads a file under the partner's prefix as any S3 client would, and returns its size. */
export async function upload(
  storage: StorageCredentials,
  path: string,
  content: AsyncIterable<Buffer>,
): Promise<number> {
  const { accessKeyId, secretAccessKey, endpoint, region } = storage;
  const client = new S3Client({
    endpoint,
    region,
    credentials: { accessKeyId, secretAccessKey },
    forcePathStyle: true,
  });
  let bytes = 0;
  async function* counted(): AsyncGenerator<Buffer> {
    for await (const chunk of content) {
      bytes += chunk.length;
      yield chunk;
    }
  }
  try {
    const params = {
      Bucket: storage.bucket,
      Key: storage.prefix + path,
      Body: Readable.from(counted()),
    };
    await new Upload({ client, partSize: partBytes, queueSize: 2, params }).done();
    return bytes;
  } finally {
    client.destroy();
  }
}
