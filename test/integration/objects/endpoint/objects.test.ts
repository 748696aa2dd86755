import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import {
  CopyObjectCommand,
  CreateBucketCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetBucketAclCommand,
  GetBucketLocationCommand,
  GetBucketPolicyCommand,
  GetBucketVersioningCommand,
  GetObjectCommand,
  GetObjectTaggingCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListBucketsCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  bucket,
  corsOrigin,
  startTestEndpoint,
  type TestEndpoint,
  type UploadingPartner,
} from '../../../support/endpoint.ts';

let endpoint: TestEndpoint;
let partner: UploadingPartner;
let prefix: string;
beforeAll(async () => {
  endpoint = await startTestEndpoint();
  partner = await endpoint.partner();
  prefix = partner.prefix;
});
afterAll(() => endpoint[Symbol.asyncDispose]());

async function put(key: string, body: string | Uint8Array) {
  const Key = prefix + key;
  await partner.s3.send(new PutObjectCommand({ Bucket: bucket, Key, Body: body }));
  return { Bucket: bucket, Key };
}

async function get(key: string, more: object = {}) {
  const command = new GetObjectCommand({ Bucket: bucket, Key: prefix + key, ...more });
  const answer = await partner.s3.send(command);
  return { ...answer, text: await answer.Body!.transformToString() };
}

describe('an object', () => {
  test('is put with its type and metadata, and read back', async () => {
    const Key = `${prefix}a.csv`;
    const answer = await partner.s3.send(
      new PutObjectCommand({
        Bucket: bucket,
        Key,
        Body: 'hello',
        ContentType: 'text/csv',
        Metadata: { mtime: '12.5', __proto__note: 'x' },
      }),
    );
    expect(answer.ETag).toBe(`"${createHash('md5').update('hello').digest('hex')}"`);
    const read = await get('a.csv');
    expect(read).toMatchObject({
      text: 'hello',
      ContentType: 'text/csv',
      ContentLength: 5,
      ETag: answer.ETag,
      AcceptRanges: 'bytes',
      Metadata: { mtime: '12.5', __proto__note: 'x' },
    });
    expect(Date.now() - read.LastModified!.getTime()).toBeLessThan(60_000);
    const head = await partner.s3.send(new HeadObjectCommand({ Bucket: bucket, Key }));
    expect(head).toMatchObject({ ContentLength: 5, ContentType: 'text/csv', ETag: answer.ETag });
  });

  test.each(['CRC32', 'CRC32C', 'CRC64NVME', 'SHA1', 'SHA256'] as const)(
    'put with a %s checksum returns it in the response',
    async (algorithm) => {
      const Body = randomBytes(100_000);
      const answer = await partner.s3.send(
        new PutObjectCommand({
          Bucket: bucket,
          Key: `${prefix}sum`,
          Body,
          ChecksumAlgorithm: algorithm,
        }),
      );
      expect(answer[`Checksum${algorithm}`]).toMatch(/=$/);
    },
  );

  test('is put from a stream, with and without a checksum in the trailer', async () => {
    const content = randomBytes(300_000);
    for (const requestChecksumCalculation of ['WHEN_SUPPORTED', 'WHEN_REQUIRED'] as const) {
      const s3 = partner.client({ requestChecksumCalculation });
      const Body = Readable.from([content.subarray(0, 70_001), content.subarray(70_001)]);
      const Key = `${prefix}streamed`;
      await s3.send(
        new PutObjectCommand({ Bucket: bucket, Key, Body, ContentLength: content.length }),
      );
      const read = await s3.send(new GetObjectCommand({ Bucket: bucket, Key }));
      expect(content.equals(await read.Body!.transformToByteArray())).toBe(true);
    }
  });

  test('may be empty', async () => {
    await put('empty', '');
    expect(await get('empty')).toMatchObject({ text: '', ContentLength: 0 });
  });

  test.each([
    '..',
    '../../x',
    './x',
    'a//b',
    '/a',
    'a b+c%20&=?#é😀',
    "!'()*~",
    'a\u0001b\tc\nd',
    'x'.repeat(1000),
  ])('may have the key %j', async (key) => {
    await put(key, key);
    expect((await get(key)).text).toBe(key);
    expect(await endpoint.store.stat(prefix + key)).toMatchObject({ key: prefix + key });
  });

  test('is also found with the bucket in the host name', async () => {
    await put('virtual', 'by host');
    const { port } = new URL(endpoint.url);
    const answer = await partner.send('GET', `/${prefix}virtual`, {
      headers: { host: `${bucket}.localhost:${port}` },
    });
    expect(answer).toMatchObject({ status: 200, text: 'by host' });
  });

  test('that does not exist causes S3’s error', async () => {
    const Key = `${prefix}nowhere`;
    await expect(
      partner.s3.send(new GetObjectCommand({ Bucket: bucket, Key })),
    ).rejects.toMatchObject({ name: 'NoSuchKey', message: 'The specified key does not exist.' });
    await expect(
      partner.s3.send(new HeadObjectCommand({ Bucket: bucket, Key })),
    ).rejects.toMatchObject({ name: 'NotFound', $metadata: { httpStatusCode: 404 } });
  });

  test('is deleted, alone or with others, whether or not it exists', async () => {
    const one = await put('delete/1', 'x');
    await partner.s3.send(new DeleteObjectCommand(one));
    await partner.s3.send(new DeleteObjectCommand(one));
    await put('delete/2', 'x');
    await put('delete/"&<3>\n', 'x');
    const names = ['delete/1', 'delete/2', 'delete/"&<3>\n'].map((name) => prefix + name);
    const answer = await partner.s3.send(
      new DeleteObjectsCommand({
        Bucket: bucket,
        Delete: { Objects: names.map((Key) => ({ Key })) },
      }),
    );
    expect(answer.Deleted?.map(({ Key }) => Key)).toEqual(names);
    expect(answer.Errors).toBeUndefined();
    expect(await endpoint.store.list(`${prefix}delete/`, '', 10)).toEqual([]);
  });

  test('is deleted among a thousand others in quiet mode', async () => {
    const { Key } = await put('delete/quiet', 'x');
    const Objects = Array.from({ length: 999 }, (_, i) => ({ Key: `${prefix}none/${i}` }));
    const answer = await partner.s3.send(
      new DeleteObjectsCommand({
        Bucket: bucket,
        Delete: { Quiet: true, Objects: [...Objects, { Key }] },
      }),
    );
    expect(answer.Deleted).toBeUndefined();
    expect(await endpoint.store.stat(Key)).toBeUndefined();
    await expect(
      partner.s3.send(
        new DeleteObjectsCommand({
          Bucket: bucket,
          Delete: { Objects: [...Objects, { Key }, { Key }] },
        }),
      ),
    ).rejects.toMatchObject({ name: 'MalformedXML' });
  });
});

describe('a range', () => {
  test.each([
    ['bytes=0-3', '0123', 'bytes 0-3/10'],
    ['bytes=7-', '789', 'bytes 7-9/10'],
    ['bytes=-2', '89', 'bytes 8-9/10'],
    ['bytes=-20', '0123456789', 'bytes 0-9/10'],
    ['bytes=8-100', '89', 'bytes 8-9/10'],
  ])('%s returns just those bytes', async (Range, text, ContentRange) => {
    await put('digits', '0123456789');
    expect(await get('digits', { Range })).toMatchObject({
      text,
      ContentRange,
      ContentLength: text.length,
      $metadata: { httpStatusCode: 206 },
    });
  });

  test.each(['bytes=3-1', 'bytes=0-1,3-4', 'bytes=-', 'lines=1-2'])(
    'that is invalid (%s) is ignored',
    async (Range) => {
      await put('digits', '0123456789');
      expect(await get('digits', { Range })).toMatchObject({
        text: '0123456789',
        $metadata: { httpStatusCode: 200 },
      });
    },
  );

  test('beyond the end is refused', async () => {
    await put('digits', '0123456789');
    await expect(get('digits', { Range: 'bytes=10-' })).rejects.toMatchObject({
      name: 'InvalidRange',
      ActualObjectSize: '10',
      $metadata: { httpStatusCode: 416 },
    });
  });

  test('of another version than the client has returns the whole object', async () => {
    await put('digits', '0123456789');
    const headers = { range: 'bytes=0-1', 'if-range': '"other"' };
    const answer = await partner.send('GET', `/${bucket}/${prefix}digits`, { headers });
    expect(answer).toMatchObject({ status: 200, text: '0123456789' });
  });
});

describe('conditions', () => {
  test('of reading are evaluated', async () => {
    await put('condition', 'x');
    const { ETag, LastModified } = await get('condition');
    const before = new Date(LastModified!.getTime() - 5_000);
    const statusOf = (more: object) =>
      get('condition', more).then(String, (error) => error.$metadata.httpStatusCode);

    for (const met of [
      { IfMatch: ETag },
      { IfMatch: '*' },
      { IfNoneMatch: '"other"' },
      { IfModifiedSince: before },
      { IfUnmodifiedSince: LastModified },
      { IfMatch: ETag, IfUnmodifiedSince: before },
      { IfNoneMatch: '"other"', IfModifiedSince: LastModified },
    ]) {
      expect((await get('condition', met)).text).toBe('x');
    }
    expect(await statusOf({ IfMatch: '"other"' })).toBe(412);
    expect(await statusOf({ IfUnmodifiedSince: before })).toBe(412);
    expect(await statusOf({ IfNoneMatch: ETag })).toBe(304);
    expect(await statusOf({ IfModifiedSince: LastModified })).toBe(304);
  });
});

describe('a copy', () => {
  const copy = (from: string, to: string, more: object = {}) =>
    partner.s3.send(
      new CopyObjectCommand({
        Bucket: bucket,
        Key: prefix + to,
        CopySource: `${bucket}/${encodeURIComponent(prefix + from)}`,
        ...more,
      }),
    );

  test('has the content and headers of its source', async () => {
    const Key = `${prefix}copy/é source`;
    const Metadata = { note: 'kept' };
    await partner.s3.send(
      new PutObjectCommand({ Bucket: bucket, Key, Body: 'x', ContentType: 'text/csv', Metadata }),
    );
    const { CopyObjectResult } = await copy('copy/é source', 'copy/target');
    expect(await get('copy/target')).toMatchObject({
      text: 'x',
      ContentType: 'text/csv',
      Metadata,
      ETag: CopyObjectResult?.ETag,
    });
  });

  test('can replace the headers, even onto itself', async () => {
    await put('copy/a', 'x');
    const more = { MetadataDirective: 'REPLACE', Metadata: { a: 'b' }, ContentType: 'text/plain' };
    await copy('copy/a', 'copy/a', more);
    expect(await get('copy/a')).toMatchObject({
      text: 'x',
      ContentType: 'text/plain',
      Metadata: { a: 'b' },
    });
    await expect(copy('copy/a', 'copy/a')).rejects.toMatchObject({ name: 'InvalidRequest' });
  });

  test('is refused if the source is missing or its conditions fail', async () => {
    await put('copy/a', 'x');
    await expect(copy('copy/none', 'copy/b')).rejects.toMatchObject({ name: 'NoSuchKey' });
    for (const condition of [
      { CopySourceIfMatch: '"other"' },
      { CopySourceIfNoneMatch: createHash('md5').update('x').digest('hex') },
    ]) {
      await expect(copy('copy/a', 'copy/b', condition)).rejects.toMatchObject({
        name: 'PreconditionFailed',
      });
    }
    expect(await endpoint.store.stat(`${prefix}copy/b`)).toBeUndefined();
  });
});

describe('a presigned URL', () => {
  test('uploads, downloads and deletes without credentials', async () => {
    const object = { Bucket: bucket, Key: `${prefix}presigned é` };
    const Metadata = { note: 'in the query' };
    const upload = await getSignedUrl(partner.s3, new PutObjectCommand({ ...object, Metadata }), {
      expiresIn: 60,
    });
    expect((await fetch(upload, { method: 'PUT', body: 'by anyone' })).status).toBe(200);
    const download = await getSignedUrl(
      partner.s3,
      new GetObjectCommand({
        ...object,
        ResponseContentDisposition: 'attachment; filename="é.csv"',
        ResponseContentType: 'text/plain',
      }),
    );
    const answer = await fetch(download);
    expect(await answer.text()).toBe('by anyone');
    expect(answer.headers.get('x-amz-meta-note')).toBe('in the query');
    expect(answer.headers.get('content-type')).toBe('text/plain');
    expect(answer.headers.get('content-disposition')).toContain('attachment');
    const removal = await getSignedUrl(partner.s3, new DeleteObjectCommand(object));
    expect((await fetch(removal, { method: 'DELETE' })).status).toBe(204);
    expect((await fetch(download)).status).toBe(404);
  });
});

describe('the bucket', () => {
  test('exists in its region, without settings', async () => {
    const Bucket = bucket;
    const { s3 } = partner;
    await s3.send(new HeadBucketCommand({ Bucket }));
    expect((await s3.send(new ListBucketsCommand())).Buckets).toMatchObject([{ Name: bucket }]);
    expect(await s3.send(new GetBucketLocationCommand({ Bucket }))).not.toHaveProperty(
      'LocationConstraint',
    );
    expect((await s3.send(new GetBucketVersioningCommand({ Bucket }))).Status).toBeUndefined();
    expect((await s3.send(new GetBucketAclCommand({ Bucket }))).Grants).toHaveLength(1);
    await expect(s3.send(new GetBucketPolicyCommand({ Bucket }))).rejects.toMatchObject({
      name: 'NoSuchBucketPolicy',
    });
    await expect(s3.send(new CreateBucketCommand({ Bucket }))).rejects.toMatchObject({
      name: 'BucketAlreadyOwnedByYou',
    });
    const object = await put('tagged', 'x');
    expect((await s3.send(new GetObjectTaggingCommand(object))).TagSet ?? []).toEqual([]);
  });

  test('allows scripts of one origin only', async () => {
    const preflight = (origin: string) =>
      fetch(`${endpoint.url}/${bucket}/x`, {
        method: 'OPTIONS',
        headers: {
          origin,
          'access-control-request-method': 'PUT',
          'access-control-request-headers': 'x-amz-date',
        },
      });
    const allowed = await preflight(corsOrigin);
    expect(allowed.status).toBe(200);
    expect(allowed.headers.get('access-control-allow-origin')).toBe(corsOrigin);
    expect(allowed.headers.get('access-control-allow-methods')).toContain('PUT');
    expect(allowed.headers.get('access-control-allow-headers')).toBe('x-amz-date');
    const refused = await preflight('https://elsewhere.example.com');
    expect(refused.status).toBe(403);
    expect(refused.headers.get('access-control-allow-origin')).toBeNull();

    const object = await put('cors', 'x');
    const url = await getSignedUrl(partner.s3, new GetObjectCommand(object));
    const read = await fetch(url, { headers: { origin: corsOrigin } });
    expect(read.headers.get('access-control-allow-origin')).toBe(corsOrigin);
    expect(read.headers.get('access-control-expose-headers')).toContain('ETag');
    const other = await fetch(url, { headers: { origin: 'https://elsewhere.example.com' } });
    expect(other.headers.get('access-control-allow-origin')).toBeNull();
  });
});

test('each request is logged as one line without its query', async () => {
  await put('logged', 'x');
  const lines = endpoint.logged.filter((line) => line.includes(`${prefix}logged`));
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0]!)).toMatchObject({
    msg: 'request',
    method: 'PUT',
    path: `/${bucket}/${prefix}logged`,
    status: 200,
    ms: expect.any(Number),
    access_key_id: partner.accessKeyId,
  });
  expect(endpoint.logged.join('')).not.toContain(partner.secretAccessKey);
  expect(endpoint.logged.join('')).not.toContain('X-Amz-');
  expect(endpoint.logged.filter((line) => /"level":"(error|warn)"/.test(line))).toEqual([]);
});
