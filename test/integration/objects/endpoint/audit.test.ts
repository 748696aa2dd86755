import { createHash } from 'node:crypto';
import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, expect, test } from 'vitest';
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

const at = (name: string) => ({ Bucket: bucket, Key: partner.prefix + name });
const md5 = (text: string) => createHash('md5').update(text).digest('hex');

/** The entries that the work adds, the oldest first. */
async function entriesOf(work: () => Promise<unknown>) {
  const list = () => endpoint.auditLog.list({}, { after: null, limit: 100 });
  const last = (await list())[0]?.auditEntryId ?? 0;
  await work();
  return (await list()).filter(({ auditEntryId }) => auditEntryId > last).reverse();
}

test('an upload is recorded with its credentials, and a replacement with the size before', async () => {
  const { s3, accessKeyId } = partner;
  const entries = await entriesOf(async () => {
    await s3.send(new PutObjectCommand({ ...at('a'), Body: 'first' }));
    await s3.send(new PutObjectCommand({ ...at('a'), Body: 'second' }));
    await s3.send(new GetObjectCommand(at('a')));
  });
  const write = {
    action: 's3:PutObject',
    target: `/${bucket}/${partner.prefix}a`,
    actor: 'partner',
    partnerName: 'acme',
    accessKeyId,
    apiKeyId: null,
    remoteAddress: '127.0.0.1',
    requestId: expect.stringMatching(/^[0-9A-F]{16}$/),
    status: 200,
  };
  expect(entries).toMatchObject([
    { ...write, before: null, after: { etag: md5('first'), size: 5 } },
    { ...write, before: { size: 5 }, after: { etag: md5('second'), size: 6 } },
  ]);
});

test('copies and completed multipart uploads are recorded as uploads', async () => {
  const { s3 } = partner;
  await s3.send(new PutObjectCommand({ ...at('source'), Body: 'content' }));
  const entries = await entriesOf(async () => {
    await s3.send(
      new CopyObjectCommand({ ...at('copy'), CopySource: `${bucket}/${at('source').Key}` }),
    );
    const { UploadId } = await s3.send(new CreateMultipartUploadCommand(at('parts')));
    const part = { ...at('parts'), UploadId, PartNumber: 1 };
    const { ETag } = await s3.send(new UploadPartCommand({ ...part, Body: 'part' }));
    const MultipartUpload = { Parts: [{ PartNumber: 1, ETag }] };
    await s3.send(new CompleteMultipartUploadCommand({ ...part, MultipartUpload }));
  });
  expect(entries).toMatchObject([
    { action: 's3:PutObject', target: `/${bucket}/${at('copy').Key}`, after: { size: 7 } },
    { action: 's3:PutObject', target: `/${bucket}/${at('parts').Key}`, after: { size: 4 } },
  ]);
});

test('a deletion of one or many objects is one entry, which names those that existed', async () => {
  const { s3 } = partner;
  const names = ['x', 'y', 'z'];
  for (const name of names) await s3.send(new PutObjectCommand({ ...at(name), Body: name }));
  const deleted = (name: string) => ({ key: at(name).Key, etag: md5(name), size: 1 });
  const entries = await entriesOf(async () => {
    await s3.send(new DeleteObjectCommand(at('x')));
    await s3.send(new DeleteObjectCommand(at('x')));
    const Objects = [...names, 'missing'].map((name) => ({ Key: at(name).Key }));
    await s3.send(new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects } }));
  });
  expect(entries).toMatchObject([
    {
      action: 's3:DeleteObject',
      target: `/${bucket}/${at('x').Key}`,
      before: { objects: [deleted('x')] },
      after: null,
      status: 204,
    },
    {
      action: 's3:DeleteObject',
      target: `/${bucket}/`,
      before: { objects: [deleted('y'), deleted('z')] },
      after: null,
      status: 200,
    },
  ]);
});

test('a refused write is not recorded, and a secret in a key is redacted', async () => {
  const { s3 } = partner;
  const stranger = await endpoint.partner();
  const key = `trib_key_${'A'.repeat(43)}`;
  const entries = await entriesOf(async () => {
    await expect(
      stranger.s3.send(new PutObjectCommand({ ...at('a'), Body: 'x' })),
    ).rejects.toMatchObject({ name: 'AccessDenied' });
    const once = { ...at('a'), Body: 'x', IfNoneMatch: '*' };
    await expect(s3.send(new PutObjectCommand(once))).rejects.toMatchObject({
      name: 'PreconditionFailed',
    });
    await s3.send(new PutObjectCommand({ ...at(key), Body: 'x' }));
    await s3.send(new DeleteObjectCommand(at(key)));
  });
  const target = `/${bucket}/${partner.prefix}[redacted]`;
  expect(entries).toMatchObject([
    { action: 's3:PutObject', target },
    {
      action: 's3:DeleteObject',
      target,
      before: { objects: [{ key: `${partner.prefix}[redacted]` }] },
    },
  ]);
});
