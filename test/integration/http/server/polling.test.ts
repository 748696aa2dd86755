import { afterAll, beforeAll, expect, test } from 'vitest';
import { queueImport } from '../../../../src/actions/queue-import.ts';
import { limits } from '../../../../src/domain/limits.ts';
import { startTestApp, type TestApp } from '../../../support/app.ts';
import { eventually, expectProblem } from '../../../support/http.ts';
import { audiencePartner, audiencesPath } from '../../../support/http-audiences.ts';

let service: TestApp;
beforeAll(async () => {
  service = await startTestApp();
});
afterAll(() => service[Symbol.asyncDispose]());

async function partnerWithImport() {
  const { partner, apiKey: token } = await service.partner();
  const request = { filePath: 'x', keyType: 1, pathType: 0 } as const;
  const id = await queueImport(service.records, partner.partnerId, request);
  return { token, id, path: `/v1/marketplace/import/${id}`, partnerId: partner.partnerId };
}

async function claimOf(partnerId: number) {
  for (;;) {
    const claim = (await service.records.jobs.claim(60))!;
    if (claim.partnerId === partnerId) return claim;
  }
}

const waiting = { headers: { prefer: 'wait=30' } };

test('reads that are polled answer 304 until something changes', async () => {
  const { token, path, partnerId } = await partnerWithImport();
  const polled = [path, '/v1/marketplace/import', '/v1/console/jobs'];
  const tags = new Map<string, string>();
  for (const each of polled) {
    const { headers } = await service.call('GET', each, { token });
    const tag = headers.get('etag') ?? '';
    expect(tag).toMatch(/^W\/"/);
    tags.set(each, tag);
    const again = await service.call('GET', each, { token, headers: { 'if-none-match': tag } });
    expect(`${each} ${again.status} ${again.text}`).toBe(`${each} 304 `);
    expect(again.headers.get('ratelimit-remaining')).not.toBe(null);
  }
  await service.records.jobs.settle(await claimOf(partnerId), 'done');
  for (const [each, tag] of tags) {
    const changed = await service.call('GET', each, { token, headers: { 'if-none-match': tag } });
    expect(`${each} ${changed.status}`).toBe(`${each} 200`);
  }
});

test('the details of an audience have an ETag, the list of audiences has none', async () => {
  const partner = await audiencePartner(service);
  const path = `${audiencesPath}/${await partner.create()}`;
  const first = await partner.call('GET', path);
  const tag = first.headers.get('etag') ?? '';
  const headers = { 'if-none-match': tag };
  expect((await partner.call('GET', path, { headers })).status).toBe(304);
  expect((await partner.call('HEAD', path, { headers })).status).toBe(304);
  const { status, headers: all } = await partner.call('GET', audiencesPath);
  expect([status, all.get('etag')]).toEqual([200, null]);
});

test('a log is returned when its import ends', async () => {
  const { token, path, partnerId } = await partnerWithImport();
  const claim = await claimOf(partnerId);
  const answer = service.call('GET', path, { token, ...waiting });
  await eventually(async () => expect(await service.connections()).toBeGreaterThan(0));
  await service.records.jobs.settle(claim, 'failed');
  const { status, headers, body } = await answer;
  expect(status).toBe(200);
  expect(headers.get('preference-applied')).toBe('wait=30');
  expect(body).toMatchObject({ status: 3 });
});

test('the details of an audience are returned when its loads end', async () => {
  const partner = await audiencePartner(service);
  const audienceId = await partner.create();
  const load = await partner.beginLoad();
  const answer = partner.call('GET', `${audiencesPath}/${audienceId}`, waiting);
  await load.settle('failed');
  expect((await answer).headers.get('preference-applied')).toBe('wait=30');
  expect((await answer).status).toBe(200);
  const progress = await partner.call('GET', `${audiencesPath}/${audienceId}/progress`);
  expect(progress.body.queue_position).toBe(null);
});

test('waiting requests hold no connection to the database, and their number is limited', async () => {
  const { token, path } = await partnerWithImport();
  const leaving = new AbortController();
  const headers = { authorization: `Bearer ${token}`, ...waiting.headers };
  const { most } = limits.openStreams;
  // Five times as many as the app has connections to the database.
  const waits = Array.from({ length: most + 1 }, () =>
    fetch(service.url + path, { headers, signal: leaving.signal }).catch(() => undefined),
  );
  const beyond = await Promise.race(waits);
  expect([beyond?.status, beyond?.headers.get('preference-applied')]).toEqual([200, null]);
  expect(await beyond?.json()).toMatchObject({ status: 0 });
  const stream = { token, headers: { accept: 'text/event-stream' } };
  const refused = await service.call('GET', `${path}/progress`, stream);
  expectProblem(refused, 429, 'rate_limited');
  expect(refused.headers.get('retry-after')).toBe('5');
  leaving.abort();
  expect(new Set(await Promise.all(waits))).toEqual(new Set([beyond, undefined]));
  await eventually(async () => {
    const answer = await service.call('GET', path, { token, headers: { prefer: 'wait=0' } });
    expect(answer.headers.get('preference-applied')).toBe('wait=0');
  });
});

test('a key that is revoked during the wait gets no answer', async () => {
  const { token, path, partnerId } = await partnerWithImport();
  const answer = service.call('GET', path, { token, headers: { prefer: 'wait=10' } });
  const { apiKeys } = service.records;
  const key = async () => (await apiKeys.list(partnerId))[0]!;
  await eventually(async () => expect((await key()).lastUsedAt).not.toBe(null));
  await apiKeys.revoke(partnerId, (await key()).apiKeyId);
  expectProblem(await answer, 401, 'unauthenticated');
});

test("another partner's records are not waited for", async () => {
  const { path } = await partnerWithImport();
  const { apiKey: token } = await service.partner('other');
  for (const each of [path, `${audiencesPath}/1`, `${audiencesPath}/999999`]) {
    expectProblem(await service.call('GET', each, { token, ...waiting }), 404, 'not_found');
  }
});

test('the API document is compressed for programs, and not for browsers with cookies', async () => {
  const encodingFor = async (headers: Record<string, string>) =>
    (await service.call('GET', '/openapi.json', { headers })).headers.get('content-encoding');
  expect(await encodingFor({ 'accept-encoding': 'br' })).toBe('br');
  expect(await encodingFor({ 'accept-encoding': 'gzip' })).toBe('gzip');
  expect(await encodingFor({ 'accept-encoding': 'br', cookie: 'tributary-session=x' })).toBe(null);
});
