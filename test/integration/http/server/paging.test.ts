import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAudience } from '../../../../src/actions/create-audience.ts';
import { queueImport } from '../../../../src/actions/queue-import.ts';
import { startTestApp, type TestApp } from '../../../support/app.ts';
import { expectProblem } from '../../../support/http.ts';

let service: TestApp;
/** The lists, each with five records or more, and who may read it. */
let lists: Record<string, { readonly path: string; readonly token: string }>;

beforeAll(async () => {
  service = await startTestApp();
  const { records, adminToken } = service;
  const { partner, apiKey } = await service.partner();
  const { partnerId } = partner;
  const { customerId } = await records.customers.create('Harbor Coffee');
  const scope = { partnerId, customerId: null };
  const browser = { remoteAddress: '127.0.0.1', userAgent: '' };
  const place = { filePath: 'a', pathType: 0, keyType: 0 } as const;
  let importLogId = 0;
  for (let number = 0; number < 5; number++) {
    await service.partner();
    await records.customers.create(`customer ${number}`);
    await records.users.create(customerId, `${number}@harbor.example`, 'a long password');
    const { apiKeyId } = await records.apiKeys.create(partnerId, '');
    await records.consoleSessions.create({ kind: 'partner', apiKeyId }, browser);
    await records.userTokens.create(partnerId, customerId, null);
    await records.storageCredentials.create(partnerId);
    await records.attributes.create(partnerId, {
      name: 'Tea',
      description: '',
      partnerForeignKey: null,
    });
    const request = { ...place, compressed: null, mode: 'merge', dryRun: false } as const;
    importLogId ||= await queueImport(records, partnerId, request, null);
    await createAudience(records, scope, 'Tea', 'partner-1/tea');
    await queueImport(records, partnerId, request, null);
    await service.call('GET', '/admin/v1/status', { token: adminToken });
  }
  const claim = (await records.jobs.claim(60))!;
  expect(claim.jobId).toBe(importLogId);
  await records.importFiles.begin(claim, ['p/1', 'p/2', 'p/3', 'p/4', 'p/5']);
  const admin = (path: string) => ({ path: `/admin/v1/${path}`, token: adminToken });
  const own = (path: string) => ({ path, token: apiKey });
  lists = {
    partners: admin('partners'),
    customers: admin('customers'),
    users: admin(`customers/${customerId}/users`),
    'API keys': admin(`partners/${partnerId}/api-keys`),
    'user tokens': admin(`partners/${partnerId}/user-tokens`),
    sessions: admin('sessions'),
    'storage credentials': admin(`partners/${partnerId}/storage-credentials`),
    attributes: own('/v1/marketplace/attribute'),
    'import logs': own('/v1/marketplace/import'),
    'import files': own(`/v1/marketplace/import/${importLogId}/files`),
    audiences: own('/v2/firstparty/audience'),
  };
});
afterAll(() => service[Symbol.asyncDispose]());

test.each([
  'partners',
  'customers',
  'users',
  'API keys',
  'user tokens',
  'sessions',
  'storage credentials',
  'attributes',
  'import logs',
  'import files',
  'audiences',
])('%s are read page by page, in the order of the whole list', async (name) => {
  const { path, token } = lists[name]!;
  const { body: whole } = await service.call('GET', path, { token });
  expect(whole.length).toBeGreaterThanOrEqual(5);
  const seen: unknown[] = [];
  const sizes: number[] = [];
  let next: string | undefined = `${path}?limit=2`;
  while (next !== undefined) {
    const page = await service.call('GET', next, { token });
    expect(page.status).toBe(200);
    seen.push(...page.body);
    sizes.push(page.body.length);
    next = /^<(.+)>; rel="next"$/.exec(page.headers.get('link') ?? '')?.[1];
  }
  const withoutTimes = (records: unknown) => JSON.parse(JSON.stringify(records, dropLastUse));
  expect(withoutTimes(seen)).toEqual(withoutTimes(whole));
  expect(sizes.slice(0, -1).every((size) => size === 2)).toBe(true);
  for (const query of ['limit=0', 'limit=1001', 'offset=1']) {
    expectProblem(await service.call('GET', `${path}?${query}`, { token }), 400, 'invalid_input');
  }
});

const dropLastUse = (name: string, value: unknown) => (name === 'last_used_at' ? null : value);

test('the audit is read page by page, newest first', async () => {
  const { adminToken: token } = service;
  const first = await service.call('GET', '/admin/v1/audit?limit=2', { token });
  const ids = (rows: { audit_entry_id: number }[]) => rows.map((row) => row.audit_entry_id);
  const [one, other] = ids(first.body);
  expect(one).toBeGreaterThan(other!);
  const link = `</admin/v1/audit?limit=2&after=${other}>; rel="next"`;
  expect(first.headers.get('link')).toBe(link);
  const next = await service.call('GET', `/admin/v1/audit?limit=2&after=${other}`, { token });
  expect(ids(next.body)).toEqual([other! - 1, other! - 2]);
});
