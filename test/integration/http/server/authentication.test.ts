import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, startTestApp, type TestApp } from '../../../support/app.ts';
import { expectProblem, sendRaw } from '../../../support/http.ts';

let service: TestApp;
beforeAll(async () => {
  service = await startTestApp();
});
afterAll(() => service[Symbol.asyncDispose]());

const audienceRoutes = ['v1', 'v2'].flatMap(
  (version) =>
    [
      ['GET', `/${version}/firstparty/audience`],
      ['POST', `/${version}/firstparty/audience`],
      ['GET', `/${version}/firstparty/audience/1`],
      ['PATCH', `/${version}/firstparty/audience/1`],
      ['PUT', `/${version}/firstparty/audience/1`],
      ['GET', `/${version}/firstparty/audience/1/composition`],
      ['GET', `/${version}/firstparty/audience/1/errors`],
      ['GET', `/${version}/firstparty/audience/1/rejects`],
      ['GET', `/${version}/firstparty/audience/1/progress`],
    ] as const,
);

const partnerRoutes = [
  ...audienceRoutes,
  ['GET', '/v1/marketplace/import'],
  ['HEAD', '/v1/marketplace/import'],
  ['POST', '/v1/marketplace/import'],
  ['DELETE', '/v1/marketplace/import'],
  ['GET', '/v1/marketplace/import/1'],
  ['GET', '/v1/marketplace/import/1/files'],
  ['GET', '/v1/marketplace/import/1/rejects'],
  ['GET', '/v1/marketplace/import/1/progress'],
  ['GET', '/v1/marketplace/attribute'],
  ['POST', '/v1/marketplace/attribute'],
  ['GET', '/v1/marketplace/attribute/1'],
  ['PATCH', '/v1/marketplace/attribute/1'],
  ['DELETE', '/v1/marketplace/attribute/1'],
  ['GET', '/v1/console/audiences'],
  ['GET', '/v1/console/segments/1'],
  ['GET', '/v1/console/jobs'],
] as const;

const operatorRoutes = [
  ['POST', '/admin/v1/partners'],
  ['GET', '/admin/v1/partners'],
  ['POST', '/admin/v1/partners/1/api-keys'],
  ['GET', '/admin/v1/partners/1/api-keys'],
  ['DELETE', '/admin/v1/partners/1/api-keys/1'],
  ['POST', '/admin/v1/partners/1/user-tokens'],
  ['GET', '/admin/v1/partners/1/user-tokens'],
  ['DELETE', '/admin/v1/partners/1/user-tokens/1'],
  ['POST', '/admin/v1/customers'],
  ['GET', '/admin/v1/customers'],
  ['PUT', '/admin/v1/partners/1/objects/devices.csv'],
  ['GET', '/admin/v1/status'],
  ['GET', '/admin/v1/audit'],
] as const;

function expectUnauthenticated(answer: Answer, method = 'GET'): void {
  expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  if (method === 'HEAD') expect(answer.status).toBe(401);
  else expectProblem(answer, 401, 'unauthenticated');
}

describe('a request is unauthenticated', () => {
  test.each([...partnerRoutes, ...operatorRoutes])(
    'without credentials: %s %s',
    async (method, path) => {
      expectUnauthenticated(await service.call(method, path), method);
    },
  );

  test.each([
    ['no credentials', 'Bearer'],
    ['spaces as credentials', 'Bearer    '],
    ['another scheme', 'Basic dXNlcjpwYXNz'],
    ['the key without its scheme', 'KEY'],
    ['two keys', 'Bearer KEY KEY'],
    ['the key and more text', 'Bearer KEY,x'],
    ['a truncated key', 'Bearer trib_key_0123456789abcdef'],
    ['an unknown key', `Bearer trib_key_0123456789abcdef_${'A'.repeat(43)}`],
    ['a very long key', `Bearer ${'k'.repeat(12_000)}`],
    ['invalid UTF-8', 'Bearer \xff\xfe\x80'],
  ])('with %s', async (_, header) => {
    const { apiKey } = await service.partner();
    const sent = header.replaceAll('KEY', apiKey);
    const answer = await sendRaw(
      service.url,
      Buffer.from(
        `GET /v1/marketplace/import HTTP/1.1\r\nhost: x\r\nauthorization: ${sent}\r\n\r\n`,
        'latin1',
      ),
    );
    expectUnauthenticated(answer);
    expect(answer.text).not.toContain(apiKey);
  });

  test('with the right lookup part and the secret of another key', async () => {
    const [one, other] = [await service.partner(), await service.partner()];
    const forged = one.apiKey.slice(0, 26) + other.apiKey.slice(26);
    expectUnauthenticated(await service.call('GET', '/v1/marketplace/import', { token: forged }));
  });
});

test('the authentication scheme is case-insensitive', async () => {
  const { apiKey } = await service.partner();
  for (const scheme of ['bearer', 'BEARER', 'Bearer ']) {
    const headers = { authorization: `${scheme} ${apiKey}` };
    const answer = await service.call('GET', '/v1/marketplace/import', { headers });
    expect(answer.status).toBe(200);
  }
});

test('an API key cannot call operator routes, and the admin token cannot call partner routes', async () => {
  const { apiKey } = await service.partner();
  for (const [method, path] of operatorRoutes) {
    expectUnauthenticated(await service.call(method, path, { token: apiKey }));
  }
  for (const [method, path] of partnerRoutes) {
    expectUnauthenticated(await service.call(method, path, { token: service.adminToken }), method);
  }
});

describe('authentication is checked', () => {
  const untidy = [
    { body: '{"broken', headers: { 'content-type': 'application/json' } },
    { body: 'a,b', headers: { 'content-type': 'text/csv' } },
    { json: { unknown_field: 1 } },
    { body: 'x'.repeat(2 * 1024 * 1024), headers: { 'content-type': 'application/json' } },
  ];

  test.each([
    ['POST', '/v1/marketplace/import'],
    ['POST', '/v1/marketplace/attribute'],
    ['POST', '/admin/v1/partners'],
  ])('before the body and its content type: %s %s', async (method, path) => {
    for (const options of untidy) expectUnauthenticated(await service.call(method, path, options));
  });

  test('before an id is parsed', async () => {
    expectUnauthenticated(await service.call('GET', '/v1/marketplace/import/abc'));
    expectUnauthenticated(await service.call('PUT', '/admin/v1/partners/abc/objects/x'));
  });

  test('after the route is found', async () => {
    expectProblem(await service.call('GET', '/v1/marketplace/nothing'), 404, 'not_found');
    const wrongMethod = await service.call('PATCH', '/v1/marketplace/import');
    expectProblem(wrongMethod, 405, 'method_not_allowed');
  });
});

test('a revoked key is rejected from the next request on, and other keys still work', async () => {
  const { partner, apiKey } = await service.partner();
  const { apiKey: sibling } = await service.records.apiKeys.create(partner.partnerId, '');
  const [first] = await service.records.apiKeys.list(partner.partnerId);
  const list = (token: string) => service.call('GET', '/v1/marketplace/import', { token });
  expect((await list(apiKey)).status).toBe(200);

  const path = `/admin/v1/partners/${partner.partnerId}/api-keys/${first!.apiKeyId}`;
  expect((await service.call('DELETE', path, { token: service.adminToken })).status).toBe(204);
  expectUnauthenticated(await list(apiKey));
  expect((await list(sibling)).status).toBe(200);
});

test('the last use of a key is saved even if the request fails', async () => {
  const { partner, apiKey } = await service.partner();
  const lastUsed = async () =>
    (await service.records.apiKeys.list(partner.partnerId))[0]!.lastUsedAt;
  expect(await lastUsed()).toBeNull();
  await service.call('GET', '/v1/marketplace/import/404', { token: apiKey });
  expect(Date.now() - (await lastUsed())!.getTime()).toBeLessThan(60_000);
});

test('the database stores only the hash of a key', async () => {
  const { apiKey } = await service.partner();
  const rows = await service.database.db.selectFrom('api_key').selectAll().execute();
  const secret = apiKey.slice('trib_key_0123456789abcdef_'.length);
  const stored = JSON.stringify(
    rows.map((row) => ({ ...row, secret_hash: row.secret_hash.toString('latin1') })),
  );
  expect(secret).toMatch(/^[\w-]{43}$/);
  expect(stored).not.toContain(secret);
  expect(rows.every((row) => row.secret_hash.length === 32)).toBe(true);
});

describe('an unknown id, a malformed id and an id of another partner give the same 404', () => {
  const malformed = [
    '0',
    '-1',
    '+1',
    '01',
    '1.0',
    '1e3',
    '0x1',
    'abc',
    '1%20',
    '%201',
    '1%00',
    '9007199254740992',
    '9223372036854775808',
    `1${'0'.repeat(30)}`,
    '9'.repeat(8_000),
    '%D9%A1',
    '%EF%BC%91',
    'null',
    '1,2',
    "1'--",
  ];

  test.each(['import', 'attribute'])('%s', async (resource) => {
    const [mine, theirs] = [await service.partner(), await service.partner()];
    const json =
      resource === 'import'
        ? { file_path: 'x.csv', key_type: 1 }
        : { name: 'Theirs', description: '' };
    const path = `/v1/marketplace/${resource}`;
    const created = await service.call('POST', path, { token: theirs.apiKey, json });
    const foreignId: number = created.body[`${resource === 'import' ? 'import_log' : resource}_id`];

    const details = new Set<string>();
    // An escaped digit is the same URL as the digit, so the result must be the same.
    const escaped = `%3${String(foreignId)[0]}${String(foreignId).slice(1)}`;
    for (const id of [foreignId, escaped, '9007199254740991', ...malformed]) {
      const answer = await service.call('GET', `${path}/${id}`, { token: mine.apiKey });
      details.add(expectProblem(answer, 404, 'not_found').detail);
    }
    expect([...details]).toEqual([
      `No such ${resource === 'import' ? 'import log' : 'attribute'}.`,
    ]);
    const own = await service.call('GET', `${path}/${escaped}`, { token: theirs.apiKey });
    expect(own.status).toBe(200);
  });

  test('partners and API keys of the operator API', async () => {
    const [one, other] = [await service.partner(), await service.partner()];
    const [key] = await service.records.apiKeys.list(other.partner.partnerId);
    const token = service.adminToken;
    for (const id of ['9007199254740991', ...malformed]) {
      const calls = await Promise.all([
        service.call('GET', `/admin/v1/partners/${id}/api-keys`, { token }),
        service.call('POST', `/admin/v1/partners/${id}/api-keys`, { token, json: {} }),
        service.call('PUT', `/admin/v1/partners/${id}/objects/x`, { token, body: 'x' }),
      ]);
      for (const answer of calls) {
        expect(expectProblem(answer, 404, 'not_found').detail).toBe('No such partner.');
      }
    }
    for (const id of [key!.apiKeyId, ...malformed]) {
      const path = `/admin/v1/partners/${one.partner.partnerId}/api-keys/${id}`;
      const answer = await service.call('DELETE', path, { token });
      expect(expectProblem(answer, 404, 'not_found').detail).toBe('No such API key.');
    }
  });
});
