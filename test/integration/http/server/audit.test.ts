import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../support/app.ts';
import { password, signIn, someUser } from '../../../support/console-session.ts';
import { eventually, openSocket } from '../../../support/http.ts';

let service: TestApp;
beforeAll(async () => {
  service = await startTestApp();
});
afterAll(() => service[Symbol.asyncDispose]());

/** The audit record of the call with this request id, once its status is saved. */
function recordOf(app: TestApp, requestId: string) {
  return eventually(async () => {
    const calls = await app.records.auditLog.list({}, { after: null, limit: 1_000 });
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
    const { calledAt, auditEntryId, ...kept } = await recordOf(service, requestId);
    expect(auditEntryId).toBeGreaterThan(0);
    expect(Math.abs(calledAt.getTime() - before)).toBeLessThan(5_000);
    expect(kept).toMatchObject({
      actor: 'operator',
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
    const [latest] = await service.records.auditLog.list({}, { after: null, limit: 1 });
    expect(latest!.target).toBe(`/admin/v1/partners/${partner.partnerId}/api-keys/[redacted]`);
    expect(latest!.requestId).not.toContain(apiKey);
  }
});

test('an unauthenticated call is not recorded', async () => {
  const { apiKey } = await service.partner();
  const headers = { 'x-request-id': 'intruder' };
  await service.call('GET', '/admin/v1/status', { headers });
  await service.call('GET', '/admin/v1/status', { headers, token: apiKey });
  const calls = await service.records.auditLog.list({}, { after: null, limit: 1_000 });
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
    const [latest] = await service.records.auditLog.list({}, { after: null, limit: 1 });
    expect(latest).toMatchObject({ requestId: 'gone', status: null });
  });
  socket.destroy();
  expect(await recordOf(service, 'gone')).toMatchObject({ status: 499 });
});

test('the audit lists at most 1000 calls, newest first, including the call that reads it', async () => {
  await sql`
    insert into audit_entry (request_id, action, target, remote_address, status)
    select 'old-' || number, 'GET /x', '/x', '::1', 200 from generate_series(1, 1005) as number
  `.execute(service.database.db);
  const { body } = await service.call('GET', '/admin/v1/audit', {
    token: service.adminToken,
    headers: { 'x-request-id': 'reading' },
  });
  expect(body).toHaveLength(1_000);
  expect(body[0]).toEqual({
    audit_entry_id: expect.any(Number),
    called_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
    actor: 'operator',
    partner_id: null,
    partner_name: null,
    api_key_id: null,
    api_key_label: null,
    access_key_id: null,
    customer_id: null,
    user_id: null,
    email: null,
    client_id: null,
    app_name: null,
    action: 'GET /admin/v1/audit',
    target: '/admin/v1/audit',
    before: null,
    after: null,
    remote_address: '127.0.0.1',
    request_id: 'reading',
    status: null,
  });
  expect(body.slice(1, 4).map((call: { request_id: string }) => call.request_id)).toEqual([
    'old-1005',
    'old-1004',
    'old-1003',
  ]);
});

describe('an entry', () => {
  /** The latest entry of an action that has ended. */
  function entryOf(action: string) {
    return eventually(async () => {
      const [entry] = await service.records.auditLog.list({ action }, { after: null, limit: 1 });
      expect(entry?.status).toEqual(expect.any(Number));
      return entry!;
    });
  }

  function operator(method: string, path: string, json?: unknown) {
    return service.call(method, `/admin/v1${path}`, { token: service.adminToken, json });
  }

  test('of the operator says what was before and after', async () => {
    const { body } = await operator('POST', '/partners', { name: 'Before & After' });
    const path = `/partners/${body.partner_id}`;
    expect(await entryOf('POST /admin/v1/partners')).toMatchObject({
      before: null,
      after: { partner_id: body.partner_id, name: 'Before & After', storage_quota: null },
    });
    await operator('PATCH', `${path}/storage`, { quota: 5 });
    expect(await entryOf('PATCH /admin/v1/partners/:partner_id/storage')).toMatchObject({
      before: { storage_quota: null },
      after: { storage_quota: 5 },
    });
    await operator('PATCH', path, { disabled: true });
    expect(await entryOf('PATCH /admin/v1/partners/:partner_id')).toMatchObject({
      before: { disabled: false },
      after: { disabled: true },
    });
    await operator('DELETE', path);
    expect(await entryOf('DELETE /admin/v1/partners/:partner_id')).toMatchObject({
      before: { name: 'Before & After' },
      after: null,
    });
    // A refused call changes nothing.
    await operator('PATCH', path, { disabled: false });
    const refused = await entryOf('PATCH /admin/v1/partners/:partner_id');
    expect(refused).toMatchObject({ status: 404, before: null, after: null });
  });

  test('of a partner names its key, and is committed with the change', async () => {
    const { partner, apiKey: token } = await service.partner('Writer');
    const attribute = '/v1/marketplace/attribute';
    const created = await service.call('POST', attribute, { token, json: { name: 'Tea' } });
    const { attribute_id } = created.body;
    await service.call('PATCH', `${attribute}/${attribute_id}`, { token, json: { name: 'Chai' } });
    await service.call('PATCH', `${attribute}/999999`, { token, json: { name: 'No' } });
    const entries = await operator('GET', `/audit?partner_id=${partner.partnerId}`);
    expect(entries.body).toMatchObject([
      {
        actor: 'partner',
        partner_name: 'Writer',
        api_key_id: expect.any(Number),
        action: 'PATCH /v1/marketplace/attribute/:attribute_id',
        target: `${attribute}/${attribute_id}`,
        before: { name: 'Tea' },
        after: { name: 'Chai' },
        remote_address: '127.0.0.1',
        status: 200,
      },
      { action: 'POST /v1/marketplace/attribute', after: { name: 'Tea' }, status: 201 },
    ]);
  });

  test('of a repeated request is written once', async () => {
    const { partner, apiKey: token } = await service.partner();
    const options = { token, json: { name: 'Tea' }, headers: { 'idempotency-key': 'once' } };
    for (let i = 0; i < 2; i++) await service.call('POST', '/v1/marketplace/attribute', options);
    const { body } = await operator('GET', `/audit?partner_id=${partner.partnerId}`);
    expect(body).toHaveLength(1);
  });

  test('of a user names the user', async () => {
    const { customerId, email } = await someUser(service);
    const session = await signIn(service, { email, password });
    const next = 'another long sentence';
    const body = { current_password: password, new_password: next };
    const changed = await session.call('PUT', '/v1/console/password', { json: body });
    expect(changed.status).toBe(204);
    await entryOf('PUT /v1/console/password');
    const { body: entries, text } = await operator('GET', `/audit?customer_id=${customerId}`);
    expect(entries).toMatchObject([
      { actor: 'user', email, action: 'PUT /v1/console/password' },
      { actor: 'user', email, action: 'POST /v1/console/session', status: 201 },
    ]);
    expect(text).not.toContain(next);
    expect(text).not.toContain(password);
  });

  test('has no secret that the service issues or receives', async () => {
    const { partner, apiKey: token } = await service.partner();
    const { customerId } = await service.records.customers.create('Harbor Coffee');
    const path = `/partners/${partner.partnerId}`;
    const redirect_uris = ['https://app.example/callback'];
    const app = { name: 'Loader', kind: 'confidential', redirect_uris };
    const secrets = [
      (await operator('POST', `${path}/api-keys`, { label: 'x' })).body.api_key,
      (await operator('POST', `${path}/storage-credentials`)).body.secretAccessKey,
      (await operator('POST', `${path}/user-tokens`, { customer_id: customerId })).body.user_token,
      (await operator('POST', `${path}/oauth-apps`, app)).body.client_secret,
    ];
    const bucket = { accessKeyId: 'AKIA', secretAccessKey: 'not/for/audit', region: 'us-east-1' };
    const queued = await service.call('POST', '/v1/marketplace/import', {
      token,
      json: { file_path: 's3://bucket/x', path_type: 1, key_type: 1, credentials: bucket },
    });
    expect(queued.status).toBe(202);
    const link = await service.call('POST', '/v1/console/uploads', { token, json: { path: 'x' } });
    secrets.push('not/for/audit', new URL(link.body.url).searchParams.get('X-Amz-Signature'));
    await entryOf('POST /admin/v1/partners/:partner_id/oauth-apps');
    const { text } = await operator('GET', '/audit');
    expect(text).toContain('/v1/console/uploads');
    for (const secret of secrets) {
      expect(secret).toMatch(/.{10}/);
      expect(text).not.toContain(secret);
    }
  });

  test('is found by actor, action, time and whether it changed something', async () => {
    const { partner, apiKey: token } = await service.partner();
    await service.call('POST', '/v1/marketplace/attribute', { token, json: { name: 'Tea' } });
    const ofPartner = `partner_id=${partner.partnerId}`;
    for (const [filter, entries] of [
      [`${ofPartner}&actor=partner`, 1],
      [`${ofPartner}&actor=operator`, 0],
      [`${ofPartner}&action=${encodeURIComponent('POST /v1/marketplace/attribute')}`, 1],
      [`${ofPartner}&action=${encodeURIComponent('GET /v1/marketplace/attribute')}`, 0],
      [`${ofPartner}&since=2020-01-01&changes=true`, 1],
      [`${ofPartner}&until=2020-01-01T00:00Z`, 0],
    ] as const) {
      expect((await operator('GET', `/audit?${filter}`)).body).toHaveLength(entries);
    }
    const changes = await operator('GET', '/audit?changes=true');
    for (const { action } of changes.body) expect(action).not.toMatch(/^(GET|HEAD)/);
    for (const wrong of ['actor=x', 'since=yesterday', 'color=red']) {
      expect((await operator('GET', `/audit?${wrong}`)).status).toBe(400);
    }
  });

  test('is exported as a line of JSON, however many there are', async () => {
    const answer = await operator('GET', '/audit/export');
    expect(answer.headers.get('content-type')).toContain('application/x-ndjson');
    const lines = answer.text.trimEnd().split('\n');
    // More than a page of the list.
    expect(lines.length).toBeGreaterThan(1_005);
    const [first] = lines.map((line) => JSON.parse(line));
    expect(first).toMatchObject({ action: 'GET /admin/v1/audit/export', actor: 'operator' });
    expect((await operator('GET', '/audit/export?actor=app')).text).toBe('');
  });
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
