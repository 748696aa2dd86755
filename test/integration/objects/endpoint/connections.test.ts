import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { filesIn } from '../../../support/blobs.ts';
import {
  bucket,
  type RequestOptions,
  sendRaw,
  signRequest,
  startTestEndpoint,
  type TestEndpoint,
  type UploadingPartner,
} from '../../../support/endpoint.ts';
import { eventually, openSocket, readAnswer, sendRaw as sendBytes } from '../../../support/http.ts';

let endpoint: TestEndpoint;
let partner: UploadingPartner;
let target: string;
beforeAll(async () => {
  endpoint = await startTestEndpoint();
  partner = await endpoint.partner();
  target = `/${bucket}/${partner.prefix}x`;
});
afterAll(() => endpoint[Symbol.asyncDispose]());

/** The head of a signed request, to be written to a socket. */
function head(method: string, options: RequestOptions = {}, path = target): string {
  const { headers } = signRequest(endpoint.url, partner, method, path, options);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`;
}

async function nextLine(socket: Socket): Promise<string> {
  const [bytes] = await once(socket, 'data');
  return String(bytes).split('\r\n')[0]!;
}

describe('a client that waits for 100 Continue', () => {
  const headers = { expect: '100-continue', 'content-length': '4' };

  test('gets it once it is authenticated', async () => {
    const socket = await openSocket(endpoint.url);
    socket.write(head('PUT', { headers }));
    expect(await nextLine(socket)).toBe('HTTP/1.1 100 Continue');
    socket.write('body');
    expect((await readAnswer(socket)).status).toBe(200);
    socket.write(head('GET'));
    expect(await readAnswer(socket)).toMatchObject({ status: 200, text: 'body' });
    socket.destroy();
  });

  test('is otherwise refused before it sends its body, and the connection is closed', async () => {
    const socket = await openSocket(endpoint.url);
    socket.write(head('PUT', { headers, secretAccessKey: 'wrong' }));
    const answer = await readAnswer(socket);
    expect(answer.status).toBe(403);
    expect(answer.headers.get('connection')).toBe('close');
    socket.destroy();
  });
});

describe('a connection', () => {
  test('stays usable after a refusal, however much of the body was read', async () => {
    const socket = await openSocket(endpoint.url);
    const body = 'x'.repeat(300_000);
    const length = { 'content-length': String(body.length) };
    for (const [options, status] of [
      [{ headers: length, secretAccessKey: 'wrong' }, 403],
      [{ headers: { ...length, 'content-md5': 'AAAAAAAAAAAAAAAAAAAAAA==' } }, 400],
      [
        {
          headers: {
            ...length,
            'x-amz-content-sha256': 'STREAMING-UNSIGNED-PAYLOAD-TRAILER',
            'x-amz-decoded-content-length': '5',
          },
        },
        400,
      ],
    ] as const) {
      socket.write(head('PUT', options));
      socket.write(body);
      expect((await readAnswer(socket)).status).toBe(status);
      socket.write(head('HEAD', {}, `/${bucket}`));
      expect((await readAnswer(socket)).status).toBe(200);
    }
    socket.destroy();
  });

  test('closed during an upload leaves no file and logs no error', async () => {
    const before = await filesIn(endpoint.storeDir);
    const path = `${target}-broken`;
    const socket = await openSocket(endpoint.url);
    socket.write(head('PUT', { headers: { 'content-length': '1000000' } }, path));
    socket.write('x'.repeat(200_000));
    await eventually(async () => {
      expect((await filesIn(endpoint.storeDir)).length).toBeGreaterThan(before.length);
    });
    socket.destroy();
    await eventually(async () => {
      expect(await filesIn(endpoint.storeDir)).toEqual(before);
    });
    await eventually(() => {
      const line = endpoint.logged.find((text) => text.includes('-broken'));
      expect(JSON.parse(line ?? '{}')).toMatchObject({ status: 499, method: 'PUT' });
    });
    expect(await endpoint.store.stat(`${partner.prefix}x-broken`)).toBeUndefined();
  });

  test('closed during a download logs no error', async () => {
    const body = 'x'.repeat(8_000_000);
    const headers = { 'content-length': String(body.length) };
    const path = `${target}-large`;
    expect((await partner.send('PUT', path, { headers, body })).status).toBe(200);
    const socket = await openSocket(endpoint.url);
    socket.write(head('GET', {}, path));
    await once(socket, 'data');
    socket.destroy();
    await eventually(() => {
      const lines = endpoint.logged.filter((text) => text.includes('"GET"'));
      expect(JSON.parse(lines.at(-1) ?? '{}')).toMatchObject({ status: 499 });
    });
  });

  test('carries many uploads of one key, one of which wins', async () => {
    const bodies = Array.from({ length: 8 }, (_, i) => String(i).repeat(100_000));
    const headers = { 'content-length': '100000' };
    const answers = await Promise.all(
      bodies.map((body) => partner.send('PUT', target, { headers, body })),
    );
    expect(answers.map(({ status }) => status)).toEqual(bodies.map(() => 200));
    expect(bodies).toContain((await partner.send('GET', target)).text);
  });

  test('reads complete versions while the object is replaced', async () => {
    const headers = { 'content-length': '100000' };
    const body = (i: number) => String(i % 10).repeat(100_000);
    await partner.send('PUT', target, { headers, body: body(0) });
    const writing = (async () => {
      for (let i = 0; i < 15; i++) await partner.send('PUT', target, { headers, body: body(i) });
    })();
    for (let i = 0; i < 30; i++) {
      const { status, text } = await partner.send('GET', target);
      expect(status).toBe(200);
      expect(text).toBe(text[0]!.repeat(100_000));
    }
    await writing;
  });
});

describe('random input', () => {
  const numRuns = process.env.TRIBUTARY_SOAK === '1' ? 2_000 : 150;

  test('that is not HTTP gets a 4xx response', async () => {
    const bytes = fc.uint8Array({ minLength: 1, maxLength: 80 });
    const property = fc.asyncProperty(bytes, async (noise) => {
      const answer = await sendBytes(endpoint.url, 'GET /', noise, ' HTTP/1.1\r\nhost: x\r\n\r\n');
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.status).toBeLessThan(500);
    });
    await fc.assert(property, { numRuns });
    const long = await sendBytes(endpoint.url, `GET /${'x'.repeat(20_000)} HTTP/1.1\r\n\r\n`);
    expect(long.text).toContain('RequestHeaderSectionTooLarge');
  });

  test('in unsigned targets and headers is refused', async () => {
    const visible = fc.string({
      unit: fc.integer({ min: 0x21, max: 0xff }).map((code) => String.fromCharCode(code)),
      maxLength: 60,
    });
    const methods = fc.constantFrom('GET', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'PATCH');
    const starts = fc.constantFrom('/', '/%', `/${bucket}?`, `/${bucket}/`, '/?X-Amz-Algorithm=');
    const property = fc.asyncProperty(
      methods,
      starts,
      visible,
      visible,
      async (method, start, rest, value) => {
        const text = `${method} ${start}${rest} HTTP/1.1\r\nhost: ${bucket}.x\r\nauthorization: ${value}\r\nx-amz-date: ${value}\r\n\r\n`;
        const answer = await sendBytes(endpoint.url, Buffer.from(text, 'latin1'));
        expect(answer.status).toBeGreaterThanOrEqual(400);
        expect(answer.status).toBeLessThan(500);
      },
    );
    await fc.assert(property, { numRuns });
  });

  test('in signed requests never causes a server error', async () => {
    const name = fc.constantFrom(
      ...['prefix', 'delimiter', 'marker', 'max-keys', 'uploads', 'uploadId', 'partNumber'],
      ...['list-type', 'continuation-token', 'start-after', 'encoding-type', 'versionId', 'acl'],
      ...['response-content-type', 'response-expires', 'key-marker', 'delete', 'location'],
    );
    const header = fc.constantFrom(
      ...['range', 'if-match', 'if-none-match', 'if-modified-since', 'x-amz-copy-source'],
      ...['content-md5', 'x-amz-copy-source-range', 'x-amz-checksum-crc32', 'x-amz-trailer'],
      ...['x-amz-decoded-content-length', 'x-amz-meta-__proto__', 'content-type', 'if-range'],
    );
    const value = fc.oneof(
      fc.constantFrom('', '0', '1', '2', '-1', 'null', 'url', '*', 'bytes=0-', `${bucket}/x`),
      fc.string({
        unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
      }),
    );
    const text = fc.oneof(value, fc.string({ unit: 'binary', maxLength: 20 }));
    const property = fc.asyncProperty(
      fc.constantFrom('GET', 'PUT', 'POST', 'DELETE', 'HEAD'),
      fc.boolean(),
      text,
      fc.array(fc.tuple(name, text), { maxLength: 3 }),
      fc.dictionary(header, value, { maxKeys: 3 }),
      fc.constantFrom('UNSIGNED-PAYLOAD', 'STREAMING-UNSIGNED-PAYLOAD-TRAILER'),
      fc.string({ unit: 'binary', maxLength: 40 }),
      async (method, isObject, key, parameters, headers, payload, body) => {
        const encode = (part: string) =>
          encodeURIComponent(part.toWellFormed().replaceAll('\0', ''));
        const query = parameters.map(([a, b]) => `${a}=${encode(b)}`).join('&');
        const path = isObject ? `/${bucket}/${partner.prefix}${encode(key)}` : `/${bucket}`;
        const answer = await partner.send(method, `${path}?${query}`, {
          headers: {
            ...headers,
            'x-amz-content-sha256': payload,
            'content-length': String(Buffer.byteLength(body)),
          },
          body,
        });
        expect(answer.status < 500 || answer.status === 501).toBe(true);
      },
    );
    await fc.assert(property, { numRuns: numRuns * 2 });
  });

  test('with U+0000 anywhere in the target is refused', async () => {
    for (const path of [`${target}%00`, `/${bucket}?prefix=%00`, `/${bucket}?marker=%00`]) {
      expect((await sendRaw(endpoint.url, 'GET', path, {})).code).toBe('InvalidURI');
    }
  });

  test('logs no errors or warnings', async () => {
    await sleep(50);
    const faults = endpoint.logged.filter((line) => /"level":"(error|warn)"/.test(line));
    expect(faults).toEqual([]);
  });
});

test('lost bytes are logged as an error and reported to the client', async () => {
  const key = `${partner.prefix}lost`;
  const uploadId = await endpoint.store.beginUpload(key, { contentType: 'x', metadata: {} });
  const parts: { partNumber: number; etag: string }[] = [];
  const blobs: string[] = [];
  for (const partNumber of [1, 2]) {
    const before = await filesIn(endpoint.storeDir);
    const target = `/${bucket}/${key}?partNumber=${partNumber}&uploadId=${uploadId}`;
    const headers = { 'content-length': '4' };
    const answer = await partner.send('PUT', target, { headers, body: 'part' });
    parts.push({ partNumber, etag: JSON.parse(answer.headers.etag!) });
    blobs.push(...(await filesIn(endpoint.storeDir)).filter((file) => !before.includes(file)));
  }
  await endpoint.store.completeUpload(uploadId, parts);
  const faults = () => endpoint.logged.filter((line) => line.includes('"level":"error"')).length;

  await rm(blobs[1]!);
  await expect(partner.send('GET', `/${bucket}/${key}`)).rejects.toThrow('aborted');
  await eventually(() => expect(faults()).toBe(1));
  await rm(blobs[0]!);
  expect(await partner.send('GET', `/${bucket}/${key}`)).toMatchObject({
    status: 500,
    code: 'InternalError',
  });
  expect(faults()).toBe(2);
});
