import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import type { StorageCredentials } from '../acceptance/api.ts';
import { until } from './until.ts';

/** A partner's S3 client. It repeats whatever a crash interrupts. */
export type Storage = ReturnType<typeof createStorage>;

const parts = 3;
/** Errors of a service that is starting, has no space, or whose clock was set. */
const temporary =
  /^(ServiceUnavailable|SlowDown|InsufficientStorage|RequestTimeTooSkewed|NoSuchUpload|TimeoutError|AbortError)$/;

export function createStorage(credentials: StorageCredentials) {
  const { endpoint, region, bucket: Bucket, prefix, accessKeyId, secretAccessKey } = credentials;
  const s3 = new S3Client({
    endpoint,
    region,
    credentials: { accessKeyId, secretAccessKey },
    forcePathStyle: true,
    maxAttempts: 1,
    requestHandler: { requestTimeout: 20_000 },
  });

  function repeated<T>(what: string, action: () => Promise<T>): Promise<T> {
    return until(what, async () => {
      try {
        return await action();
      } catch (error) {
        if (isTemporary(error)) return undefined;
        throw error;
      }
    });
  }

  async function startParts(Key: string, body: Buffer) {
    const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key }));
    const size = Math.ceil(body.length / parts);
    const Parts: { PartNumber: number; ETag: string | undefined }[] = [];
    for (let PartNumber = 1; PartNumber <= parts; PartNumber++) {
      const Body = body.subarray((PartNumber - 1) * size, PartNumber * size);
      const upload = { Bucket, Key, UploadId, PartNumber, Body };
      Parts.push({ PartNumber, ETag: (await s3.send(new UploadPartCommand(upload))).ETag });
    }
    return { Bucket, Key, UploadId, MultipartUpload: { Parts } };
  }

  return {
    put: (key: string, body: Buffer) =>
      repeated(`the upload of ${key}`, () =>
        s3.send(new PutObjectCommand({ Bucket, Key: prefix + key, Body: body })),
      ),
    putInParts: (key: string, body: Buffer) =>
      repeated(`the upload of ${key} in parts`, async () => {
        await s3.send(new CompleteMultipartUploadCommand(await startParts(prefix + key, body)));
        return true;
      }),
    /** Uploads parts, and then aborts the upload or leaves it open. */
    abandon: (key: string, body: Buffer, isAborted: boolean) =>
      repeated(`the parts of ${key}`, async () => {
        const { Key, UploadId } = await startParts(prefix + key, body);
        if (isAborted) await s3.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }));
        return true;
      }),
    remove: (key: string) =>
      repeated(`the deletion of ${key}`, () =>
        s3.send(new DeleteObjectCommand({ Bucket, Key: prefix + key })),
      ),
    /** The keys of all objects. */
    list: () =>
      repeated('the list of objects', async () => {
        const { Contents = [] } = await s3.send(
          new ListObjectsV2Command({ Bucket, Prefix: prefix }),
        );
        return Contents.map(({ Key = '' }) => Key.slice(prefix.length));
      }),
    read: (key: string) =>
      repeated(`the object ${key}`, async () => {
        const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key: prefix + key }));
        return Buffer.from(await Body!.transformToByteArray());
      }),
    [Symbol.dispose]: () => s3.destroy(),
  };
}

function isTemporary(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // Errors without a response are those of the connection.
  const { $response, $metadata } = error as Error & {
    $response?: { statusCode?: number };
    $metadata?: { httpStatusCode?: number };
  };
  const status = $response?.statusCode ?? $metadata?.httpStatusCode;
  return status === undefined || status === 503 || status === 507 || temporary.test(error.name);
}
