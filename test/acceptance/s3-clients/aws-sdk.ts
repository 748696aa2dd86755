import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  paginateListObjectsV2,
  S3Client,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { StorageCredentials } from '../api.ts';
import { megabyte, type StorageClient } from './storage-client.ts';

/** The SDK with its defaults, such as checksums in trailers. */
export const awsSdk: StorageClient = {
  name: 'AWS SDK v3',
  needs: [],
  lists: 'as the store does',
  signsLinks: 'by version 4',
  connect(access) {
    const { bucket: Bucket } = access;
    const s3 = sdkClient(access);
    const upload = async (Key: string, Body: Readable) => {
      const params = { Bucket, Key, Body };
      await new Upload({ client: s3, partSize: 5 * megabyte, params }).done();
    };
    const get = async (Key: string, Range?: string) => {
      const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key, Range }));
      return Buffer.from((await Body?.transformToByteArray()) ?? []);
    };
    const list = async (Prefix: string) => {
      const keys: string[] = [];
      for await (const page of paginateListObjectsV2({ client: s3 }, { Bucket, Prefix })) {
        for (const { Key } of page.Contents ?? []) keys.push(Key ?? '');
      }
      return keys;
    };
    return {
      put: (file, key) => upload(key, createReadStream(file)),
      putStream: (content, key) => upload(key, Readable.from(slices(content, 100_000))),
      get,
      getRange: (key, start, end) => get(key, `bytes=${start}-${end - 1}`),
      list,
      async copy(from, Key) {
        const CopySource = `${Bucket}/${from.split('/').map(encodeURIComponent).join('/')}`;
        await s3.send(new CopyObjectCommand({ Bucket, Key, CopySource }));
      },
      presign: (Key) => getSignedUrl(s3, new GetObjectCommand({ Bucket, Key }), { expiresIn: 600 }),
      async delete(Key) {
        await s3.send(new DeleteObjectCommand({ Bucket, Key }));
      },
      async deleteAll(prefix) {
        const Objects = (await list(prefix)).map((Key) => ({ Key }));
        const { Errors } = await s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }));
        if (Errors) throw new Error(JSON.stringify(Errors));
      },
    };
  },
};

export function sdkClient({
  endpoint,
  region,
  accessKeyId,
  secretAccessKey,
}: StorageCredentials): S3Client {
  return new S3Client({
    endpoint,
    region,
    credentials: { accessKeyId, secretAccessKey },
    forcePathStyle: true,
    // The service closes a connection that was idle for a minute, perhaps just when it is used again.
    maxAttempts: 2,
  });
}

function* slices(content: Buffer, size: number): Generator<Buffer> {
  for (let at = 0; at < content.length; at += size) yield content.subarray(at, at + size);
}
