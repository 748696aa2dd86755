import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../support/app.ts';
import { type FreshRecords, freshRecords } from '../../../support/database.ts';
import { eventually, expectProblem } from '../../../support/http.ts';
import { type Relay, startRelay } from '../../../support/relay.ts';

let database: FreshRecords;
let relay: Relay;
let service: TestApp;
let apiKey: string;
beforeAll(async () => {
  database = await freshRecords();
  relay = await startRelay(database.url);
  service = await startTestApp({ database, databaseUrl: relay.url });
  ({ apiKey } = await service.partner());
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await relay[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

const partnerCalls = [
  ['GET', '/v1/marketplace/import', undefined],
  ['GET', '/v1/marketplace/import/1', undefined],
  ['GET', '/v1/marketplace/import/1/files', undefined],
  ['GET', '/v1/marketplace/import/1/rejects', undefined],
  ['GET', '/v1/marketplace/import/1/progress', undefined],
  ['POST', '/v1/marketplace/import', { file_path: 'x.csv', key_type: 1 }],
  ['POST', '/v1/marketplace/attribute', { name: 'a', description: '' }],
  ['GET', '/v2/firstparty/audience', undefined],
  ['GET', '/v2/firstparty/audience/1', undefined],
  ['PUT', '/v2/firstparty/audience/1', undefined],
  ['GET', '/v2/firstparty/audience/1/composition', undefined],
  ['POST', '/v2/firstparty/audience', { name: 'a', file_path: 'x.csv' }],
  ['GET', '/v1/console/audiences', undefined],
  ['GET', '/v1/console/segments/1', undefined],
  ['GET', '/v1/console/jobs', undefined],
] as const;

describe('while the database is unavailable', () => {
  beforeEach(async () => {
    await relay.cut();
    return () => relay.mend();
  });

  test.each(partnerCalls)('%s %s responds with 503 and Retry-After', async (method, path, json) => {
    const answer = await service.call(method, path, { token: apiKey, json });
    const { detail } = expectProblem(answer, 503, 'unavailable');
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(detail).not.toMatch(/PGSQL|socket|ENOENT|ECONN|\//);
  });

  test('operator calls and uploads respond with 503', async () => {
    const token = service.adminToken;
    const status = await service.call('GET', '/admin/v1/status', { token });
    expectProblem(status, 503, 'unavailable');
    const put = await service.call('PUT', '/admin/v1/partners/1/objects/x', { token, body: 'x' });
    expectProblem(put, 503, 'unavailable');
  });

  test('the process is alive but not ready, and names the database', async () => {
    expect((await service.call('GET', '/healthz')).status).toBe(200);
    const ready = await service.call('GET', '/readyz');
    expect(ready.status).toBe(503);
    expect(ready.body).toEqual({
      status: 'not_ready',
      checks: { database: 'does not answer', storage: 'ok', warehouse: 'ok', disk: 'ok' },
    });
  });

  test('requests that fail without the database fail as usual', async () => {
    const missing = await service.call('GET', '/v1/marketplace/import');
    expectProblem(missing, 401, 'unauthenticated');
    expectProblem(await service.call('GET', '/nothing'), 404, 'not_found');
  });

  test('the log states the reason', async () => {
    service.logged.length = 0;
    await service.call('GET', '/v1/marketplace/import', { token: apiKey });
    expect(service.logged.join('')).toMatch(/"level":"warn".*The database is unavailable/);
  });
});

test('everything works again when the database is back, without a restart', async () => {
  await relay.cut();
  await service.call('GET', '/v1/marketplace/import', { token: apiKey });
  await relay.mend();
  for (const [method, path, json] of partnerCalls.filter(([, path]) => !path.includes('/1'))) {
    const answer = await service.call(method, path, { token: apiKey, json });
    expect(answer.status).toBeLessThan(300);
  }
  expect((await service.call('GET', '/readyz')).status).toBe(200);
});

test('a lost connection fails only the requests that use it', async () => {
  const calls = Array.from({ length: 30 }, () =>
    service.call('POST', '/v1/marketplace/import', {
      token: apiKey,
      json: { file_path: 'x.csv', key_type: 1 },
    }),
  );
  await relay.cut();
  await relay.mend();
  for (const answer of await Promise.all(calls)) {
    if (answer.status !== 202) expectProblem(answer, 503, 'unavailable');
  }
  await eventually(async () => {
    expect((await service.call('GET', '/readyz')).status).toBe(200);
  });
});

test('an audit status that cannot be saved is logged', async () => {
  service.logged.length = 0;
  // The upload stays open until the database is gone, so the status of the call cannot be saved.
  const upload = new TransformStream<Uint8Array, Uint8Array>();
  const answer = fetch(`${service.url}/admin/v1/partners/1/objects/slow.csv`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${service.adminToken}` },
    body: upload.readable,
    duplex: 'half',
  });
  const writer = upload.writable.getWriter();
  await writer.write(new TextEncoder().encode('begun'));
  await eventually(async () => {
    const [latest] = await service.database.records.auditLog.list({}, { after: null, limit: 1 });
    expect(latest).toMatchObject({ target: '/admin/v1/partners/1/objects/slow.csv', status: null });
  });
  // After this later query, the service knows the id of the audit record.
  expect((await service.call('GET', '/readyz')).status).toBe(200);
  await relay.cut();
  await writer.close();
  expect((await answer).status).toBe(503);
  await eventually(() => expect(service.logged.join('')).toContain('audit status not saved'));
  await relay.mend();
});

test('while the database is frozen, reads, writes and uploads respond with 503 in time', async () => {
  await using frozen = await startRelay(database.url);
  await using app = await startTestApp({
    database,
    databaseUrl: frozen.url,
    statementTimeoutMs: 1_000,
  });
  const { apiKey: token } = await app.partner();
  const json = { file_path: 'x.csv', key_type: 1 };
  // The upload has begun, so the freeze meets the commit of its object.
  const upload = new TransformStream<Uint8Array, Uint8Array>();
  const uploaded = fetch(`${app.url}/admin/v1/partners/1/objects/frozen.csv`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${app.adminToken}` },
    body: upload.readable,
    duplex: 'half',
  });
  const writer = upload.writable.getWriter();
  await writer.write(Buffer.from('begun'));
  await eventually(async () => {
    const [latest] = await database.records.auditLog.list({}, { after: null, limit: 1 });
    expect(latest?.target).toBe('/admin/v1/partners/1/objects/frozen.csv');
  });
  // Each call below gets one of these connections.
  await Promise.all(Array.from({ length: 8 }, () => app.call('GET', '/readyz')));
  frozen.hold();
  const begun = performance.now();
  await writer.close();
  const answers = await Promise.all([
    uploaded,
    app.call('GET', '/v1/marketplace/import', { token }),
    app.call('POST', '/v1/marketplace/import', { token, json }),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([503, 503, 503]);
  expect(performance.now() - begun).toBeLessThan(10_000);
  await frozen.cut();
});
