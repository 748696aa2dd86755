import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../support/app.ts';
import { eventually, openSocket, sendRaw } from '../../../support/http.ts';

let service: TestApp;
beforeAll(async () => {
  service = await startTestApp();
});
afterAll(() => service[Symbol.asyncDispose]());

/** The log lines of the requests so far. The last request is `/healthz`. */
async function linesSoFar() {
  await service.call('GET', '/healthz', { headers: { 'x-request-id': 'last' } });
  await eventually(() => expect(service.logged.at(-1)).toContain('"request_id":"last"'));
  return service.logged.map((line) => JSON.parse(line));
}

test('a request is logged as one JSON line with method, path, status, time and id', async () => {
  service.logged.length = 0;
  await service.call('GET', '/nothing?query=hidden', { headers: { 'x-request-id': 'abc' } });
  const [line] = await linesSoFar();
  expect(line).toEqual({
    level: 'info',
    time: expect.stringMatching(/^\d{4}-.*Z$/),
    role: 'api',
    request_id: 'abc',
    method: 'GET',
    path: '/nothing',
    status: 404,
    ms: expect.any(Number),
    msg: 'request',
  });
});

test('no request can break its log line', async () => {
  service.logged.length = 0;
  const path = '/a%0A%7B%22level%22:%22forged%22%7D\\"\\u000a"}';
  await sendRaw(service.url, `GET ${path} HTTP/1.1\r\nhost: x\r\nx-request-id: x"y\r\n\r\n`);
  const [line, last] = await linesSoFar();
  expect(line.path).toBe(path);
  expect(last.path).toBe('/healthz');
  expect(service.logged.every((text) => text.indexOf('\n') === text.length - 1)).toBe(true);
});

test('no secret is logged, wherever it is in the request', async () => {
  service.logged.length = 0;
  const { apiKey, partner } = await service.partner();
  const admin = service.adminToken;
  const secret = apiKey.slice('trib_key_0123456789abcdef_'.length);
  const keys = `/admin/v1/partners/${partner.partnerId}/api-keys`;
  const made = (await service.call('POST', keys, { token: admin, json: {} })).body.api_key;
  const chosen = 'hunter2hunter2';

  for (const token of [apiKey, admin, chosen]) {
    const paths = [
      `/v1/marketplace/import/${token}`,
      `/v1/marketplace/import?api_key=${token}&x=1`,
      `/${token}/%zz`,
      `/password=${token}`,
      `/postgres://user:${token}@host/db`,
      `/Bearer%20${token}`,
    ];
    for (const path of paths) {
      for (const authorization of [`Bearer ${apiKey}`, `Bearer ${admin}`, `Basic ${token}`]) {
        const headers = { authorization, 'x-user-token': token, cookie: token };
        await service.call('GET', path, { headers });
      }
    }
    await service.call('GET', '/healthz', { headers: { 'x-request-id': token } });
    for (const json of [
      { file_path: token, key_type: 1 },
      { file_path: `${token}\n`, key_type: 1, credentials: { secretAccessKey: token } },
      { [token]: token },
      { name: token, description: token, partner_foreign_key: token },
    ]) {
      await service.call('POST', '/v1/marketplace/import', { token: apiKey, json });
      await service.call('POST', '/v1/marketplace/attribute', { token: apiKey, json });
      await service.call('POST', '/v1/marketplace/attribute', { token: apiKey, json });
      await service.call('POST', keys, { token: admin, json: { label: token } });
    }
    await sendRaw(service.url, `${token} / HTTP/1.1\r\nauthorization: Bearer ${token}\r\n\r\n`);
    const socket = await openSocket(service.url);
    socket.end(`GET / HTTP/1.1\r\nauthorization: Bearer ${token}\r\n`);
    const objects = `/admin/v1/partners/${partner.partnerId}/objects/`;
    await service.call('PUT', objects + token, { token: admin, body: token });
  }

  await linesSoFar();
  const everything = service.logged.join('');
  expect(everything.length).toBeGreaterThan(10_000);
  for (const hidden of [apiKey, secret, made, admin]) expect(everything).not.toContain(hidden);
  // A path is logged as sent, except for parts that look like secrets.
  expect(everything).not.toMatch(/(password=|user:|Bearer )hunter2/);
});

test('an internal error is logged with its cause, without rows or parameters', async () => {
  await using app = await startTestApp();
  const { apiKey, partner } = await app.partner();
  // PostgreSQL's error has the whole row in `detail`.
  await sql`alter table attribute add constraint broken check (name <> 'Broken')`.execute(
    app.database.db,
  );
  const answer = await app.call('POST', '/v1/marketplace/attribute', {
    token: apiKey,
    json: { name: 'Broken', description: 'confidential', partner_foreign_key: 'private-key' },
  });
  expect(answer.status).toBe(500);
  expect(answer.body).toEqual({
    type: '/docs#problem-internal',
    title: 'Internal error',
    status: 500,
    detail: 'Internal error. Report the request_id to the operator.',
    code: 'internal',
    request_id: answer.headers.get('x-request-id'),
  });
  const failure = app.logged.map((line) => JSON.parse(line)).find((line) => line.level === 'error');
  expect(failure).toMatchObject({
    msg: 'request failed',
    request_id: answer.body.request_id,
    err: { type: 'error', code: '23514', message: expect.stringContaining('"broken"') },
  });
  expect(Object.keys(failure.err).sort()).toEqual(['code', 'message', 'stack', 'type']);
  expect(app.logged.join('')).not.toMatch(/confidential|private-key/);
  expect(partner.partnerId).toBeGreaterThan(0);
});

test('a client that disconnects is logged with status 499, not as an error', async () => {
  service.logged.length = 0;
  const { apiKey } = await service.partner();
  const socket = await openSocket(service.url);
  socket.write(
    `POST /v1/marketplace/import HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${apiKey}\r\n` +
      'content-type: application/json\r\ncontent-length: 50\r\n\r\n{"file_path"',
  );
  socket.destroySoon();
  await eventually(() => expect(service.logged.join('')).toContain('"status":499'));
  expect(service.logged.join('')).not.toContain('"level":"error"');
});
