import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { fastify } from 'fastify';
import { expect, test } from 'vitest';
import { eventually, openSocket } from '../../../test/support/http.ts';
import type { App } from './app-types.ts';
import { createEventStreams, pause, serverSentEvent } from './event-streams.ts';

/** A server whose responses are endless streams. */
async function startStreaming(limitPerOwner = 10) {
  const app: App = fastify({ forceCloseConnections: true });
  const streams = createEventStreams(app, limitPerOwner);
  let running = 0;
  async function* ticks(signal: AbortSignal, text: string) {
    running += 1;
    try {
      do yield serverSentEvent('tick', { text });
      while (await pause(20, signal));
    } finally {
      running -= 1;
    }
  }
  app.get('/', async (_request, reply) =>
    streams.send(reply, 'partner 1', (signal) => ticks(signal, 'here')),
  );
  app.get('/torrent', async (_request, reply) =>
    streams.send(reply, 'partner 1', (signal) => ticks(signal, 'x'.repeat(1024 * 1024))),
  );
  await app.listen({ host: '127.0.0.1', port: 0 });
  return {
    url: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`,
    openStreams: () => running,
    close: () => app.close(),
    [Symbol.asyncDispose]: () => app.close(),
  };
}

test('a stream runs until its client disconnects', async () => {
  await using server = await startStreaming();
  const disconnecting = new AbortController();
  const { body } = await fetch(server.url, { signal: disconnecting.signal });
  const { value } = await body!.getReader().read();
  expect(new TextDecoder().decode(value)).toMatch(/^event: tick\ndata: /);
  expect(server.openStreams()).toBe(1);
  disconnecting.abort();
  await eventually(() => expect(server.openStreams()).toBe(0));
});

test('a HEAD request starts no lasting stream', async () => {
  await using server = await startStreaming();
  const response = await fetch(server.url, { method: 'HEAD' });
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  await eventually(() => expect(server.openStreams()).toBe(0));
});

test('a stopping server ends its streams with complete events', async () => {
  const server = await startStreaming();
  const response = await fetch(server.url);
  const text = response.text();
  await server.close();
  expect(await text).toMatch(/^(event: tick\ndata: \{"text":"here"\}\n\n)+$/);
  expect(server.openStreams()).toBe(0);
});

test('a client that does not read cannot keep the server from stopping', async () => {
  const server = await startStreaming();
  const socket = await openSocket(server.url);
  socket.write('GET /torrent HTTP/1.1\r\nhost: x\r\n\r\n');
  await once(socket, 'readable');
  const begun = performance.now();
  await server.close();
  expect(performance.now() - begun).toBeLessThan(5_000);
  await eventually(() => expect(server.openStreams()).toBe(0));
  socket.destroy();
});

test('the number of streams per owner is limited', async () => {
  await using server = await startStreaming(2);
  const disconnecting = new AbortController();
  for (let n = 0; n < 2; n++) {
    expect((await fetch(server.url, { signal: disconnecting.signal })).status).toBe(200);
  }
  expect((await fetch(server.url)).status).toBe(500);
  disconnecting.abort();
  await eventually(async () => {
    const again = await fetch(server.url);
    await again.body!.cancel();
    expect(again.status).toBe(200);
  });
});
