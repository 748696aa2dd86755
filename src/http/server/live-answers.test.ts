import type { AddressInfo } from 'node:net';
import { fastify } from 'fastify';
import { expect, test } from 'vitest';
import { eventsOf } from '../../../test/support/events.ts';
import { TributaryError } from '../../domain/errors.ts';
import type { App } from './app-types.ts';
import { createSendLive } from './live-answers.ts';

const everyMs = 10;
const everyBeatMs = 200;

/** A server that tells of a number, as long as it may. */
async function startTelling({ onlyChanges = true } = {}) {
  const app: App = fastify({ forceCloseConnections: true });
  const seen = { number: 1, looks: 0, refusal: undefined as Error | undefined };
  app.decorateRequest('partnerId', 1);
  const sendLive = createSendLive(app, everyBeatMs);
  app.get('/', async (request, reply) =>
    sendLive(request, reply, {
      async read() {
        seen.looks += 1;
        return [seen.number];
      },
      event: 'number',
      data: ([number]) => ({ number }),
      intervalMs: everyMs,
      onlyChanges,
      async authorize() {
        // As what lets requests through does, when the answer's head is long sent.
        reply.header('ratelimit-remaining', '1');
        if (seen.refusal) throw seen.refusal;
      },
    }),
  );
  await app.listen({ host: '127.0.0.1', port: 0 });
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  return { url, seen, [Symbol.asyncDispose]: () => app.close() };
}

const told = (number: number) => `event: number\ndata: {"number":${number}}`;
const signOfLife = ': ';

test('who does not ask for events is told once', async () => {
  await using server = await startTelling();
  const response = await fetch(server.url);
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(response.headers.get('vary')).toBe('accept');
  expect(await response.json()).toEqual([1]);
});

test('of what does not change nothing is told but a sign of life now and then', async () => {
  await using server = await startTelling();
  const begun = performance.now();
  const events = eventsOf(server.url, {});
  expect((await events.next()).value).toBe(told(1));
  expect((await events.next()).value).toBe(signOfLife);
  expect(performance.now() - begun).toBeGreaterThan(everyBeatMs);
  expect(server.seen.looks).toBeGreaterThan(3);
  server.seen.number = 2;
  expect((await events.next()).value).toBe(told(2));
  await events.return(undefined);
});

test('where every look counts, all are told', async () => {
  await using server = await startTelling({ onlyChanges: false });
  const events = eventsOf(server.url, {});
  for (let n = 0; n < 5; n++) expect((await events.next()).value).toBe(told(1));
  await events.return(undefined);
});

test('the stream of who may no longer follow ends whole', async () => {
  await using server = await startTelling();
  const events = eventsOf(server.url, {});
  await events.next();
  server.seen.refusal = new TributaryError('unauthenticated', 'The session has ended.');
  const begun = performance.now();
  const rest = await Array.fromAsync(events);
  expect(performance.now() - begun).toBeLessThan(5_000);
  for (const event of rest) expect(event).toBe(signOfLife);
});

test.each(['unavailable', 'rate_limited'] as const)('%s does not end it', async (code) => {
  await using server = await startTelling();
  const events = eventsOf(server.url, {});
  await events.next();
  server.seen.refusal = new TributaryError(code, 'Not now.');
  for (let n = 0; n < 2; n++) expect((await events.next()).value).toBe(signOfLife);
  server.seen.number = 2;
  expect((await events.next()).value).toBe(told(2));
  await events.return(undefined);
});
