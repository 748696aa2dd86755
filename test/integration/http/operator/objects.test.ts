import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Partner } from '../../../../src/records/access/partners.ts';
import { startTestApp, type TestApp } from '../../../support/app.ts';
import { bytesOf, filesIn } from '../../../support/blobs.ts';
import {
  eventually,
  expectProblem,
  openSocket,
  pointersOf,
  sendRaw,
} from '../../../support/http.ts';

let service: TestApp;
let partner: Partner;
let base: string;
beforeAll(async () => {
  service = await startTestApp();
  ({ partner } = await service.partner());
  base = `/admin/v1/partners/${partner.partnerId}/objects/`;
});
afterAll(() => service[Symbol.asyncDispose]());

function put(path: string, body: string | Uint8Array<ArrayBuffer>, headers = {}) {
  return service.call('PUT', base + path, { token: service.adminToken, body, headers });
}

/** Like put, but the path is sent unchanged. fetch would resolve `..` first. */
function putVerbatim(path: string, body: string) {
  return sendRaw(
    service.url,
    `PUT ${base}${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${service.adminToken}\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

async function stored(key: string): Promise<Buffer | undefined> {
  const version = await service.objects.stat(partner.prefix + key);
  return version && bytesOf(service.objects.open(version, 0));
}

describe('the bytes are stored unchanged', () => {
  test.each([0, 1, 65_536, 1_048_577, 5_000_000])('for an object of %i bytes', async (size) => {
    const bytes = randomBytes(size);
    const answer = await put(`${size}.bin`, bytes);
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      key: `${partner.prefix}${size}.bin`,
      etag: createHash('md5').update(bytes).digest('hex'),
      size,
    });
    expect((await stored(`${size}.bin`))?.equals(bytes)).toBe(true);
  });

  test.each([
    'application/octet-stream',
    'application/json',
    'text/csv; charset=latin1',
    'multipart/form-data',
    'garbage',
    '/;=',
    '',
  ])('with the content type %j', async (type) => {
    const answer = await put('typed', '{"not json', { 'content-type': type });
    expect(answer.status).toBe(201);
    expect(String(await stored('typed'))).toBe('{"not json');
  });

  test('when sent in chunks, and without decompressing them', async () => {
    const head = `PUT ${base}chunks HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${service.adminToken}\r\n`;
    const answer = await sendRaw(
      service.url,
      `${head}content-encoding: gzip\r\ntransfer-encoding: chunked\r\n\r\n`,
      '3\r\n\x1f\x00\x01\r\n',
      '2\r\nab\r\n0\r\n\r\n',
    );
    expect(answer.body.size).toBe(5);
    expect(String(await stored('chunks'))).toBe('\x1f\x00\x01ab');
  });
});

describe('a key', () => {
  test.each([
    ['a/b/c.csv', 'a/b/c.csv'],
    ['a%2Fb', 'a/b'],
    ['a%252Fb', 'a%2Fb'],
    ['with%20blanks%20', 'with blanks '],
    ['plus+and%2B', 'plus+and+'],
    ['%C3%BC%F0%9F%98%80', 'ü😀'],
    ['what%3F%23', 'what?#'],
    ['a?not=part', 'a'],
    ['//', '//'],
    ['folder/', 'folder/'],
    ['.', '.'],
    ['..', '..'],
    ['../../../etc/passwd', '../../../etc/passwd'],
    ['%2e%2e/%2e%2e/x', '../../x'],
    ['..%2f..%2fx', '../../x'],
    ['a%5C..%5Cb', 'a\\..\\b'],
    ["'%22;--", '\'";--'],
    ['*', '*'],
  ])('%s is the key %j under the prefix, not a file path', async (path, key) => {
    const content = `content of ${path}`;
    const answer = await putVerbatim(path, content);
    expect(answer.body.key).toBe(partner.prefix + key);
    expect(String(await stored(key))).toBe(content);
    for (const file of await filesIn(service.objectsDir)) {
      expect(file).toMatch(/objects\/([0-9a-f]{2})\/\1[0-9a-f]{30}$/);
    }
  });

  test('has at most 1,024 bytes with the prefix', async () => {
    const room = 1024 - partner.prefix.length;
    expect((await put('k'.repeat(room), 'x')).status).toBe(201);
    expect((await put(encodeURIComponent('ü'.repeat(Math.floor(room / 2))), 'x')).status).toBe(201);
    for (const key of [
      'k'.repeat(room + 1),
      encodeURIComponent('ü'.repeat(room)),
      'k'.repeat(9_999),
    ]) {
      const problem = expectProblem(await put(key, 'x'), 400, 'invalid_input');
      expect(problem.detail).toMatch(/1024 bytes/);
      expect(pointersOf(problem)).toEqual(['/key']);
    }
  });

  test.each(['', 'a%00b', 'a%0Ab', '%7F', '%C2%85'])('cannot be %j', async (path) => {
    const before = await filesIn(service.objectsDir);
    const problem = expectProblem(await put(path, 'x'), 400, 'invalid_input');
    expect(pointersOf(problem)).toEqual(['/key']);
    expect(await filesIn(service.objectsDir)).toEqual(before);
  });

  test('of one partner is not visible to another', async () => {
    const { partner: other } = await service.partner();
    await put('mine', 'mine');
    expect(await service.objects.stat(`${other.prefix}mine`)).toBeUndefined();
  });
});

describe('replacing an object', () => {
  test('deletes the bytes of the old one', async () => {
    await put('replaced', 'old');
    const before = await filesIn(service.objectsDir);
    await put('replaced', 'new');
    expect(String(await stored('replaced'))).toBe('new');
    expect(await filesIn(service.objectsDir)).toHaveLength(before.length);
  });

  test('takes effect only when the new one is complete', async () => {
    await put('slowly', 'old');
    const socket = await openSocket(service.url);
    socket.write(
      `PUT ${base}slowly HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${service.adminToken}\r\n` +
        'content-length: 3\r\n\r\nne',
    );
    await sleep(100);
    expect(String(await stored('slowly'))).toBe('old');
    socket.write('w');
    await eventually(async () => expect(String(await stored('slowly'))).toBe('new'));
    socket.destroy();
  });

  test('concurrently leaves one of the new objects and no other bytes', async () => {
    const before = await filesIn(service.objectsDir);
    const bodies = Array.from({ length: 12 }, (_, n) => `${n}`.repeat(10_000));
    const answers = await Promise.all(bodies.map((body) => put('contended', body)));
    expect(answers.map((answer) => answer.status)).toEqual(bodies.map(() => 201));
    expect(bodies).toContain(String(await stored('contended')));
    expect(await filesIn(service.objectsDir)).toHaveLength(before.length + 1);
  });
});

describe('an interrupted upload leaves the old object and no other bytes', () => {
  const head = () =>
    `PUT ${base}broken HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${service.adminToken}\r\n`;

  test.each([
    ['in the middle', 'content-length: 1000\r\n\r\nhalf of it', 50],
    ['before the first byte', 'content-length: 1000\r\n\r\n', 50],
    ['immediately', 'content-length: 1000\r\n\r\nhalf of it', 0],
    ['between chunks', 'transfer-encoding: chunked\r\n\r\n5\r\nhalf.\r\n', 50],
    ['in a chunk', 'transfer-encoding: chunked\r\n\r\nffff\r\nhalf', 50],
    ['by an invalid chunk', 'transfer-encoding: chunked\r\n\r\n5\r\nhalf.\r\nnonsense\r\n', 50],
  ])('%s', async (_, rest, delay) => {
    await put('broken', 'old');
    const before = await filesIn(service.objectsDir);
    service.logged.length = 0;
    const socket = await openSocket(service.url);
    socket.write(head() + rest);
    await sleep(delay);
    socket.destroy();
    await eventually(() =>
      expect(service.logged.join('')).toMatch(/objects\/broken","status":499/),
    );
    await eventually(async () => expect(await filesIn(service.objectsDir)).toEqual(before));
    expect(String(await stored('broken'))).toBe('old');
    // A client that disconnects is not an error of the service.
    expect(service.logged.join('')).not.toContain('"level":"error"');
  });

  test('at any place, with many uploads at once', async () => {
    await put('broken', 'old');
    const before = await filesIn(service.objectsDir);
    await Promise.all(
      Array.from({ length: 20 }, async (_, n) => {
        const socket = await openSocket(service.url);
        socket.write(`${head()}content-length: 1000\r\n\r\n`);
        for (let sent = 0; sent < n; sent++) {
          socket.write('x'.repeat(10));
          await sleep(n % 4);
        }
        socket.destroy();
      }),
    );
    await eventually(async () => expect(await filesIn(service.objectsDir)).toEqual(before));
    expect(String(await stored('broken'))).toBe('old');
  });
});
