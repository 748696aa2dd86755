import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  ListPartsCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bytesOf, filesIn } from '../../../support/blobs.ts';
import {
  bucket,
  type RawAnswer,
  startTestEndpoint,
  type TestEndpoint,
  type UploadingPartner,
} from '../../../support/endpoint.ts';

const rounds = process.env.TRIBUTARY_SOAK === '1' ? 50 : 5;
const isFree = { 'if-none-match': '*' };

let endpoint: TestEndpoint;
let partner: UploadingPartner;
let source: string;
beforeAll(async () => {
  endpoint = await startTestEndpoint();
  partner = await endpoint.partner();
  source = `${partner.prefix}source`;
  await partner.s3.send(new PutObjectCommand({ Bucket: bucket, Key: source, Body: 'source' }));
});
afterAll(() => endpoint[Symbol.asyncDispose]());

type Conditions = Record<string, string>;

/** Sends a signed request. */
function send(method: string, name: string, headers: Conditions, body = ''): Promise<RawAnswer> {
  const length = { 'content-length': `${Buffer.byteLength(body)}` };
  const target = `/${bucket}/${partner.prefix}${name}`;
  return partner.send(method, target, { headers: { ...length, ...headers }, body });
}

function put(name: string, body: string, headers: Conditions = {}): Promise<RawAnswer> {
  return send('PUT', name, headers, body);
}

function copy(name: string, headers: Conditions): Promise<RawAnswer> {
  return send('PUT', name, { 'x-amz-copy-source': `/${bucket}/${source}`, ...headers });
}

/** Uploads one part and returns a function that completes the upload. */
async function upload(name: string, body: string) {
  const begun = { Bucket: bucket, Key: partner.prefix + name };
  const { UploadId } = await partner.s3.send(new CreateMultipartUploadCommand(begun));
  const { ETag } = await partner.s3.send(
    new UploadPartCommand({ ...begun, UploadId, PartNumber: 1, Body: body }),
  );
  const part = `<Part><PartNumber>1</PartNumber><ETag>${ETag}</ETag></Part>`;
  const list = `<CompleteMultipartUpload>${part}</CompleteMultipartUpload>`;
  return {
    ...begun,
    UploadId,
    complete: (headers: Conditions) => send('POST', `${name}?uploadId=${UploadId}`, headers, list),
  };
}

async function textAt(name: string): Promise<string | undefined> {
  const version = await endpoint.store.stat(partner.prefix + name);
  return version && String(await bytesOf(endpoint.store.open(version, 0)));
}

async function etagOf(name: string): Promise<string> {
  return (await endpoint.store.stat(partner.prefix + name))!.etag;
}

const writes = [
  ['a put', (name: string, headers: Conditions) => put(name, 'put', headers), 'put'],
  ['a copy', copy, 'source'],
  [
    'the completion of an upload',
    async (name: string, headers: Conditions) => (await upload(name, 'parts')).complete(headers),
    'parts',
  ],
] as const;

describe.each(writes)('%s', (kind, write, written) => {
  const key = (name: string) => `${kind.replaceAll(' ', '-')}/${name}`;

  test('with If-None-Match: * stores an object only if there is none', async () => {
    const name = key('absent');
    expect(await write(name, isFree)).toMatchObject({ status: 200 });
    expect(await textAt(name)).toBe(written);
    await put(name, 'other');
    const refusal = await write(name, isFree);
    expect(refusal).toMatchObject({ status: 412, code: 'PreconditionFailed' });
    expect(refusal.text).toContain('<Condition>If-None-Match</Condition>');
    expect(await textAt(name)).toBe('other');
    await send('DELETE', name, {});
    expect(await write(name, isFree)).toMatchObject({ status: 200 });
  });

  test('with If-Match replaces only the object that has this ETag', async () => {
    const name = key('etag');
    await put(name, 'first');
    const first = await etagOf(name);
    await put(name, 'second');
    const refusal = await write(name, { 'if-match': `"${first}"` });
    expect(refusal).toMatchObject({ status: 412, code: 'PreconditionFailed' });
    expect(refusal.text).toContain('<Condition>If-Match</Condition>');
    expect(await textAt(name)).toBe('second');
    const second = await etagOf(name);
    expect(await write(name, { 'if-match': `"${second}"` })).toMatchObject({ status: 200 });
    expect(await textAt(name)).toBe(written);
    // S3 also accepts an ETag without quotes.
    const third = await etagOf(name);
    expect(await write(name, { 'if-match': third })).toMatchObject({ status: 200 });
  });

  test('with If-Match of an object that does not exist answers NoSuchKey', async () => {
    const answer = await write(key('missing'), { 'if-match': '"0123"' });
    expect(answer).toMatchObject({ status: 404, code: 'NoSuchKey' });
    expect(await textAt(key('missing'))).toBeUndefined();
  });

  test('with a condition that S3 does not have is refused, not ignored', async () => {
    const name = key('unsupported');
    for (const headers of [
      { 'if-none-match': '"0123"' },
      { 'if-match': '*' },
      { 'if-match': '"0123", "4567"' },
      { 'if-match': '"0123"', 'if-none-match': '*' },
    ] as Conditions[]) {
      expect(await write(name, headers)).toMatchObject({ status: 501, code: 'NotImplemented' });
    }
    expect(await textAt(name)).toBeUndefined();
  });
});

describe('concurrent writes', () => {
  test('with If-None-Match: * have exactly one winner, and the losers leave no bytes', async () => {
    const before = (await filesIn(endpoint.storeDir)).length;
    for (let round = 0; round < rounds; round++) {
      const name = `contended/${round}`;
      const uploads = await Promise.all(['u1', 'u2', 'u3'].map((text) => upload(name, text)));
      const answers = await Promise.all([
        ...['p1', 'p2', 'p3', 'p4'].map((text) => put(name, text, isFree)),
        ...uploads.map(({ complete }) => complete(isFree)),
        copy(name, isFree),
        copy(name, isFree),
      ]);
      const won = answers.filter(({ status }) => status === 200);
      const lost = answers.filter(({ status }) => status !== 200);
      expect(won).toHaveLength(1);
      expect(lost.map(({ code }) => code)).toEqual(lost.map(() => 'PreconditionFailed'));
      const place = answers.indexOf(won[0]!);
      const texts = ['p1', 'p2', 'p3', 'p4', 'u1', 'u2', 'u3', 'source', 'source'];
      expect(await textAt(name)).toBe(texts[place]);
      for (const { complete: _, ...begun } of uploads) {
        await partner.s3.send(new AbortMultipartUploadCommand(begun)).catch(() => {});
      }
      expect(await filesIn(endpoint.storeDir)).toHaveLength(before + round + 1);
    }
  });

  test('with If-Match of one version have exactly one winner', async () => {
    for (let round = 0; round < rounds; round++) {
      await put('version', `start ${round}`);
      const condition = { 'if-match': await etagOf('version') };
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, n) => put('version', `${round}.${n}`, condition)),
      );
      const winner = answers.findIndex(({ status }) => status === 200);
      expect(await textAt('version')).toBe(`${round}.${winner}`);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(412)]);
    }
  });

  test('serve as a lock: nobody else wins before the winner deletes the object', async () => {
    let holders = 0;
    let taken = 0;
    const worker = async (name: string) => {
      for (let turn = 0; turn < rounds; ) {
        const { status } = await put('lock', name, isFree);
        if (status !== 200) {
          expect(status).toBe(412);
          continue;
        }
        holders += 1;
        const holder = await textAt('lock');
        expect([holders, holder]).toEqual([1, name]);
        holders -= 1;
        await send('DELETE', 'lock', {});
        taken += 1;
        turn += 1;
      }
    };
    await Promise.all(['a', 'b', 'c'].map(worker));
    expect(taken).toBe(3 * rounds);
  });
});

test('an upload whose completion is refused keeps its parts and can be completed later', async () => {
  await put('kept', 'other');
  const { complete, ...begun } = await upload('kept', 'parts');
  expect(await complete(isFree)).toMatchObject({ status: 412 });
  const { Parts } = await partner.s3.send(new ListPartsCommand(begun));
  expect(Parts).toHaveLength(1);
  await send('DELETE', 'kept', {});
  expect(await complete(isFree)).toMatchObject({ status: 200 });
  // A client that lost the response repeats the request.
  expect(await complete(isFree)).toMatchObject({ status: 200 });
  expect(await textAt('kept')).toBe('parts');
});

test('the SDK reports the refusals as errors', async () => {
  const object = { Bucket: bucket, Key: `${partner.prefix}sdk` };
  const CopySource = `${bucket}/${source}`;
  const { ETag } = await partner.s3.send(
    new PutObjectCommand({ ...object, Body: 'x', IfNoneMatch: '*' }),
  );
  const { UploadId } = await partner.s3.send(new CreateMultipartUploadCommand(object));
  const part = { ...object, UploadId, PartNumber: 1 };
  const sent = await partner.s3.send(new UploadPartCommand({ ...part, Body: 'y' }));
  const MultipartUpload = { Parts: [{ PartNumber: 1, ETag: sent.ETag }] };
  for (const refused of [
    () => partner.s3.send(new PutObjectCommand({ ...object, Body: 'y', IfNoneMatch: '*' })),
    () => partner.s3.send(new PutObjectCommand({ ...object, Body: 'y', IfMatch: '"other"' })),
    () => partner.s3.send(new CopyObjectCommand({ ...object, CopySource, IfNoneMatch: '*' })),
    () =>
      partner.s3.send(
        new CompleteMultipartUploadCommand({
          ...object,
          UploadId,
          MultipartUpload,
          IfNoneMatch: '*',
        }),
      ),
  ]) {
    await expect(refused()).rejects.toMatchObject({
      name: 'PreconditionFailed',
      $metadata: { httpStatusCode: 412 },
    });
  }
  await partner.s3.send(new PutObjectCommand({ ...object, Body: 'y', IfMatch: ETag }));
  expect(await textAt('sdk')).toBe('y');
});

test('operations without conditions refuse them, so that nothing is changed by mistake', async () => {
  await put('whole', 'x');
  const { UploadId } = await upload('begun', 'x');
  const condition = { 'if-match': '"other"' };
  for (const [method, name] of [
    ['DELETE', 'whole'],
    ['POST', 'begun?uploads'],
    ['PUT', `begun?partNumber=2&uploadId=${UploadId}`],
  ] as const) {
    expect(await send(method, name, condition)).toMatchObject({ code: 'NotImplemented' });
  }
  expect(await textAt('whole')).toBe('x');
});
