import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListPartsCommand,
  PutObjectCommand,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { filesIn } from '../../../support/blobs.ts';
import {
  bucket,
  startTestEndpoint,
  type TestEndpoint,
  type UploadingPartner,
} from '../../../support/endpoint.ts';

let endpoint: TestEndpoint;
let partner: UploadingPartner;
beforeAll(async () => {
  endpoint = await startTestEndpoint();
  partner = await endpoint.partner();
});
afterAll(() => endpoint[Symbol.asyncDispose]());

async function begin(name: string, more: object = {}) {
  const Key = partner.prefix + name;
  const command = new CreateMultipartUploadCommand({ Bucket: bucket, Key, ...more });
  const { UploadId } = await partner.s3.send(command);
  return { Bucket: bucket, Key, UploadId };
}

type Begun = Awaited<ReturnType<typeof begin>>;

async function putPart(upload: Begun, PartNumber: number, Body: string) {
  const { ETag } = await partner.s3.send(new UploadPartCommand({ ...upload, PartNumber, Body }));
  return { PartNumber, ETag };
}

function complete(upload: Begun, Parts: { PartNumber: number; ETag: string | undefined }[]) {
  const command = new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } });
  return partner.s3.send(command);
}

async function contentOf({ Bucket, Key }: Begun): Promise<string> {
  const { Body } = await partner.s3.send(new GetObjectCommand({ Bucket, Key }));
  return Body!.transformToString();
}

describe('a multipart upload', () => {
  test('joins the listed parts into an object with the type and metadata of its start', async () => {
    const upload = await begin('parts', { ContentType: 'text/csv', Metadata: { a: 'b' } });
    const third = await putPart(upload, 3, 'three');
    await putPart(upload, 1, 'to be replaced');
    await putPart(upload, 2, 'left out');
    const first = await putPart(upload, 1, 'one ');
    expect(await endpoint.store.stat(upload.Key)).toBeUndefined();
    const { ETag } = await complete(upload, [first, third]);
    expect(ETag).toMatch(/^"[0-9a-f]{32}-2"$/);
    expect(await contentOf(upload)).toBe('one three');
    const head = await partner.s3.send(new HeadObjectCommand(upload));
    expect(head).toMatchObject({ ContentType: 'text/csv', Metadata: { a: 'b' }, ETag });
  });

  test('can be completed again by a client that lost the response', async () => {
    const upload = await begin('twice');
    const parts = [await putPart(upload, 1, 'x')];
    const { ETag } = await complete(upload, parts);
    expect((await complete(upload, parts)).ETag).toBe(ETag);
    await partner.s3.send(new PutObjectCommand({ ...upload, Body: 'another' }));
    await expect(complete(upload, parts)).rejects.toMatchObject({ name: 'NoSuchUpload' });
  });

  test('lists its parts page by page', async () => {
    const upload = await begin('listed');
    for (const number of [1, 2, 5]) await putPart(upload, number, 'x'.repeat(number));
    const first = await partner.s3.send(new ListPartsCommand({ ...upload, MaxParts: 2 }));
    expect(first.Parts?.map(({ PartNumber, Size }) => [PartNumber, Size])).toEqual([
      [1, 1],
      [2, 2],
    ]);
    expect(first).toMatchObject({ IsTruncated: true, NextPartNumberMarker: '2' });
    const rest = await partner.s3.send(
      new ListPartsCommand({ ...upload, PartNumberMarker: first.NextPartNumberMarker }),
    );
    expect(rest.Parts).toMatchObject([{ PartNumber: 5 }]);
    expect(rest.IsTruncated).toBe(false);
  });

  test('that is aborted leaves no parts', async () => {
    const before = await filesIn(endpoint.storeDir);
    const upload = await begin('aborted');
    const part = await putPart(upload, 1, 'x');
    await partner.s3.send(new AbortMultipartUploadCommand(upload));
    expect(await filesIn(endpoint.storeDir)).toEqual(before);
    for (const late of [
      () => complete(upload, [part]),
      () => putPart(upload, 2, 'x'),
      () => partner.s3.send(new ListPartsCommand(upload)),
      () => partner.s3.send(new AbortMultipartUploadCommand(upload)),
    ]) {
      await expect(late()).rejects.toMatchObject({ name: 'NoSuchUpload' });
    }
  });

  test('cannot be completed with parts that are out of order, wrong or missing', async () => {
    const upload = await begin('wrong');
    const parts = [await putPart(upload, 1, 'a'), await putPart(upload, 2, 'b')];
    const wrong = { PartNumber: 2, ETag: parts[0]!.ETag };
    await expect(complete(upload, parts.toReversed())).rejects.toMatchObject({
      name: 'InvalidPartOrder',
    });
    await expect(complete(upload, [parts[0]!, wrong])).rejects.toMatchObject({
      name: 'InvalidPart',
    });
    await expect(complete(upload, [])).rejects.toMatchObject({ name: 'MalformedXML' });
    expect(await endpoint.store.stat(upload.Key)).toBeUndefined();
    await complete(upload, parts);
    expect(await contentOf(upload)).toBe('ab');
  });

  test('copies parts from objects or ranges of objects', async () => {
    const source = `${partner.prefix}digits`;
    await partner.s3.send(
      new PutObjectCommand({ Bucket: bucket, Key: source, Body: '0123456789' }),
    );
    const upload = await begin('copied');
    const copyPart = async (PartNumber: number, CopySourceRange?: string) => {
      const CopySource = `${bucket}/${source}`;
      const { CopyPartResult } = await partner.s3.send(
        new UploadPartCopyCommand({ ...upload, PartNumber, CopySource, CopySourceRange }),
      );
      return { PartNumber, ETag: CopyPartResult?.ETag };
    };
    const parts = [await copyPart(1), await copyPart(2, 'bytes=3-5')];
    await expect(copyPart(3, 'bytes=5-10')).rejects.toMatchObject({ name: 'InvalidArgument' });
    await expect(copyPart(3, 'bytes=5-')).rejects.toMatchObject({ name: 'InvalidArgument' });
    await complete(upload, parts);
    expect(await contentOf(upload)).toBe('0123456789345');
  });

  test('accepts parts through presigned URLs', async () => {
    const upload = await begin('presigned');
    const command = new UploadPartCommand({ ...upload, PartNumber: 1 });
    const url = await getSignedUrl(partner.s3, command);
    const answer = await fetch(url, { method: 'PUT', body: 'by anyone' });
    const ETag = answer.headers.get('etag') ?? undefined;
    await complete(upload, [{ PartNumber: 1, ETag }]);
    expect(await contentOf(upload)).toBe('by anyone');
  });

  test.each(['0', '10001', 'x', ''])('refuses the part number %j', async (number) => {
    const { Key, UploadId } = await begin('numbers');
    const target = `/${bucket}/${Key}?partNumber=${number}&uploadId=${UploadId}`;
    const answer = await partner.send('PUT', target, { headers: { 'content-length': '0' } });
    expect(answer.code).toBe('InvalidArgument');
  });

  test('can be completed with checksums of the parts and of the object', async () => {
    const upload = await begin('checksums', { ChecksumAlgorithm: 'CRC32' });
    const { ETag, ChecksumCRC32 } = await partner.s3.send(
      new UploadPartCommand({ ...upload, PartNumber: 1, Body: 'x', ChecksumAlgorithm: 'CRC32' }),
    );
    await partner.s3.send(
      new CompleteMultipartUploadCommand({
        ...upload,
        ChecksumCRC32,
        ChecksumType: 'FULL_OBJECT',
        MultipartUpload: { Parts: [{ PartNumber: 1, ETag, ChecksumCRC32 }] },
      }),
    );
    expect(await contentOf(upload)).toBe('x');
  });

  test('may have ten thousand parts', async () => {
    const upload = await begin('many');
    const Parts = Array.from({ length: 10_000 }, (_, i) => ({
      PartNumber: i + 1,
      ETag: `"${'0'.repeat(32)}"`,
    }));
    await expect(complete(upload, Parts)).rejects.toMatchObject({ name: 'InvalidPart' });
  });
});

test.each(['CRC32', 'CRC64NVME', 'SHA256'] as const)(
  'the SDK uploads a stream of unknown length with %s checksums',
  async (ChecksumAlgorithm) => {
    const content = randomBytes(12 * 1024 * 1024);
    const Body = Readable.from(
      Array.from({ length: 12 }, (_, i) => content.subarray(i << 20, (i + 1) << 20)),
    );
    const Key = `${partner.prefix}unknown-length`;
    const params = { Bucket: bucket, Key, Body, ChecksumAlgorithm };
    await new Upload({ client: partner.s3, params }).done();
    const read = await partner.s3.send(new GetObjectCommand({ Bucket: bucket, Key }));
    expect(content.equals(await read.Body!.transformToByteArray())).toBe(true);
  },
);
