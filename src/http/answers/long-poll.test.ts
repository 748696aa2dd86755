import type { AddressInfo } from 'node:net';
import { fastify } from 'fastify';
import { expect, test } from 'vitest';
import { eventually } from '../../../test/support/http.ts';
import { TributaryError } from '../../domain/errors.ts';
import type { App } from '../server/app-types.ts';
import { createEventStreams } from '../server/event-streams.ts';
import { createWaitFor, preferredWait } from './long-poll.ts';

/** A server with a job that ends when the test says so. */
async function startServer({ limitPerOwner = 10 } = {}) {
  const app: App = fastify({ forceCloseConnections: true });
  app.decorateRequest('partnerId', 1);
  const job = { ended: false, reads: 0, failure: undefined as Error | undefined, isRevoked: false };
  const waitFor = createWaitFor(createEventStreams(app, limitPerOwner));
  const read = async () => {
    job.reads += 1;
    if (job.failure) throw job.failure;
    return { ended: job.ended };
  };
  const authorize = async () => {
    if (job.isRevoked) throw new TributaryError('unauthenticated', 'Revoked.');
  };
  app.get('/', (request, reply) =>
    waitFor(request, reply, { read, isLast: ({ ended }) => ended, authorize }),
  );
  await app.listen({ host: '127.0.0.1', port: 0 });
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  const ask = (prefer?: string, signal?: AbortSignal) =>
    fetch(url, { ...(prefer && { headers: { prefer } }), ...(signal && { signal }) });
  return { job, ask, close: () => app.close(), [Symbol.asyncDispose]: () => app.close() };
}

test.each([
  [undefined, undefined],
  ['respond-async', undefined],
  ['wait=10', 10],
  ['respond-async, WAIT = 5', 5],
  ['wait="7"; x=1', 7],
  ['wait=3600', 30],
  ['wait=0', 0],
  ['wait=-1', undefined],
  ['wait=1.5', undefined],
  ['await=3', undefined],
] as const)('Prefer: %s waits for %s seconds', (header, seconds) => {
  expect(preferredWait(header)).toBe(seconds);
});

test('the response comes when the job ends', async () => {
  await using server = await startServer();
  const waiting = server.ask('wait=30');
  await eventually(() => expect(server.job.reads).toBeGreaterThan(1));
  server.job.ended = true;
  const response = await waiting;
  expect(response.headers.get('preference-applied')).toBe('wait=30');
  expect(await response.json()).toEqual({ ended: true });
});

test('without a wait, or when the time is over, it has the state of the moment', async () => {
  await using server = await startServer();
  const direct = await server.ask();
  expect(direct.headers.get('preference-applied')).toBe(null);
  expect(await direct.json()).toEqual({ ended: false });
  expect(server.job.reads).toBe(1);
  const begun = performance.now();
  expect(await (await server.ask('wait=1')).json()).toEqual({ ended: false });
  expect(performance.now() - begun).toBeGreaterThan(950);
});

test('an unavailable database does not end the wait', async () => {
  await using server = await startServer();
  const waiting = server.ask('wait=30');
  await eventually(() => expect(server.job.reads).toBe(1));
  server.job.failure = new TributaryError('unavailable', 'Not now.');
  await eventually(() => expect(server.job.reads).toBeGreaterThan(2));
  server.job.failure = undefined;
  server.job.ended = true;
  expect(await (await waiting).json()).toEqual({ ended: true });
});

test('a stopping server responds at once', async () => {
  const server = await startServer();
  const waiting = server.ask('wait=30');
  await eventually(() => expect(server.job.reads).toBeGreaterThan(0));
  const begun = performance.now();
  await server.close();
  expect(await (await waiting).json()).toEqual({ ended: false });
  expect(performance.now() - begun).toBeLessThan(5_000);
});

test('the wait ends when the client disconnects', async () => {
  await using server = await startServer({ limitPerOwner: 1 });
  const leaving = new AbortController();
  const waiting = server.ask('wait=30', leaving.signal);
  await eventually(() => expect(server.job.reads).toBeGreaterThan(0));
  const applied = async () => (await server.ask('wait=0')).headers.get('preference-applied');
  await eventually(async () => expect(await applied()).toBe(null));
  leaving.abort();
  await expect(waiting).rejects.toThrow();
  await eventually(async () => expect(await applied()).toBe('wait=0'));
});

test('a client that lost access while it waited gets no answer', async () => {
  await using server = await startServer();
  const waiting = server.ask('wait=30');
  await eventually(() => expect(server.job.reads).toBeGreaterThan(0));
  server.job.isRevoked = true;
  server.job.ended = true;
  const response = await waiting;
  expect([response.status, await response.json()]).toEqual([
    500,
    expect.objectContaining({ message: 'Revoked.' }),
  ]);
});
