import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { filesIn } from '../../../support/blobs.ts';
import {
  bucket,
  type RawAnswer,
  sendRaw,
  signRequest,
  startTestEndpoint,
  type TestEndpoint,
  type UploadingPartner,
} from '../../../support/endpoint.ts';

/** Signatures and checksums are verified before an upload becomes visible. */
let endpoint: TestEndpoint;
let partner: UploadingPartner;
let key: string;
beforeAll(async () => {
  endpoint = await startTestEndpoint();
  partner = await endpoint.partner();
  key = `${partner.prefix}x`;
});
afterAll(() => endpoint[Symbol.asyncDispose]());

const content = 'the content';
const digest = (name: string) => createHash(name).update(content).digest('base64');
const checksums = {
  'x-amz-checksum-crc32': 'a2edcw==',
  'x-amz-checksum-crc32c': 'yjY0Kg==',
  'x-amz-checksum-crc64nvme': 'z66IMNShOl8=',
  'x-amz-checksum-sha1': digest('sha1'),
  'x-amz-checksum-sha256': digest('sha256'),
};

/** A checksum of other content. */
function wrong(base64: string): string {
  const bytes = Buffer.from(base64, 'base64');
  bytes[0]! ^= 1;
  return bytes.toString('base64');
}

async function targets(): Promise<string[]> {
  const uploadId = await endpoint.store.beginUpload(key, { contentType: 'x', metadata: {} });
  return [`/${bucket}/${key}`, `/${bucket}/${key}?partNumber=1&uploadId=${uploadId}`];
}

/** Sends an upload as an object and as a part, and checks that it leaves no file. */
async function expectRefused(
  code: string,
  send: (target: string) => Promise<RawAnswer>,
): Promise<void> {
  const before = await filesIn(endpoint.storeDir);
  for (const target of await targets()) {
    expect((await send(target)).code).toBe(code);
    expect(await filesIn(endpoint.storeDir)).toEqual(before);
  }
}

function put(target: string, headers: Record<string, string>, body = content) {
  return partner.send('PUT', target, {
    headers: { 'content-length': String(Buffer.byteLength(body)), ...headers },
    body,
  });
}

describe('an upload', () => {
  test.each(Object.entries(checksums))('must match %s', async (name, value) => {
    for (const target of await targets()) {
      const answer = await put(target, { [name]: value });
      expect(answer).toMatchObject({ status: 200, headers: { [name]: value } });
    }
    await endpoint.store.delete([key]);
    await expectRefused('BadDigest', (target) => put(target, { [name]: wrong(value) }));
    await expectRefused('InvalidRequest', (target) => put(target, { [name]: 'AAAA' }));
  });

  test('must match its Content-MD5', async () => {
    for (const target of await targets()) {
      expect((await put(target, { 'content-md5': digest('md5') })).status).toBe(200);
    }
    await expectRefused('BadDigest', (target) =>
      put(target, { 'content-md5': wrong(digest('md5')) }),
    );
    await expectRefused('InvalidDigest', (target) => put(target, { 'content-md5': 'x' }));
  });

  test('must match its signed hash', async () => {
    const hash = createHash('sha256').update(content).digest('hex');
    for (const target of await targets()) {
      expect((await put(target, { 'x-amz-content-sha256': hash })).status).toBe(200);
    }
    await expectRefused('XAmzContentSHA256Mismatch', (target) =>
      put(target, { 'x-amz-content-sha256': hash }, 'other bytes'),
    );
  });

  test('may have at most one checksum, of a supported algorithm', async () => {
    await expectRefused('InvalidRequest', (target) => put(target, checksums));
    await expectRefused('NotImplemented', (target) => put(target, { 'x-amz-checksum-md4': 'x' }));
  });

  test('must declare its length', async () => {
    await expectRefused('MissingContentLength', (target) =>
      partner.send('PUT', target, { headers: { 'transfer-encoding': 'chunked' }, body: content }),
    );
    await expectRefused('EntityTooLarge', (target) =>
      put(target, { 'content-length': String(5 * 1024 ** 3 + 1) }),
    );
  });

  test('that requests encryption, tags or public access is refused', async () => {
    for (const [name, value, code] of [
      ['x-amz-server-side-encryption', 'AES256', 'NotImplemented'],
      ['x-amz-tagging', 'a=b', 'NotImplemented'],
      ['x-amz-acl', 'public-read', 'AccessControlListNotSupported'],
      ['x-amz-storage-class', 'GLACIER', 'InvalidStorageClass'],
    ] as const) {
      await expectRefused(code, (target) => put(target, { [name]: value }));
    }
    const target = `/${bucket}/${key}`;
    const metadata = { 'x-amz-meta-long': 'x'.repeat(2_048) };
    expect((await put(target, metadata)).code).toBe('MetadataTooLarge');
    expect((await put(target, { 'x-amz-acl': 'private' })).status).toBe(200);
  });
});

interface ChunkedUpload {
  readonly payload: string;
  readonly trailer?: Record<string, string>;
  readonly announced?: string;
  readonly decodedLength?: string;
  /** Changes the finished body. */
  tamper?(body: string): string;
}

const signedChunks = 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD';
const signedTrailer = 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER';
const unsignedTrailer = 'STREAMING-UNSIGNED-PAYLOAD-TRAILER';

/** An aws-chunked upload in two chunks, as clients send it. */
function putChunked(target: string, upload: ChunkedUpload): Promise<RawAnswer> {
  const { payload, trailer = {}, tamper = (body) => body } = upload;
  const names = upload.announced ?? Object.keys(trailer).join(',');
  const { headers, signer, signature } = signRequest(endpoint.url, partner, 'PUT', target, {
    headers: {
      'content-encoding': 'aws-chunked',
      'x-amz-content-sha256': payload,
      'x-amz-decoded-content-length': upload.decodedLength ?? String(content.length),
      ...(names !== '' && { 'x-amz-trailer': names }),
    },
  });
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
  let previous = signature;
  let body = '';
  for (const chunk of [content.slice(0, 4), content.slice(4), '']) {
    previous = signer.signChunk(previous, sha256(chunk));
    const extension = payload === unsignedTrailer ? '' : `;chunk-signature=${previous}`;
    body += `${chunk.length.toString(16)}${extension}\r\n${chunk}${chunk && '\r\n'}`;
  }
  const lines = Object.entries(trailer).map(([name, value]) => `${name}:${value}`);
  for (const line of lines) body += `${line}\r\n`;
  if (payload === signedTrailer) {
    const signed = sha256(lines.map((line) => `${line}\n`).join(''));
    body += `x-amz-trailer-signature:${signer.signTrailer(previous, signed)}\r\n`;
  }
  const sent = tamper(`${body}\r\n`);
  return sendRaw(
    endpoint.url,
    'PUT',
    target,
    { ...headers, 'content-length': String(sent.length) },
    sent,
  );
}

describe('a chunked upload', () => {
  const trailers = Object.entries(checksums).map(([name, value]) => ({ [name]: value }));
  test.each<[payload: string, trailer: Record<string, string>]>([
    [signedChunks, {}],
    ...[signedTrailer, unsignedTrailer].flatMap((payload) =>
      [{}, ...trailers].map((trailer): [string, Record<string, string>] => [payload, trailer]),
    ),
  ])('%s with the trailer %j is decoded', async (payload, trailer) => {
    await endpoint.store.delete([key]);
    for (const target of await targets()) {
      const answer = await putChunked(target, { payload, trailer });
      expect(answer).toMatchObject({ status: 200, headers: trailer });
      expect(answer.headers.etag).toBe(`"${createHash('md5').update(content).digest('hex')}"`);
    }
    expect(await endpoint.store.stat(key)).toMatchObject({ size: content.length });
  });

  const trailer = { 'x-amz-checksum-crc32': checksums['x-amz-checksum-crc32'] };
  const flipSignature = (name: string) => (body: string) =>
    body.replace(
      new RegExp(`(${name}[=:])(.)`),
      (_, start, digit) => `${start}${digit === '0' ? '1' : '0'}`,
    );

  test.each<[string, string, ChunkedUpload]>([
    [
      'with a changed byte',
      'SignatureDoesNotMatch',
      { payload: signedChunks, tamper: (body) => body.replace('cont', 'Cont') },
    ],
    [
      'with a changed signature of a chunk',
      'SignatureDoesNotMatch',
      { payload: signedChunks, tamper: flipSignature('chunk-signature') },
    ],
    [
      'with a changed signature of the last, empty chunk',
      'SignatureDoesNotMatch',
      {
        payload: signedChunks,
        tamper: (body) => body.replace(/(0;chunk-signature=).{64}/, `$1${'0'.repeat(64)}`),
      },
    ],
    [
      'with a chunk without a signature',
      'SignatureDoesNotMatch',
      { payload: signedChunks, tamper: (body) => body.replace(/;chunk-signature=.{64}/, '') },
    ],
    [
      'without its last chunks',
      'IncompleteBody',
      { payload: signedChunks, tamper: (body) => body.slice(0, body.indexOf('\r\n7;') + 2) },
    ],
    [
      'cut off within a chunk',
      'IncompleteBody',
      { payload: unsignedTrailer, tamper: (body) => body.slice(0, 5) },
    ],
    [
      'with chunks in another order',
      'SignatureDoesNotMatch',
      {
        payload: signedChunks,
        tamper: (body) => body.replace(/^(4;.*?\r\n.*?\r\n)(7;.*?\r\n.*?\r\n)/s, '$2$1'),
      },
    ],
    [
      'with a changed trailer',
      'SignatureDoesNotMatch',
      { payload: signedTrailer, trailer, tamper: (body) => body.replace('a2edcw', 'b2edcw') },
    ],
    [
      "with a changed trailer's signature",
      'SignatureDoesNotMatch',
      { payload: signedTrailer, trailer, tamper: flipSignature('trailer-signature') },
    ],
    [
      "without the trailer's signature",
      'SignatureDoesNotMatch',
      {
        payload: signedTrailer,
        trailer,
        tamper: (body) => body.replace(/x-amz-trailer-signature.*\r\n/, ''),
      },
    ],
    [
      'with a wrong checksum in the signed trailer',
      'BadDigest',
      { payload: signedTrailer, trailer: { 'x-amz-checksum-crc32': 'AAAAAQ==' } },
    ],
    [
      'without the trailer that was announced',
      'MalformedTrailerError',
      { payload: unsignedTrailer, announced: 'x-amz-checksum-crc32' },
    ],
    [
      'with a trailer that was not announced',
      'MalformedTrailerError',
      {
        payload: unsignedTrailer,
        trailer: { 'x-amz-checksum-sha1': checksums['x-amz-checksum-sha1'] },
        announced: 'x-amz-checksum-crc32',
      },
    ],
    [
      'with a trailer in a payload without trailers',
      'MalformedTrailerError',
      { payload: signedChunks, tamper: (body) => `${body}x-amz-checksum-crc32:a2edcw==\r\n\r\n` },
    ],
    [
      'with a trailer that is not a checksum',
      'InvalidRequest',
      { payload: unsignedTrailer, trailer: { 'x-amz-meta-a': 'b' } },
    ],
    ['longer than it said', 'IncompleteBody', { payload: unsignedTrailer, decodedLength: '10' }],
    ['shorter than it said', 'IncompleteBody', { payload: unsignedTrailer, decodedLength: '12' }],
    [
      'that does not declare its length',
      'MissingContentLength',
      { payload: unsignedTrailer, decodedLength: '' },
    ],
    [
      'whose chunk has no size',
      'InvalidRequest',
      { payload: unsignedTrailer, tamper: (body) => `x${body}` },
    ],
    [
      'whose chunk ends in the wrong place',
      'InvalidRequest',
      { payload: unsignedTrailer, tamper: (body) => body.replace('4\r\n', '3\r\n') },
    ],
    [
      'with an endless line',
      'InvalidRequest',
      { payload: unsignedTrailer, tamper: (body) => '0'.repeat(20_000) + body },
    ],
  ])('%s is refused', async (_, code, upload) => {
    await endpoint.store.delete([key]);
    await expectRefused(code, (target) => putChunked(target, upload));
  });

  test.each(Object.entries(checksums))('must match %s in the trailer', async (name, value) => {
    await endpoint.store.delete([key]);
    await expectRefused('BadDigest', (target) =>
      putChunked(target, { payload: unsignedTrailer, trailer: { [name]: wrong(value) } }),
    );
  });
});

describe('an XML body', () => {
  const post = (body: string, headers = {}) =>
    partner.send('POST', `/${bucket}?delete`, {
      headers: { 'content-length': String(Buffer.byteLength(body)), ...headers },
      body,
    });
  const deletion = (inner: string) => `<Delete><Object>${inner}</Object></Delete>`;

  test.each([
    '',
    'x',
    '<Delete>',
    '<Delete></Delete>',
    '<Other><Object><Key>a</Key></Object></Other>',
    deletion(''),
    deletion('<Key></Key>'),
    deletion('<Key><a/></Key>'),
    deletion('<Key>a</Key><Key>b</Key>'),
    deletion('<Key>partner&#1;</Key>'),
    deletion('<Key>partner&#x00B;</Key>'),
    '<!DOCTYPE Delete [<!ENTITY x SYSTEM "file:///etc/passwd">]><Delete><Object><Key>&x;</Key></Object></Delete>',
    '<a>'.repeat(500),
    '<Delete><__proto__><Object/></__proto__></Delete>',
  ])('of %j is refused', async (body) => {
    expect(await post(body)).toMatchObject({ status: 400, code: 'MalformedXML' });
  });

  test('has a size limit', async () => {
    const body = deletion(`<Key>${'x'.repeat(2 * 1024 ** 2)}</Key>`);
    expect((await post(body)).code).toBe('EntityTooLarge');
  });

  test('must match its checksum', async () => {
    const body = deletion(`<Key>${key}</Key>`);
    const md5 = createHash('md5').update(body).digest('base64');
    expect((await post(body, { 'content-md5': wrong(md5) })).code).toBe('BadDigest');
    expect((await post(body, { 'content-md5': md5 })).status).toBe(200);
  });
});

test('random bytes arrive unchanged, however they are split', async () => {
  const bytes = randomBytes(200_000);
  const body = Buffer.concat([
    Buffer.from(`${(150_000).toString(16)}\r\n`),
    bytes.subarray(0, 150_000),
    Buffer.from(`\r\n${(50_000).toString(16).toUpperCase()}\r\n`),
    bytes.subarray(150_000),
    Buffer.from('\r\n0\r\n\r\n'),
  ]);
  const answer = await partner.send('PUT', `/${bucket}/${key}`, {
    headers: {
      'x-amz-content-sha256': unsignedTrailer,
      'x-amz-decoded-content-length': '200000',
      'content-length': String(body.length),
    },
    body,
  });
  expect(answer.headers.etag).toBe(`"${createHash('md5').update(bytes).digest('hex')}"`);
});
