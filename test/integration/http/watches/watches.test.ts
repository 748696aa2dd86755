import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../support/app.ts';
import { pointersOf } from '../../../support/http.ts';

const path = '/v1/marketplace/watch';
const secret = 'a-secret-that-is-nowhere-to-be-seen';
const own = {
  file_path: 's3://their-bucket/day/',
  key_type: 1,
  path_type: 1,
  credentials: { accessKeyId: 'AKIA', secretAccessKey: secret, region: 'us-east-1' },
};

let service: TestApp;
let apiKey: string;
beforeAll(async () => {
  service = await startTestApp();
  ({ apiKey } = await service.partner());
});
afterAll(() => service[Symbol.asyncDispose]());

function call(method: string, where: string, json?: unknown, token = apiKey) {
  return service.call(method, where, { token, ...(json === undefined ? {} : { json }) });
}

async function created(json: object = { file_path: 'daily/', key_type: 1 }): Promise<number> {
  const { body, status } = await call('POST', path, json);
  expect(status).toBe(201);
  return body.watch_id;
}

test('a watch is created with defaults, and read back', async () => {
  const answer = await call('POST', path, { file_path: '/daily/', key_type: 1 });
  expect(answer.status).toBe(201);
  const timestamp = expect.stringMatching(/^\d{4}-.*Z$/);
  expect(answer.body).toEqual({
    watch_id: expect.any(Number),
    audience_id: null,
    file_path: 'daily/',
    path_type: 0,
    key_type: 1,
    mode: 'merge',
    compressed: null,
    settle_seconds: 0,
    marker: null,
    poll_seconds: 300,
    existing_files: 'load',
    state: 'active',
    paused_reason: null,
    files_waiting: 0,
    files_queued: 0,
    files_loaded: 0,
    files_failed: 0,
    poll_error: null,
    listed_at: null,
    created_at: timestamp,
    updated_at: timestamp,
  });
  const one = `${path}/${answer.body.watch_id}`;
  expect(answer.headers.get('location')).toBe(one);
  expect((await call('GET', one)).body).toEqual(answer.body);
  expect((await call('GET', path)).body).toContainEqual(answer.body);
});

test('a watch of an own bucket keeps its credentials encrypted, and never shows them', async () => {
  const id = await created(own);
  const { text, body } = await call('GET', `${path}/${id}`);
  expect(body).toMatchObject({ file_path: own.file_path, path_type: 1 });
  expect(text).not.toContain(secret);
  expect(await service.records.watches.credentials(id)).toEqual(own.credentials);
  const renewed = { ...own.credentials, secretAccessKey: 'another' };
  expect((await call('PATCH', `${path}/${id}`, { credentials: renewed })).status).toBe(200);
  expect(await service.records.watches.credentials(id)).toEqual(renewed);
  const { entries } = await auditOf(id);
  expect(JSON.stringify(entries)).not.toContain(secret);
  expect(service.logged.join()).not.toContain(secret);
});

async function auditOf(watchId: number) {
  const entries = await service.call('GET', '/admin/v1/audit', { token: service.adminToken });
  return {
    entries: entries.body.filter((entry: { target: string }) =>
      entry.target.endsWith(`/watch/${watchId}`),
    ),
  };
}

test('a change keeps what it leaves out, and is audited', async () => {
  const id = await created();
  const settings = { settle_seconds: 60, marker: '_SUCCESS', poll_seconds: 30, mode: 'replace' };
  expect((await call('PATCH', `${path}/${id}`, settings)).body).toMatchObject(settings);
  const paused = await call('PATCH', `${path}/${id}`, { state: 'paused', marker: null });
  expect(paused.body).toMatchObject({ ...settings, marker: null, state: 'paused', key_type: 1 });
  const resumed = await call('PATCH', `${path}/${id}`, { state: 'active', retry_failed: true });
  expect(resumed.body).toMatchObject({ state: 'active', poll_seconds: 30 });
  const { entries } = await auditOf(id);
  expect(entries[0]).toMatchObject({
    action: `PATCH ${path}/:watch_id`,
    before: { state: 'paused' },
    after: { state: 'active' },
  });
});

test('files are listed with their states, the latest first, in pages', async () => {
  const { partner, apiKey: token } = await service.partner();
  const { body } = await call('POST', path, { file_path: 'day/', key_type: 1 }, token);
  for (const name of ['1.csv', '2.csv', '_SUCCESS']) {
    await service.objects.put(
      `${partner.prefix}day/${name}`,
      (async function* () {
        yield Buffer.from(name);
      })(),
    );
  }
  const files = `${path}/${body.watch_id}/files`;
  const all = await call('GET', files, undefined, token);
  expect(all.body).toMatchObject([
    { key: `${partner.prefix}day/2.csv`, size: 5, state: 'waiting', job_id: null },
    { key: `${partner.prefix}day/1.csv`, size: 5, state: 'waiting', job_id: null },
  ]);
  const first = await call('GET', `${files}?limit=1`, undefined, token);
  expect(first.body).toEqual([all.body[0]]);
  const next = /<([^>]+)>/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
  expect((await call('GET', next, undefined, token)).body).toEqual([all.body[1]]);
  const hidden = await call('GET', `${files}?state=hidden`, undefined, token);
  expect(hidden.body).toMatchObject([{ key: `${partner.prefix}day/_SUCCESS` }]);
});

test('a notification hurries the next listing', async () => {
  const id = await created();
  while (await service.records.watches.claimPoll(0)) {
    // Until no watch is due.
  }
  expect((await call('POST', `${path}/${id}/poll`)).status).toBe(204);
  expect(await service.records.watches.claimPoll(60)).toMatchObject({ watchId: id });
});

test('a removed watch is gone, with its credentials', async () => {
  const id = await created(own);
  expect((await call('DELETE', `${path}/${id}`)).status).toBe(204);
  for (const [method, where] of [
    ['GET', `${path}/${id}`],
    ['PATCH', `${path}/${id}`],
    ['DELETE', `${path}/${id}`],
    ['POST', `${path}/${id}/poll`],
    ['GET', `${path}/${id}/files`],
  ] as const) {
    const json = method === 'PATCH' ? { state: 'paused' } : undefined;
    expect((await call(method, where, json)).status).toBe(404);
  }
  await expect(service.records.watches.credentials(id)).rejects.toThrow();
});

test("another partner's watch does not exist", async () => {
  const id = await created();
  const { apiKey: other } = await service.partner();
  expect((await call('GET', `${path}/${id}`, undefined, other)).status).toBe(404);
  expect((await call('DELETE', `${path}/${id}`, undefined, other)).status).toBe(404);
  expect((await call('GET', path, undefined, other)).body).toEqual([]);
});

test('a request with the same Idempotency-Key creates one watch', async () => {
  const headers = { 'idempotency-key': 'once' };
  const json = { file_path: 'once/', key_type: 0 };
  const send = () => service.call('POST', path, { token: apiKey, json, headers });
  expect((await send()).body.watch_id).toBe((await send()).body.watch_id);
});

test.each<[string, object, string]>([
  ['credentials for the shared bucket', { ...own, path_type: 0, file_path: 'x/' }, '/credentials'],
  ['no credentials for an own bucket', { ...own, credentials: undefined }, '/credentials'],
  ['an address in the shared bucket', { file_path: 's3://x/y', key_type: 1 }, '/file_path'],
  ['a marker that would be loaded', { file_path: 'x/', key_type: 1, marker: 'done' }, '/marker'],
  ['a marker in a folder', { file_path: 'x/', key_type: 1, marker: '_a/b' }, '/marker'],
  ['too many listings', { file_path: 'x/', key_type: 1, poll_seconds: 1 }, '/poll_seconds'],
  ['no key type', { file_path: 'x/' }, '/key_type'],
])('a watch with %s is refused', async (_, json, pointer) => {
  const answer = await call('POST', path, json);
  expect(answer.status).toBe(400);
  expect(pointersOf(answer.body)).toEqual([pointer]);
});

describe('a watch of an audience', () => {
  test('belongs to the audience, at both addresses', async () => {
    const audience = { name: 'Visitors', file_path: 'first.csv' };
    const { body } = await call('POST', '/v2/firstparty/audience', audience);
    const list = `/v2/firstparty/audience/${body.audience_id}/watch`;
    const answer = await call('POST', list, { file_path: 'visitors/', existing_files: 'skip' });
    expect(answer.body).toMatchObject({
      audience_id: body.audience_id,
      file_path: 'visitors/',
      path_type: 0,
      key_type: null,
      mode: null,
      existing_files: 'skip',
    });
    const one = `/${answer.body.watch_id}`;
    expect((await call('GET', list.replace('v2', 'v1') + one)).body).toEqual(answer.body);
    expect((await call('PATCH', list + one, { state: 'paused' })).body.state).toBe('paused');
    expect((await call('GET', path + one)).status).toBe(404);
    expect((await call('PATCH', list + one, { key_type: 1 })).status).toBe(400);
    const other = (await call('POST', '/v2/firstparty/audience', audience)).body.audience_id;
    expect((await call('GET', `/v2/firstparty/audience/${other}/watch${one}`)).status).toBe(404);
    expect((await call('DELETE', list + one)).status).toBe(204);
    expect((await call('GET', list)).body).toEqual([]);
  });

  test('needs an audience of the partner', async () => {
    const json = { file_path: 'visitors/' };
    expect((await call('POST', '/v2/firstparty/audience/999999/watch', json)).status).toBe(404);
  });
});
