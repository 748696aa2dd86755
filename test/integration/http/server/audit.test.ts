import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../support/app.ts';
import { eventually, openSocket } from '../../../support/http.ts';

let service: TestApp;
beforeAll(async () => {
  service = await startTestApp();
});
afterAll(() => service[Symbol.asyncDispose]());

/** The audit record of the call with this request id, once its status is saved. */
function recordOf(app: TestApp, requestId: string) {
  return eventually(async () => {
    const calls = await app.records.adminCalls.latest(1_000);
    const found = calls.find((call) => call.requestId === requestId);
    expect(found?.status).toEqual(expect.any(Number));
    return found!;
  });
}

test('every call is recorded with its time, action, target, client address and status', async () => {
  const { partner } = await service.partner();
  const id = partner.partnerId;
  const json = { 'content-type': 'application/json' };
  const calls = [
    ['POST', '/admin/v1/partners', '', { json: { name: 'x' } }, 201],
    ['POST', '/admin/v1/partners', '', { json: { nome: 'x' } }, 400],
    ['POST', '/admin/v1/partners', '', { body: '{', headers: json }, 400],
    ['POST', '/admin/v1/partners', '', { body: 'x' }, 415],
    ['POST', '/admin/v1/partners', '', { body: ' '.repeat(2 ** 21), headers: json }, 413],
    ['GET', '/admin/v1/partners', '', {}, 200],
    ['GET', '/admin/v1/status', '?token=abc', {}, 200],
    ['POST', '/admin/v1/partners/:partner_id/api-keys', '', { json: {} }, 201],
    ['GET', '/admin/v1/partners/:partner_id/api-keys', '', {}, 200],
    ['PUT', '/admin/v1/partners/:partner_id/objects/*', 'a%2Fb', { body: 'x' }, 201],
    ['DELETE', '/admin/v1/partners/:partner_id/api-keys/:api_key_id', '', {}, 404],
    ['GET', '/admin/v1/status', '', {}, 200],
    ['HEAD', '/admin/v1/status', '', {}, 200],
  ] as const;
  for (const [number, [method, route, rest, options, status]] of calls.entries()) {
    const path = route
      .replace(':partner_id', String(id))
      .replace(':api_key_id', '999')
      .replace('*', '');
    const requestId = `call-${number}`;
    const before = Date.now();
    const answer = await service.call(method, path + rest, {
      token: service.adminToken,
      ...options,
      headers: { 'x-request-id': requestId, ...('headers' in options ? options.headers : {}) },
    });
    expect(answer.status).toBe(status);
    const { calledAt, adminCallId, ...kept } = await recordOf(service, requestId);
    expect(adminCallId).toBeGreaterThan(0);
    expect(Math.abs(calledAt.getTime() - before)).toBeLessThan(5_000);
    expect(kept).toEqual({
      requestId,
      action: `${method} ${route}`,
      target: rest.startsWith('?') ? path : path + rest,
      remoteAddress: '127.0.0.1',
      status,
    });
  }
});

test('a secret in the path or the request id of a call is not recorded', async () => {
  const { partner, apiKey } = await service.partner();
  const encoded = (text: string) =>
    text.replaceAll(/[_i]/g, (one) => `%${one === '_' ? '5f' : '69'}`);
  for (const secret of [apiKey, encoded(apiKey), service.adminToken, encoded(service.adminToken)]) {
    const path = `/admin/v1/partners/${partner.partnerId}/api-keys/${secret}`;
    await service.call('DELETE', path, {
      token: service.adminToken,
      headers: { 'x-request-id': apiKey },
    });
    const [latest] = await service.records.adminCalls.latest(1);
    expect(latest!.target).toBe(`/admin/v1/partners/${partner.partnerId}/api-keys/[redacted]`);
    expect(latest!.requestId).not.toContain(apiKey);
  }
});

test('an unauthenticated call is not recorded', async () => {
  const { apiKey } = await service.partner();
  const headers = { 'x-request-id': 'intruder' };
  await service.call('GET', '/admin/v1/status', { headers });
  await service.call('GET', '/admin/v1/status', { headers, token: apiKey });
  const calls = await service.records.adminCalls.latest(1_000);
  expect(calls.map((call) => call.requestId)).not.toContain('intruder');
});

test('a call whose client disconnects is recorded with status 499', async () => {
  const { partner } = await service.partner();
  const socket = await openSocket(service.url);
  socket.write(
    `PUT /admin/v1/partners/${partner.partnerId}/objects/x HTTP/1.1\r\nhost: x\r\n` +
      `authorization: Bearer ${service.adminToken}\r\nx-request-id: gone\r\ncontent-length: 9\r\n\r\nx`,
  );
  await eventually(async () => {
    const [latest] = await service.records.adminCalls.latest(1);
    expect(latest).toMatchObject({ requestId: 'gone', status: null });
  });
  socket.destroy();
  expect(await recordOf(service, 'gone')).toMatchObject({ status: 499 });
});

test('the audit lists at most 1000 calls, newest first, including the call that reads it', async () => {
  await sql`
    insert into admin_call (request_id, action, target, remote_address, status)
    select 'old-' || number, 'GET /x', '/x', '::1', 200 from generate_series(1, 1005) as number
  `.execute(service.database.db);
  const { body } = await service.call('GET', '/admin/v1/audit', {
    token: service.adminToken,
    headers: { 'x-request-id': 'reading' },
  });
  expect(body).toHaveLength(1_000);
  expect(body[0]).toEqual({
    admin_call_id: expect.any(Number),
    request_id: 'reading',
    called_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
    action: 'GET /admin/v1/audit',
    target: '/admin/v1/audit',
    remote_address: '127.0.0.1',
    status: null,
  });
  expect(body.slice(1, 4).map((call: { request_id: string }) => call.request_id)).toEqual([
    'old-1005',
    'old-1004',
    'old-1003',
  ]);
});

describe('the client address from X-Forwarded-For', () => {
  async function addressesBehind(trustProxy: boolean | string, ...forwarded: string[]) {
    await using app = await startTestApp({ trustProxy });
    const addresses: string[] = [];
    for (const [number, claim] of forwarded.entries()) {
      const requestId = `forwarded-${number}`;
      await app.call('GET', '/admin/v1/status', {
        token: app.adminToken,
        headers: { 'x-forwarded-for': claim, 'x-request-id': requestId },
      });
      addresses.push((await recordOf(app, requestId)).remoteAddress);
    }
    return addresses;
  }

  test('is ignored unless the proxy is trusted', async () => {
    expect(await addressesBehind(false, '203.0.113.9')).toEqual(['127.0.0.1']);
    expect(await addressesBehind('10.0.0.0/8', '203.0.113.9')).toEqual(['127.0.0.1']);
  });

  test('is the first address that is not a trusted proxy', async () => {
    const claims = ['203.0.113.9', '2001:db8::7', '198.51.100.1, 203.0.113.9, 10.1.2.3'];
    expect(await addressesBehind('127.0.0.1,10.0.0.0/8', ...claims)).toEqual([
      '203.0.113.9',
      '2001:db8::7',
      '203.0.113.9',
    ]);
  });

  test('is the address of the proxy if the header is invalid', async () => {
    const claims = ['203.0.113.9', 'unknown', '<script>', '203.0.113.9:1234', '9'.repeat(9_000)];
    expect(await addressesBehind(true, ...claims)).toEqual([
      '203.0.113.9',
      ...Array(4).fill('127.0.0.1'),
    ]);
  });
});
