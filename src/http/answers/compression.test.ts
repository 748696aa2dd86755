import { Readable } from 'node:stream';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { fastify, type InjectOptions } from 'fastify';
import { expect, test } from 'vitest';
import type { App } from '../server/app-types.ts';
import { sendProblem } from '../server/problems.ts';
import { compressResponses, preferredCoding } from './compression.ts';

const long = { text: 'word '.repeat(1_000) };

async function* slices(text: string) {
  for (let at = 0; at < text.length; at += 500) yield text.slice(at, at + 500);
}

function startApp() {
  const app: App = fastify();
  compressResponses(app);
  const stream = (text: string) => Readable.from(slices(text));
  app.get('/long', async () => long);
  app.post('/long', async () => long);
  app.get('/short', async () => ({ text: 'word' }));
  app.get('/failed', async (_request, reply) => reply.code(404).send(long));
  app.get('/image', async (_request, reply) =>
    reply.type('image/png').send(Buffer.from(long.text)),
  );
  app.get('/events', async (_request, reply) =>
    reply.type('text/event-stream').send(stream(long.text)),
  );
  app.get('/stream', async (_request, reply) =>
    reply.type('text/csv; charset=utf-8').header('vary', 'accept').send(stream(long.text)),
  );
  app.get('/short-stream', async (_request, reply) => reply.type('text/csv').send(stream('word')));
  return app;
}

const ask = (url: string, options: InjectOptions = {}) =>
  startApp().inject({ url, headers: { 'accept-encoding': 'gzip, br' }, ...options });

test.each([
  [undefined, undefined],
  ['', undefined],
  ['gzip', 'gzip'],
  ['gzip, deflate, br, zstd', 'br'],
  ['br;q=0.5, gzip', 'gzip'],
  ['GZIP;q=0.5', 'gzip'],
  ['*', 'br'],
  ['*;q=0', undefined],
  ['br;q=0, *', 'gzip'],
  ['identity, gzip;q=0', undefined],
  ['deflate', undefined],
] as const)('Accept-Encoding: %s → %s', (header, coding) => {
  expect(preferredCoding(header)).toBe(coding);
});

test('a long response is compressed as the client accepts', async () => {
  const text = JSON.stringify(long);
  const brotli = await ask('/long');
  expect(brotli.headers).toMatchObject({ 'content-encoding': 'br', vary: 'accept-encoding' });
  expect(brotliDecompressSync(brotli.rawPayload).toString()).toBe(text);
  expect(brotli.headers['content-length']).toBe(String(brotli.rawPayload.length));
  const zipped = await ask('/long', { headers: { 'accept-encoding': 'gzip' } });
  expect(gunzipSync(zipped.rawPayload).toString()).toBe(text);
  const plain = await ask('/long', { headers: {} });
  expect(plain.headers).toMatchObject({ vary: 'accept-encoding' });
  expect(plain.headers).not.toHaveProperty('content-encoding');
  expect(plain.payload).toBe(text);
});

test('a long stream is compressed while it is sent', async () => {
  const answer = await ask('/stream');
  expect(answer.headers).toMatchObject({
    'content-encoding': 'br',
    vary: 'accept, accept-encoding',
  });
  expect(answer.headers).not.toHaveProperty('content-length');
  expect(brotliDecompressSync(answer.rawPayload).toString()).toBe(long.text);
});

test('HEAD has the headers of GET', async () => {
  const [get, head] = [await ask('/long'), await ask('/long', { method: 'HEAD' })];
  expect(head.rawPayload).toHaveLength(0);
  for (const name of ['content-encoding', 'content-length', 'vary']) {
    expect(head.headers[name]).toBe(get.headers[name]);
  }
});

test.each([
  ['a short response', '/short', {}],
  ['a short stream', '/short-stream', {}],
  ['an image', '/image', {}],
  ['events', '/events', {}],
  ['an error', '/failed', {}],
  ['the response to a write', '/long', { method: 'POST' }],
  ['a response to a browser with cookies', '/long', { cookies: { session: 'secret' } }],
] as const)('%s is not compressed', async (_, url, options) => {
  const answer = await ask(url, options);
  expect(answer.headers).not.toHaveProperty('content-encoding');
  expect(answer.payload).toContain('word');
});

test('a stream that fails before its first byte is sent becomes a problem', async () => {
  const app = startApp();
  app.setErrorHandler(sendProblem);
  app.get('/broken', async (_request, reply) => {
    async function* broken() {
      yield* slices(long.text);
      throw new Error('the database is gone');
    }
    return reply.type('text/csv').send(Readable.from(broken()));
  });
  const answer = await app.inject({ url: '/broken', headers: { 'accept-encoding': 'gzip' } });
  expect(answer.statusCode).toBe(500);
  expect(answer.headers).not.toHaveProperty('content-encoding');
  expect(answer.json()).toMatchObject({ code: 'internal' });
});
