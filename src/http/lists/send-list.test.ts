import { once } from 'node:events';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { fastify } from 'fastify';
import { Type } from 'typebox';
import { expect, test } from 'vitest';
import type { App } from '../server/app-types.ts';
import { sendProblem } from '../server/problems.ts';
import { createLargeResponses } from './large-responses.ts';
import { pageQuery, parsePage } from './page-query.ts';
import { createSendList } from './send-list.ts';

interface Options {
  readonly records: number;
  readonly byDefault: number | null;
  /** Characters in each record. */
  readonly size?: number;
}

/** A server with a list of numbers. */
async function startListServer({ records, byDefault, size = 1 }: Options) {
  const app: App = fastify({ forceCloseConnections: true });
  const sendList = createSendList(createLargeResponses());
  const state = { reads: 0, mostRows: 0 };
  app.decorateRequest('partnerId', 1);
  app.setErrorHandler(sendProblem);
  const texts = { records: 'numbers', id: 'id', byDefault };
  app.get(
    '/numbers',
    {
      schema: {
        querystring: Type.Object(pageQuery(texts)),
        response: { 200: Type.Array(Type.Object({ id: Type.Integer(), text: Type.String() })) },
      },
      preValidation: parsePage(),
    },
    async (incoming, reply) =>
      sendList(incoming, reply, {
        async read({ after, limit }) {
          state.reads += 1;
          state.mostRows = Math.max(state.mostRows, limit);
          await nextTurn();
          const start = after ?? 0;
          const length = Math.min(limit, Math.max(0, records - start));
          return Array.from({ length }, (_, index) => start + index + 1);
        },
        row: (id) => ({ id, text: 'x'.repeat(size), hidden: true }),
        key: (id) => id,
        byDefault,
      }),
  );
  await app.listen({ host: '127.0.0.1', port: 0 });
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  return { url, state, [Symbol.asyncDispose]: () => app.close() };
}

const ids = (rows: unknown) => (rows as { id: number }[]).map(({ id }) => id);
const upTo = (count: number, from = 1) => Array.from({ length: count }, (_, at) => from + at);

test('pages have at most `limit` records and link to the next one', async () => {
  await using server = await startListServer({ records: 350, byDefault: 1_000 });
  const seen: number[] = [];
  let path: string | undefined = '/numbers?limit=150';
  const links: (string | null)[] = [];
  while (path !== undefined) {
    const response: Response = await fetch(server.url + path);
    seen.push(...ids(await response.json()));
    const link = response.headers.get('link');
    links.push(link);
    path = link === null ? undefined : /^<(.+)>; rel="next"$/.exec(link)?.[1];
  }
  expect(seen).toEqual(upTo(350));
  expect(links).toEqual([
    '</numbers?limit=150&after=150>; rel="next"',
    '</numbers?limit=150&after=300>; rel="next"',
    null,
  ]);
});

test('without `limit`, a list has its default number of records', async () => {
  await using server = await startListServer({ records: 5, byDefault: 3 });
  const response = await fetch(`${server.url}/numbers?after=1`);
  expect(await response.json()).toEqual(upTo(3, 2).map((id) => ({ id, text: 'x' })));
  expect(response.headers.get('link')).toBe('</numbers?after=4&limit=3>; rel="next"');
});

test.each([0, 1, 100, 101, 1_000, 2_345])(
  'a whole list of %i records is complete, and as its schema says',
  async (records) => {
    await using server = await startListServer({ records, byDefault: null });
    const response = await fetch(`${server.url}/numbers`);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await response.json()).toEqual(upTo(records).map((id) => ({ id, text: 'x' })));
  },
);

test.each(['limit=0', 'limit=1001', 'limit=x', 'after=-1'])('%s is rejected', async (query) => {
  await using server = await startListServer({ records: 1, byDefault: null });
  expect((await fetch(`${server.url}/numbers?${query}`)).status).toBe(400);
});

test('a client that does not read gets few pages, and others are served', async () => {
  const size = 10_000;
  await using server = await startListServer({ records: 100_000, byDefault: null, size });
  const slow = request(`${server.url}/numbers`);
  slow.end();
  const [response] = await once(slow, 'response');
  response.pause();
  const few = await (await fetch(`${server.url}/numbers?limit=2`)).json();
  expect(ids(few)).toEqual([1, 2]);
  // 1 GB in all. A read has 2 MB, a page 10 MB; buffers of the sockets hold a few pages.
  expect(server.state.reads).toBeLessThan(100);
  slow.destroy();
});

test('lists are read in small pieces', async () => {
  await using server = await startListServer({ records: 2_000, byDefault: null });
  const queries = ['', '', '', '?limit=1000', '?limit=1000', '?limit=150'];
  const lists = await Promise.all(
    queries.map(async (query) => ids(await (await fetch(`${server.url}/numbers${query}`)).json())),
  );
  expect(lists.map(({ length }) => length)).toEqual([2_000, 2_000, 2_000, 1_000, 1_000, 150]);
  for (const list of lists) expect(list).toEqual(upTo(list.length));
  expect(server.state.mostRows).toBe(200);
});

test('an owner receives at most four large lists at the same time', async () => {
  await using server = await startListServer({ records: 50_000, byDefault: null, size: 10_000 });
  const open = await Promise.all(
    upTo(4).map(async () => {
      const slow = request(`${server.url}/numbers`);
      slow.end();
      const [response] = await once(slow, 'response');
      response.pause();
      return { slow, status: response.statusCode };
    }),
  );
  expect(open.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  const refused = await fetch(`${server.url}/numbers`);
  expect(refused.status).toBe(429);
  expect(refused.headers.get('retry-after')).toBe('5');
  expect(await refused.json()).toMatchObject({ code: 'rate_limited' });
  expect((await fetch(`${server.url}/numbers?limit=1000`)).status).toBe(200);

  open[0]!.slow.destroy();
  await expect.poll(async () => (await fetch(`${server.url}/numbers`)).status).toBe(200);
  for (const { slow } of open) slow.destroy();
});
