import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../support/app.ts';
import {
  eventually,
  expectProblem,
  openSocket,
  readAnswer,
  sendRaw,
} from '../../../support/http.ts';

let service: TestApp;
beforeAll(async () => {
  service = await startTestApp();
});
afterAll(() => service[Symbol.asyncDispose]());

describe('invalid HTTP gets a problem and the connection is closed', () => {
  test.each([
    ['text', 'hello\r\n\r\n'],
    ['a TLS handshake', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ['binary data', '\x00\xff\x80\r\n\r\n'],
    ['an unknown method', 'BREW /healthz HTTP/1.1\r\nhost: x\r\n\r\n'],
    ['HTTP/9.9', 'GET /healthz HTTP/9.9\r\nhost: x\r\n\r\n'],
    ['a header without a colon', 'GET /healthz HTTP/1.1\r\nhost: x\r\nnonsense\r\n\r\n'],
    ['a NUL in a header', 'GET /healthz HTTP/1.1\r\nhost: x\r\nx: a\x00b\r\n\r\n'],
    ['a space in the path', 'GET /health z HTTP/1.1\r\nhost: x\r\n\r\n'],
    [
      'two content lengths',
      'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n',
    ],
    [
      'a content length and chunked encoding',
      'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n',
    ],
    ['a negative content length', 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: -1\r\n\r\n'],
  ])('%s', async (_, text) => {
    const socket = await openSocket(service.url);
    socket.write(Buffer.from(text, 'latin1'));
    const answer = await readAnswer(socket);
    expectProblem(answer, 400, 'malformed_body');
    expect(answer.headers.get('connection')).toBe('close');
    socket.destroy();
  });

  test('even if the client never closes its side', async () => {
    await using app = await startTestApp();
    const { hostname, port } = new URL(app.url);
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    socket.write('hello\r\n\r\n');
    await readAnswer(socket);
    await eventually(async () => expect(await app.connections()).toBe(0));
    socket.destroy();
  });
});

describe('headers', () => {
  const request = (bytes: number) =>
    `GET /healthz HTTP/1.1\r\nhost: x\r\nx-padding: ${'p'.repeat(bytes)}\r\n\r\n`;

  test('larger than 16 KiB are rejected', async () => {
    expectProblem(await sendRaw(service.url, request(16 * 1024)), 431, 'headers_too_large');
    expect((await sendRaw(service.url, request(15 * 1024))).status).toBe(200);
  });

  test('are rejected if the URL is too long', async () => {
    const long = `GET /${'p'.repeat(17 * 1024)} HTTP/1.1\r\nhost: x\r\n\r\n`;
    expectProblem(await sendRaw(service.url, long), 431, 'headers_too_large');
  });

  test('are rejected with a readable response while the client keeps sending', async () => {
    for (let round = 0; round < 5; round++) {
      expectProblem(await sendRaw(service.url, request(4_000_000)), 431, 'headers_too_large');
    }
  });
});

test('malformed percent-encoding in the URL is a malformed request', async () => {
  const { apiKey } = await service.partner();
  const paths = [
    '/%',
    '/%zz',
    '/%ff',
    '/v1/marketplace/import/%',
    '/v1/marketplace/import/%E0%A4%A',
    '/v1/marketplace/attribute/%c3%28',
    '/admin/v1/partners/1/objects/%ff%fe',
  ];
  for (const path of paths) {
    const answer = await sendRaw(
      service.url,
      `GET ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${apiKey}\r\n\r\n`,
    );
    expectProblem(answer, 400, 'malformed_body');
  }
});

test('a URL of unusual form gets a response', async () => {
  const outcomes: Record<string, number> = {};
  for (const target of [
    '*',
    '/',
    '//',
    '/?',
    '/#',
    '/..',
    '/;',
    'http://elsewhere/healthz',
    '/~%20',
  ]) {
    const answer = await sendRaw(service.url, `OPTIONS ${target} HTTP/1.1\r\nhost: x\r\n\r\n`);
    outcomes[target] = answer.status;
    if (answer.status !== 204) expectProblem(answer, answer.status, answer.body.code);
  }
  expect(outcomes).toEqual({
    '*': 404,
    '/': 404,
    '//': 404,
    '/?': 404,
    '/#': 404,
    '/..': 404,
    '/;': 404,
    'http://elsewhere/healthz': 204,
    '/~%20': 404,
  });
});

test('pipelined requests are answered in order', async () => {
  const socket = await openSocket(service.url);
  socket.write('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(3));
  socket.write('GET /nothing HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
  let received = '';
  for await (const chunk of socket) received += chunk;
  expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual([
    'HTTP/1.1 200',
    'HTTP/1.1 200',
    'HTTP/1.1 200',
    'HTTP/1.1 404',
  ]);
});
