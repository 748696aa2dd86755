import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { ConnectionError } from './problems.ts';
import { createRetryingFetch, retryAfterMs } from './retries.ts';

/** Answers the requests one after the other. An error breaks the connection. */
function scripted(...outcomes: (Response | Error)[]) {
  const requests: Request[] = [];
  const fetch = async (input: unknown) => {
    requests.push(input as Request);
    const outcome = outcomes[requests.length - 1]!;
    if (outcome instanceof Error) throw outcome;
    return outcome;
  };
  const send = createRetryingFetch({ retries: 3, pauseMs: 1, fetch });
  return { requests, send };
}

const url = 'http://service.example/v1/x';
const problem = (status: number, code: string, headers = {}) =>
  Response.json({ code, detail: 'No.' }, { status, headers });

test('a write is sent again with the same key and body until it succeeds', async () => {
  const { requests, send } = scripted(
    new TypeError('broken'),
    problem(503, 'unavailable', { 'retry-after': '0' }),
    problem(409, 'idempotency_key_in_use'),
    Response.json({ id: 1 }),
  );
  const response = await send(new Request(url, { method: 'POST', body: '{"a":1}' }));
  expect(await response.json()).toEqual({ id: 1 });
  expect(requests).toHaveLength(4);
  const keys = requests.map(({ headers }) => headers.get('idempotency-key'));
  expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
  expect(new Set(keys).size).toBe(1);
  expect(await Promise.all(requests.map((request) => request.text()))).toEqual(
    Array(4).fill('{"a":1}'),
  );
});

test("the caller's own key is kept, and a read has none", async () => {
  const { requests, send } = scripted(Response.json({}), Response.json({}));
  await send(new Request(url, { method: 'DELETE', headers: { 'idempotency-key': 'mine' } }));
  await send(new Request(url));
  expect(requests.map(({ headers }) => headers.get('idempotency-key'))).toEqual(['mine', null]);
});

test.each([
  problem(400, 'invalid_input'),
  problem(409, 'foreign_key_taken'),
  problem(500, 'internal'),
  problem(429, 'rate_limited', { 'retry-after': '86400' }),
])('a final response is returned at once: $status', async (response) => {
  const { requests, send } = scripted(response);
  expect((await send(new Request(url))).status).toBe(response.status);
  expect(requests).toHaveLength(1);
});

test('the last failure is reported', async () => {
  const broken = scripted(...Array(4).fill(new TypeError('broken')));
  await expect(broken.send(new Request(url))).rejects.toThrow(ConnectionError);
  expect(broken.requests).toHaveLength(4);
  const busy = scripted(...Array.from({ length: 4 }, () => problem(503, 'unavailable')));
  expect((await busy.send(new Request(url))).status).toBe(503);
});

test('an abort ends the attempts', async () => {
  const { requests, send } = scripted(...Array(4).fill(new TypeError('broken')));
  const signal = AbortSignal.abort(new Error('enough'));
  await expect(send(new Request(url, { signal }))).rejects.toThrow('enough');
  expect(requests.length).toBeLessThanOrEqual(1);
});

test('a redirect is returned, because credentials must not go to another address', async () => {
  const visited: string[] = [];
  const server = createServer((request, response) => {
    visited.push(request.url ?? '');
    response.writeHead(307, { location: '/elsewhere' }).end();
  });
  await using _closing = { [Symbol.asyncDispose]: async () => void server.close() };
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const send = createRetryingFetch({ retries: 3, pauseMs: 1, fetch });
  const { port } = server.address() as AddressInfo;
  const headers = { 'x-user-token': 'secret' };
  const response = await send(new Request(`http://127.0.0.1:${port}/here`, { headers }));
  expect(response.status).toBe(307);
  expect(visited).toEqual(['/here']);
});

test('Retry-After has seconds or a date', () => {
  const now = Date.UTC(2026, 0, 1);
  expect(retryAfterMs('7', now)).toBe(7_000);
  expect(retryAfterMs('Thu, 01 Jan 2026 00:00:09 GMT', now)).toBe(9_000);
  expect(retryAfterMs('Thu, 01 Jan 2025 00:00:00 GMT', now)).toBe(0);
  expect(retryAfterMs('soon', now)).toBe(undefined);
  expect(retryAfterMs(null, now)).toBe(undefined);
});
