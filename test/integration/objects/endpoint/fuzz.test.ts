import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  bucket,
  type RawAnswer,
  sendRaw,
  signRequest,
  startTestEndpoint,
  type TestEndpoint,
  type UploadingPartner,
} from '../../../support/endpoint.ts';

/**
 * Every signed request gets a success or one of S3's errors, never a 500. A failure prints its seed.
 * TRIBUTARY_SOAK=1 runs many more.
 */
const options = { numRuns: process.env.TRIBUTARY_SOAK === '1' ? 1_500 : 60 };

let endpoint: TestEndpoint;
let partner: UploadingPartner;
let openUpload: string;
beforeAll(async () => {
  endpoint = await startTestEndpoint();
  partner = await endpoint.partner();
  await partner.send('PUT', `/${bucket}/${partner.prefix}a`, { body: 'content' });
  const begun = await partner.send('POST', `/${bucket}/${partner.prefix}a?uploads`);
  openUpload = /<UploadId>([^<]+)</.exec(begun.text)![1]!;
});
afterAll(() => endpoint[Symbol.asyncDispose]());

function expectWellBehaved({ status, code, text }: RawAnswer): void {
  expect(status === 501 ? 400 : status, text).toBeLessThan(500);
  if (status >= 400) expect(code ?? text).toMatch(/^\w*$/);
}

/** Texts that a database or a parser may refuse. */
const hostile = [
  '',
  '\0',
  'a\0b',
  '\ud800',
  '\ufffe\uffff',
  'x',
  '-1',
  '1e3',
  '99999999999999999999',
  '../..',
  '%00',
  '%',
  '"',
  '<&>',
  'x'.repeat(10_000),
  '😀'.repeat(300),
];
const anyText = fc.oneof(
  fc.constantFrom(...hostile),
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.string({ maxLength: 30 }),
);

function escaped(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

const parameters = [
  ...['uploadId', 'partNumber', 'uploads', 'delete', 'versionId', 'response-content-type'],
  ...['list-type', 'prefix', 'delimiter', 'max-keys', 'encoding-type', 'start-after', 'marker'],
  ...['continuation-token', 'fetch-owner', 'key-marker', 'upload-id-marker', 'max-uploads'],
  ...['part-number-marker', 'max-parts', 'location', 'acl', 'x-id'],
];

test('generated queries', async () => {
  const query = fc.array(fc.tuple(fc.constantFrom(...parameters), anyText), { maxLength: 4 });
  const methods = fc.constantFrom('GET', 'HEAD', 'PUT', 'POST', 'DELETE');
  const keys = fc.constantFrom('', '/', '/PREFIX', '/PREFIXa', '/PREFIXmissing');
  const property = fc.asyncProperty(methods, keys, query, async (method, key, pairs) => {
    const text = pairs.map(([name, value]) => `${name}=${escaped(value)}`);
    // Most listings need the prefix, and most other requests a real upload.
    const prefix = pairs.length % 2 === 0 ? [`prefix=${partner.prefix}`] : [];
    const path = `/${bucket}${key.replace('PREFIX', partner.prefix)}`;
    const target = `${path}?${[...prefix, ...text].join('&')}`;
    expectWellBehaved(await sendAnyway(method, target));
  });
  await fc.assert(property, options);
});

test('every parameter with every hostile text', async () => {
  for (const name of parameters) {
    const targets = ['a\0b', '\ufffe', '-1', '99999999999999999999', '<&>'].flatMap((text) => {
      const pair = `${name}=${escaped(text)}`;
      const path = `/${bucket}/${partner.prefix}a`;
      return [
        ['GET', `${path}?${pair}`],
        ['GET', `/${bucket}?prefix=${partner.prefix}&${pair}`],
        ['PUT', `${path}?uploadId=${openUpload}&${pair}`],
      ];
    });
    const sent = targets.map(([method = '', target = '']) => sendAnyway(method, target));
    for (const answer of await Promise.all(sent)) expectWellBehaved(answer);
  }
});

test('generated keys', async () => {
  const methods = fc.constantFrom('GET', 'HEAD', 'PUT', 'POST', 'DELETE');
  const property = fc.asyncProperty(methods, anyText, async (method, key) => {
    expectWellBehaved(await sendAnyway(method, `/${bucket}/${partner.prefix}${escaped(key)}`));
  });
  await fc.assert(property, options);
});

test('generated headers', async () => {
  const names = fc.constantFrom(
    ...['range', 'if-match', 'if-none-match', 'if-modified-since', 'if-unmodified-since'],
    ...['content-type', 'content-md5', 'x-amz-copy-source', 'x-amz-copy-source-range'],
    ...['x-amz-copy-source-if-match', 'x-amz-metadata-directive', 'x-amz-meta-a', 'x-amz-acl'],
    ...['x-amz-checksum-crc32', 'x-amz-checksum-sha256', 'x-amz-sdk-checksum-algorithm'],
    ...['x-amz-decoded-content-length', 'x-amz-content-sha256', 'x-amz-trailer', 'expect'],
  );
  const byte = fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code));
  const values = fc.oneof(
    fc.string({ unit: byte, maxLength: 40 }),
    fc.constantFrom('', 'x', '*', 'bytes=0-', 'bytes=9-1', '%00', `/${bucket}/%00`, 'COPY'),
    fc.constant('SOURCE%00'),
    fc.constant('x'.repeat(4_000)),
  );
  const headers = fc.dictionary(names, values, { maxKeys: 3 });
  const methods = fc.constantFrom('GET', 'HEAD', 'PUT', 'POST', 'DELETE');
  const queries = fc.constantFrom('', `?partNumber=1&uploadId=UPLOAD`, '?uploads');
  const property = fc.asyncProperty(methods, queries, headers, async (method, query, sent) => {
    const target = `/${bucket}/${partner.prefix}a${query.replace('UPLOAD', openUpload)}`;
    const real = Object.entries(sent).map(([name, value]) => [
      name,
      value.trim().replace('SOURCE', `${bucket}/${partner.prefix}`),
    ]);
    expectWellBehaved(await sendAnyway(method, target, { headers: Object.fromEntries(real) }));
  });
  await fc.assert(property, options);
});

test('generated XML bodies', async () => {
  const value = fc.oneof(
    anyText.map((text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')),
    fc.constantFrom('&#0;', '&#xD800;', '&#x110000;', '&amp;', '<b/>', '<![CDATA[\0]]>', '1', '2'),
    fc.constantFrom('PREFIXa', 'PREFIX\0', 'PREFIX&#xD800;', `PREFIX${'x'.repeat(2_000)}`),
    fc.constantFrom('x', '"0"', '0'.repeat(32), 'g'.repeat(32), '00'),
  );
  const part = fc
    .tuple(value, value)
    .map(([number, etag]) => `<Part><PartNumber>${number}</PartNumber><ETag>${etag}</ETag></Part>`);
  const numbered = value.map(
    (etag) => `<Part><PartNumber>1</PartNumber><ETag>${etag}</ETag></Part>`,
  );
  const object = fc
    .tuple(value, fc.option(value))
    .map(([key, version]) => `<Object><Key>${key}</Key>${version ?? ''}</Object>`);
  const complete = fc
    .array(fc.oneof(part, numbered), { maxLength: 3 })
    .map((parts) => `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`);
  const deletion = fc
    .array(object, { maxLength: 3 })
    .map((objects) => `<Delete>${objects.join('')}</Delete>`);
  const bodies = fc.oneof(complete, deletion, anyText);
  const property = fc.asyncProperty(bodies, async (text) => {
    const body = Buffer.from(text.replaceAll('PREFIX', partner.prefix));
    const path = `/${bucket}/${partner.prefix}a`;
    const targets = [
      `${path}?uploadId=${openUpload}`,
      `${path}?uploadId=none`,
      `/${bucket}?delete`,
    ];
    const sent = targets.map((target) => sendAnyway('POST', target, { body }));
    for (const answer of await Promise.all(sent)) expectWellBehaved(answer);
  });
  await fc.assert(property, options);
});

test('none of these requests logs an error or a warning', () => {
  const faults = endpoint.logged.filter((line) => /"level":"(error|warn)"/.test(line));
  expect(faults).toEqual([]);
});

/** Signs the request, and sends it also if no signature can cover its target. */
async function sendAnyway(
  method: string,
  target: string,
  request: { headers?: Record<string, string>; body?: Uint8Array } = {},
): Promise<RawAnswer> {
  const sign = (signed: string) => signRequest(endpoint.url, partner, method, signed, request);
  let headers: Record<string, string>;
  try {
    ({ headers } = sign(target));
  } catch {
    ({ headers } = sign(`/${bucket}`));
  }
  return sendRaw(endpoint.url, method, target, headers, request.body);
}
