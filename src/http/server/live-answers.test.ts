import type { AddressInfo } from 'node:net';
import { fastify } from 'fastify';
import { expect, test } from 'vitest';
import { eventsOf } from '../../../test/support/events.ts';
import { TributaryError } from '../../domain/errors.ts';
import type { App } from './app-types.ts';
import { createEventStreams } from './event-streams.ts';
import { createSendLive } from './live-answers.ts';

const intervalMs = 10;
const heartbeatMs = 200;

/** A server with a number as its live resource. */
async function startLiveServer({ onlyChanges = true } = {}) {
  const app: App = fastify({ forceCloseConnections: true });
  const live = { number: 1, reads: 0, failure: undefined as Error | undefined };
  app.decorateRequest('partnerId', 1);
  const sendLive = createSendLive(createEventStreams(app, 10), heartbeatMs);
  app.get('/', async (request, reply) =>
    sendLive(request, reply, {
      async read() {
        live.reads += 1;
        return [live.number];
      },
      event: 'number',
      data: ([number]) => ({ number }),
      intervalMs,
      onlyChanges,
      async authorize() {
        // As authorization does, here after the response's headers are sent.
        reply.header('ratelimit-remaining', '1');
        if (live.failure) throw live.failure;
      },
    }),
  );
  await app.listen({ host: '127.0.0.1', port: 0 });
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  return { url, live, [Symbol.asyncDispose]: () => app.close() };
}

const eventOf = (number: number) => `event: number\ndata: {"number":${number}}`;
const heartbeat = ': ';

test('a client that does not accept events gets JSON', async () => {
  await using server = await startLiveServer();
  const response = await fetch(server.url);
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(response.headers.get('vary')).toBe('accept');
  expect(await response.json()).toEqual([1]);
});

test('an unchanged state sends only heartbeats', async () => {
  await using server = await startLiveServer();
  const begun = performance.now();
  const events = eventsOf(server.url, {});
  expect((await events.next()).value).toBe(eventOf(1));
  expect((await events.next()).value).toBe(heartbeat);
  expect(performance.now() - begun).toBeGreaterThan(heartbeatMs);
  expect(server.live.reads).toBeGreaterThan(3);
  server.live.number = 2;
  expect((await events.next()).value).toBe(eventOf(2));
  await events.return(undefined);
});

test('every read sends an event if not only changes are wanted', async () => {
  await using server = await startLiveServer({ onlyChanges: false });
  const events = eventsOf(server.url, {});
  for (let n = 0; n < 5; n++) expect((await events.next()).value).toBe(eventOf(1));
  await events.return(undefined);
});

test('the stream of a client that has lost access ends with a complete event', async () => {
  await using server = await startLiveServer();
  const events = eventsOf(server.url, {});
  await events.next();
  server.live.failure = new TributaryError('unauthenticated', 'The session has ended.');
  const begun = performance.now();
  const rest = await Array.fromAsync(events);
  expect(performance.now() - begun).toBeLessThan(5_000);
  for (const event of rest) expect(event).toBe(heartbeat);
});

test.each(['unavailable', 'rate_limited'] as const)('%s does not end a stream', async (code) => {
  await using server = await startLiveServer();
  const events = eventsOf(server.url, {});
  await events.next();
  server.live.failure = new TributaryError(code, 'Not now.');
  for (let n = 0; n < 2; n++) expect((await events.next()).value).toBe(heartbeat);
  server.live.number = 2;
  expect((await events.next()).value).toBe(eventOf(2));
  await events.return(undefined);
});
