import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createPost, type PostOptions } from '../../../src/webhooks/post.ts';
import { canCertify, createCertificate } from '../../support/certificate.ts';

const { signal } = new AbortController();

async function receiver(listener: RequestListener) {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.headers.host}${request.url}`);
    listener(request, response);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  return {
    requests,
    port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

function send(url: string, options: Partial<PostOptions> = {}) {
  const post = createPost({ targets: 'any', timeoutMs: 10_000, ...options });
  return post(url, { 'content-type': 'application/json' }, '{}', signal);
}

const loopback = [{ address: '127.0.0.1', family: 4 }];

describe('what the receiver answers', () => {
  test('only the beginning of an error text is kept, and redirects are not followed', async () => {
    await using target = await receiver((request, response) => {
      const text = { 'content-type': 'text/plain' };
      if (request.url === '/moved')
        response.writeHead(302, { location: '/elsewhere' }).end('moved');
      else if (request.url === '/good') response.writeHead(200, text).end('secret');
      else if (request.url === '/bytes') response.writeHead(500).end('bytes');
      else response.writeHead(503, { ...text, 'retry-after': '7' }).end(`\0${'x'.repeat(100_000)}`);
    });
    const at = (path: string) => send(`http://127.0.0.1:${target.port}${path}`);
    expect(await at('/good')).toEqual({
      status: 200,
      error: null,
      answer: null,
      retryAfterSeconds: null,
    });
    expect(await at('/moved')).toMatchObject({ status: 302, answer: null });
    expect(await at('/bytes')).toMatchObject({ status: 500, answer: null });
    const bad = await at('/bad');
    expect(bad).toMatchObject({ status: 503, retryAfterSeconds: 7 });
    expect(bad.answer).toBe(`\ufffd${'x'.repeat(1_023)}`);
    expect(target.requests).toHaveLength(4);
  });

  test('one that does not answer has its time', async () => {
    await using target = await receiver(() => {});
    const sent = await send(`http://127.0.0.1:${target.port}/`, { timeoutMs: 200 });
    expect(sent).toMatchObject({ status: null, error: 'no answer within 0.2 s' });
  });

  test('an answer that changes the protocol, or a closed connection, ends the attempt', async () => {
    const upgrade = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n';
    const server = createTcpServer((socket) => {
      socket
        .on('error', () => {})
        .once('data', (request) => {
          if (request.includes('POST /upgrade ')) socket.write(upgrade);
          else socket.end();
        });
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const { port } = server.address() as AddressInfo;
    expect(await send(`http://127.0.0.1:${port}/upgrade`)).toMatchObject({ status: 101 });
    const closed = await send(`http://127.0.0.1:${port}/closed`);
    expect(closed).toMatchObject({ status: null, error: expect.stringContaining('ECONNRESET') });
    // The connections are gone, or this would not end.
    await new Promise((ended) => server.close(ended));
  });

  test('an error says why there is no answer', async () => {
    const { port } = await (async () => {
      await using closed = await receiver(() => {});
      return closed;
    })();
    expect((await send(`http://127.0.0.1:${port}/`)).error).toMatch(/ECONNREFUSED/);
  });
});

describe('where a webhook may go', () => {
  test('a name that resolves to a private address is refused, also if only one of them is', async () => {
    const both = [{ address: '93.184.215.14', family: 4 }, ...loopback];
    for (const addresses of [loopback, both, [{ address: '::ffff:127.0.0.1', family: 6 }]]) {
      const resolve = async () => addresses;
      const sent = await send('https://acme.example/', { targets: 'public', resolve });
      expect(sent).toMatchObject({
        status: null,
        error: 'acme.example is in a private or reserved network',
      });
    }
    const none = await send('https://acme.example/', {
      targets: 'public',
      resolve: async () => [],
    });
    expect(none.error).toBe('acme.example has no address');
  });

  test('plain http and private addresses are refused without a lookup', async () => {
    const resolve = () => expect.unreachable();
    for (const url of ['http://acme.example/', 'https://10.0.0.1/', 'https://[::1]/']) {
      const sent = await send(url, { targets: 'public', resolve });
      expect(sent.error).toMatch(/^the URL must/);
    }
  });

  test('the host is resolved once, and the connection goes to the address that was checked', async () => {
    await using target = await receiver((_, response) => response.writeHead(204).end());
    let lookups = 0;
    // The next answer would be another address, as in DNS rebinding.
    const resolve = async () =>
      lookups++ === 0 ? loopback : [{ address: '127.0.0.2', family: 4 }];
    const url = `http://rebinding.invalid:${target.port}/hook`;
    expect(await send(url, { resolve })).toMatchObject({ status: 204 });
    expect(lookups).toBe(1);
    expect(target.requests).toEqual([`POST rebinding.invalid:${target.port}/hook`]);
  });

  test.skipIf(!canCertify)('the certificate must be that of the name', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tributary-webhook-'));
    const { cert, key } = await createCertificate(folder);
    const options = { cert: await readFile(cert), key: await readFile(key) };
    const server = createTlsServer(options, (_, response) => response.writeHead(204).end());
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const { port } = server.address() as AddressInfo;
    const ca = await readFile(cert, 'utf8');
    const resolve = async () => loopback;
    const good = await send(`https://localhost:${port}/`, { ca, resolve });
    const otherName = await send(`https://other.example:${port}/`, { ca, resolve });
    const unknown = await send(`https://localhost:${port}/`, { resolve });
    await new Promise((closed) => server.close(closed));
    await rm(folder, { recursive: true });
    expect(good.status).toBe(204);
    expect(otherName.error).toMatch(/ERR_TLS_CERT_ALTNAME_INVALID/);
    expect(unknown.error).toMatch(/SELF_SIGNED/);
  });
});
