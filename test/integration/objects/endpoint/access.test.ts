import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectAclCommand,
  GetObjectCommand,
  GetObjectTaggingCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsCommand,
  ListObjectsV2Command,
  ListPartsCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  bucket,
  startTestEndpoint,
  type TestEndpoint,
  type UploadingPartner,
} from '../../../support/endpoint.ts';

let endpoint: TestEndpoint;
let owner: UploadingPartner;
let stranger: UploadingPartner;
let object: { Bucket: string; Key: string };
let upload: { Bucket: string; Key: string; UploadId: string };
let etag: string | undefined;
beforeAll(async () => {
  endpoint = await startTestEndpoint();
  owner = await endpoint.partner();
  stranger = await endpoint.partner();
  object = { Bucket: bucket, Key: `${owner.prefix}secret` };
  await owner.s3.send(new PutObjectCommand({ ...object, Body: 'secret' }));
  await stranger.s3.send(
    new PutObjectCommand({ Bucket: bucket, Key: `${stranger.prefix}own`, Body: 'own' }),
  );
  const begun = await owner.s3.send(new CreateMultipartUploadCommand(object));
  upload = { ...object, UploadId: begun.UploadId! };
  const part = await owner.s3.send(
    new UploadPartCommand({ ...upload, PartNumber: 1, Body: 'part' }),
  );
  etag = part.ETag;
});
afterAll(() => endpoint[Symbol.asyncDispose]());

const statusOf = (sent: Promise<unknown>) =>
  sent.then(
    () => 200,
    (error) => error.$metadata?.httpStatusCode ?? error,
  );
const nameOf = (sent: Promise<unknown>) =>
  sent.then(
    () => 'accepted',
    (error) => error.name,
  );

/** Every way to access another partner's object. */
const attempts: Record<string, (s3: S3Client) => Promise<unknown>> = {
  reading: (s3) => s3.send(new GetObjectCommand(object)),
  'asking for its acl': (s3) => s3.send(new GetObjectAclCommand(object)),
  'asking for its tags': (s3) => s3.send(new GetObjectTaggingCommand(object)),
  writing: (s3) => s3.send(new PutObjectCommand({ ...object, Body: 'x' })),
  deleting: (s3) => s3.send(new DeleteObjectCommand(object)),
  'copying from it': (s3) =>
    s3.send(
      new CopyObjectCommand({
        Bucket: bucket,
        Key: `${stranger.prefix}stolen`,
        CopySource: `${bucket}/${object.Key}`,
      }),
    ),
  'copying over it': (s3) =>
    s3.send(new CopyObjectCommand({ ...object, CopySource: `${bucket}/${stranger.prefix}own` })),
  'beginning an upload': (s3) => s3.send(new CreateMultipartUploadCommand(object)),
  'uploading a part': (s3) =>
    s3.send(new UploadPartCommand({ ...upload, PartNumber: 1, Body: 'x' })),
  'copying into a part': (s3) =>
    s3.send(
      new UploadPartCopyCommand({
        ...upload,
        PartNumber: 1,
        CopySource: `${bucket}/${stranger.prefix}own`,
      }),
    ),
  'listing the parts': (s3) => s3.send(new ListPartsCommand(upload)),
  'completing an upload': (s3) =>
    s3.send(
      new CompleteMultipartUploadCommand({
        ...upload,
        MultipartUpload: { Parts: [{ PartNumber: 1, ETag: etag }] },
      }),
    ),
  'aborting an upload': (s3) => s3.send(new AbortMultipartUploadCommand(upload)),
};

describe("another partner's object is inaccessible", () => {
  test.each(Object.keys(attempts))('to %s', async (name) => {
    expect(await nameOf(attempts[name]!(stranger.s3))).toBe('AccessDenied');
  });

  test('to HEAD, which does not reveal whether it exists', async () => {
    const head = (Key: string) =>
      statusOf(stranger.s3.send(new HeadObjectCommand({ Bucket: bucket, Key })));
    expect(await head(object.Key)).toBe(403);
    expect(await head(`${owner.prefix}nothing`)).toBe(403);
    expect(await head(owner.prefix.slice(0, -1))).toBe(403);
    expect(await head(stranger.prefix.slice(0, -1))).toBe(403);
  });

  test('to a deletion of several objects, which deletes the others', async () => {
    const own = `${stranger.prefix}to-delete`;
    await stranger.s3.send(new PutObjectCommand({ Bucket: bucket, Key: own, Body: 'x' }));
    const answer = await stranger.s3.send(
      new DeleteObjectsCommand({
        Bucket: bucket,
        Delete: { Objects: [{ Key: object.Key }, { Key: own }] },
      }),
    );
    expect(answer.Deleted).toEqual([{ Key: own }]);
    expect(answer.Errors).toEqual([
      { Key: object.Key, Code: 'AccessDenied', Message: 'Access Denied' },
    ]);
  });

  test('to copying it into a part of an upload, and to its upload id under another key', async () => {
    const own = { Bucket: bucket, Key: `${stranger.prefix}mine` };
    const { UploadId } = await stranger.s3.send(new CreateMultipartUploadCommand(own));
    const copy = new UploadPartCopyCommand({
      ...own,
      UploadId,
      PartNumber: 1,
      CopySource: `${bucket}/${object.Key}`,
    });
    expect(await nameOf(stranger.s3.send(copy))).toBe('AccessDenied');
    const mixed = { ...own, UploadId: upload.UploadId };
    const MultipartUpload = { Parts: [{ PartNumber: 1, ETag: etag }] };
    for (const sent of [
      () => stranger.s3.send(new UploadPartCommand({ ...mixed, PartNumber: 1, Body: 'x' })),
      () => stranger.s3.send(new ListPartsCommand(mixed)),
      () => stranger.s3.send(new CompleteMultipartUploadCommand({ ...mixed, MultipartUpload })),
      () => stranger.s3.send(new AbortMultipartUploadCommand(mixed)),
    ]) {
      expect(await nameOf(sent())).toBe('NoSuchUpload');
    }
  });

  test('to listings with a prefix outside the caller’s own', async () => {
    const own = stranger.prefix;
    for (const [Prefix, name] of [
      [undefined, 'AccessDenied'],
      ['', 'AccessDenied'],
      ['p', 'AccessDenied'],
      [own.slice(0, -1), 'AccessDenied'],
      [owner.prefix, 'AccessDenied'],
      [`${owner.prefix}secret`, 'AccessDenied'],
      [`/${own}`, 'AccessDenied'],
      [own, 'accepted'],
      [`${own}x`, 'accepted'],
      [`${own}../${owner.prefix}`, 'accepted'],
    ] as const) {
      const input = { Bucket: bucket, Prefix };
      for (const sent of [
        () => stranger.s3.send(new ListObjectsCommand(input)),
        () => stranger.s3.send(new ListObjectsV2Command(input)),
        () => stranger.s3.send(new ListMultipartUploadsCommand(input)),
      ]) {
        expect(await nameOf(sent())).toBe(name);
      }
    }
    const within = { Bucket: bucket, Prefix: `${own}../${owner.prefix}` };
    expect((await stranger.s3.send(new ListObjectsV2Command(within))).KeyCount).toBe(0);
    const before = { Bucket: bucket, Prefix: own, StartAfter: owner.prefix };
    const { Contents } = await stranger.s3.send(new ListObjectsV2Command(before));
    expect(Contents?.map(({ Key }) => Key)).toEqual([`${own}own`]);
  });

  test('and is unchanged after all of this', async () => {
    const { Body } = await owner.s3.send(new GetObjectCommand(object));
    expect(await Body!.transformToString()).toBe('secret');
    const { Parts } = await owner.s3.send(new ListPartsCommand(upload));
    expect(Parts?.map(({ ETag }) => ETag)).toEqual([etag]);
    expect(await endpoint.store.stat(`${stranger.prefix}stolen`)).toBeUndefined();
  });
});

describe('dot segments do not escape the prefix', () => {
  const spellings = ['..', '%2e%2e', '%2E%2E', '.%2e', '%2e.'];
  const slashes = ['/', '%2F', '%2f', '//'];
  const detours = spellings.flatMap((dots) => slashes.map((slash) => dots + slash));

  test.each(detours)('written as %s', async (detour) => {
    const within = `/${bucket}/${stranger.prefix}${detour}${owner.prefix}secret`;
    expect(await stranger.send('GET', within)).toMatchObject({ status: 404, code: 'NoSuchKey' });
    expect((await stranger.send('DELETE', within)).status).toBe(204);
    const headers = { 'content-length': '1' };
    expect((await stranger.send('PUT', within, { headers, body: 'x' })).status).toBe(200);
    const written = await endpoint.store.list(`${stranger.prefix}..`, '', 10);
    expect(written).toHaveLength(1);
    await endpoint.store.delete(written.map(({ key }) => key));

    for (const outside of [
      `/${bucket}/${detour}${bucket}/${owner.prefix}secret`,
      `/${detour}${bucket}/${owner.prefix}secret`,
      `/${bucket}/${detour}${owner.prefix}secret`,
    ]) {
      expect((await stranger.send('GET', outside)).code).toBe('AccessDenied');
    }
  });

  test.each(detours)('written as %s in a copy source', async (detour) => {
    const headers = (source: string) => ({ 'x-amz-copy-source': source, 'content-length': '0' });
    const target = `/${bucket}/${stranger.prefix}stolen`;
    const copy = (source: string) => stranger.send('PUT', target, { headers: headers(source) });
    const within = `${bucket}/${stranger.prefix}${detour}${owner.prefix}secret`;
    expect((await copy(within)).code).toBe('NoSuchKey');
    expect((await copy(`${bucket}/${detour}${owner.prefix}secret`)).code).toBe('AccessDenied');
  });

  test("and the owner's object is unchanged", async () => {
    const { Body } = await owner.s3.send(new GetObjectCommand(object));
    expect(await Body!.transformToString()).toBe('secret');
  });
});

test('another bucket is denied, whether or not it exists', async () => {
  const other = { Bucket: 'another', Key: `${owner.prefix}secret` };
  expect(await nameOf(owner.s3.send(new GetObjectCommand(other)))).toBe('AccessDenied');
  expect(await statusOf(owner.s3.send(new HeadBucketCommand(other)))).toBe(403);
  expect(await nameOf(owner.s3.send(new PutObjectCommand({ ...other, Body: '' })))).toBe(
    'AccessDenied',
  );
  const CopySource = `another/${object.Key}`;
  expect(await nameOf(owner.s3.send(new CopyObjectCommand({ ...object, CopySource })))).toBe(
    'AccessDenied',
  );
});

test('unsupported operations are not mistaken for supported ones', async () => {
  const target = `/${bucket}/${object.Key}`;
  const headers = { 'content-length': '1' };
  for (const query of ['acl', 'tagging', 'retention', 'legal-hold', 'torrent', 'renameObject']) {
    const answer = await owner.send('PUT', `${target}?${query}`, { headers, body: 'x' });
    expect(answer.code).toBe('NotImplemented');
  }
  expect((await owner.send('GET', `${target}?partNumber=1`)).code).toBe('NotImplemented');
  expect((await owner.send('GET', `${target}?versionId=1`)).code).toBe('NoSuchVersion');
  expect((await owner.send('DELETE', `${target}?tagging`)).code).toBe('NotImplemented');
  expect((await owner.send('POST', `${target}?select`)).code).toBe('NotImplemented');
  expect((await owner.send('PATCH', target)).code).toBe('MethodNotAllowed');
  expect((await owner.send('DELETE', `/${bucket}`)).code).toBe('AccessDenied');
  expect((await owner.send('PUT', `/${bucket}?policy`, { headers, body: 'x' })).code).toBe(
    'NotImplemented',
  );
  expect((await owner.send('DELETE', '/')).code).toBe('MethodNotAllowed');
});
