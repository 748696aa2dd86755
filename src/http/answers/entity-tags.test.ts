import { Readable } from 'node:stream';
import { fastify } from 'fastify';
import { expect, test } from 'vitest';
import { limits } from '../../domain/limits.ts';
import type { App } from '../server/app-types.ts';
import { addEntityTags } from './entity-tags.ts';

function startApp() {
  const app: App = fastify();
  const state = { rows: ['one'], link: '</?after=1>; rel="next"', streamed: 0 };
  addEntityTags(app);
  const polled = { config: { isPolled: true } };
  async function* slices(rows: readonly string[]) {
    for (const row of rows) {
      state.streamed += row.length;
      yield row;
    }
  }
  app.get('/list', polled, async (_request, reply) => {
    reply.header('link', state.link);
    return state.rows;
  });
  app.get('/stream', polled, async (_request, reply) =>
    reply.type('text/csv').send(Readable.from(slices(state.rows), { highWaterMark: 1 })),
  );
  app.get('/private', polled, async (_request, reply) =>
    reply.header('cache-control', 'no-store').send('secret'),
  );
  app.get('/events', polled, async (_request, reply) =>
    reply.type('text/event-stream').send(Readable.from(slices(state.rows))),
  );
  app.get('/missing', polled, async (_request, reply) => reply.code(404).send({ code: 'x' }));
  app.get('/other', async () => state.rows);
  const ask = (url: string, tag?: string, method: 'GET' | 'HEAD' = 'GET') =>
    app.inject({ url, method, ...(tag && { headers: { 'if-none-match': tag } }) });
  return { state, ask };
}

test('a client that has the current response gets 304 without a body', async () => {
  const { state, ask } = startApp();
  const { headers } = await ask('/list');
  expect(headers.etag).toMatch(/^W\/"[\w-]{27}"$/);
  expect(headers['cache-control']).toBe('private, no-cache');
  const tag = String(headers.etag);
  const strong = tag.slice(2);
  for (const known of [tag, strong, `"other", ${tag}`, `"a,b",${strong}`, '*']) {
    const same = await ask('/list', known);
    expect(`${known} ${same.statusCode}`).toBe(`${known} 304`);
    expect(same.headers).toMatchObject({ etag: tag, 'cache-control': 'private, no-cache' });
    expect(same.headers).not.toHaveProperty('content-length');
    expect(same.headers).not.toHaveProperty('content-type');
    expect(same.payload).toBe('');
  }
  for (const other of ['"other"', strong.slice(1, -1)]) {
    expect((await ask('/list', other)).statusCode).toBe(200);
  }
  state.rows = ['one', 'two'];
  const changed = await ask('/list', tag);
  expect(changed.statusCode).toBe(200);
  expect(changed.json()).toEqual(['one', 'two']);
  expect(changed.headers.etag).not.toBe(tag);
});

test('another link to the next page is another response', async () => {
  const { state, ask } = startApp();
  const tag = String((await ask('/list')).headers.etag);
  state.link = '';
  expect((await ask('/list', tag)).statusCode).toBe(200);
});

test('HEAD has the tag of GET', async () => {
  const { ask } = startApp();
  const get = await ask('/list');
  const tag = String(get.headers.etag);
  const head = await ask('/list', undefined, 'HEAD');
  expect(head.headers).toMatchObject({ etag: tag, 'content-length': String(get.payload.length) });
  expect((await ask('/list', tag, 'HEAD')).statusCode).toBe(304);
});

test('a stream has a tag up to the limit; a longer one is sent complete, without a tag', async () => {
  const { state, ask } = startApp();
  state.rows = ['a', 'é', 'c'];
  const short = await ask('/stream');
  expect(short.payload).toBe('aéc');
  expect((await ask('/stream', String(short.headers.etag))).statusCode).toBe(304);
  state.rows = Array(20).fill('x'.repeat(limits.taggedBytes.most / 10));
  const long = await ask('/stream', '*');
  expect(long.statusCode).toBe(200);
  expect(long.headers).not.toHaveProperty('etag');
  expect(long.payload).toBe(state.rows.join(''));
});

test('events, errors and other routes have no tag; a stricter cache rule stays', async () => {
  const { ask } = startApp();
  for (const url of ['/events', '/missing', '/other']) {
    expect((await ask(url, '*')).headers).not.toHaveProperty('etag');
  }
  const { headers } = await ask('/private');
  expect(headers).toMatchObject({ 'cache-control': 'no-store', etag: expect.any(String) });
});
