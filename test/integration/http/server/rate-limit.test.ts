import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../support/app.ts';
import { expectProblem } from '../../../support/http.ts';

let service: TestApp;
beforeAll(async () => {
  service = await startTestApp({ rateLimit: 3 });
});
afterAll(() => service[Symbol.asyncDispose]());

const path = '/v1/marketplace/import';

function figures(headers: Headers) {
  return ['limit', 'remaining', 'reset'].map((name) => Number(headers.get(`ratelimit-${name}`)));
}

test('a key has a limit of requests per minute, reported in headers', async () => {
  const { partner, apiKey: token } = await service.partner();
  for (const remaining of [2, 1, 0]) {
    const { status, headers } = await service.call('GET', path, { token });
    expect(status).toBe(200);
    const [limit, left, reset] = figures(headers);
    expect([limit, left]).toEqual([3, remaining]);
    expect(reset).toBeGreaterThan(0);
    expect(reset).toBeLessThanOrEqual(60);
  }
  const refused = await service.call('GET', path, { token });
  const { detail } = expectProblem(refused, 429, 'rate_limited');
  const [limit, left, reset] = figures(refused.headers);
  expect([limit, left]).toEqual([3, 0]);
  expect(refused.headers.get('retry-after')).toBe(String(reset));
  expect(detail).toContain(`Try again in ${reset} s`);

  // Each key of a partner has its own limit.
  const { apiKey: sibling } = await service.records.apiKeys.create(partner.partnerId, '');
  expect((await service.call('GET', path, { token: sibling })).status).toBe(200);
});

test('invalid requests count, and requests beyond the limit have no effect', async () => {
  const { partner, apiKey: token } = await service.partner();
  await service.call('POST', path, { token, json: {} });
  await service.call('GET', `${path}/nonsense`, { token });
  await service.call('HEAD', path, { token });
  const json = { file_path: 'x.csv', key_type: 1 };
  expectProblem(await service.call('POST', path, { token, json }), 429, 'rate_limited');
  expect(await service.records.importLogs.latest(partner.partnerId, 10)).toEqual([]);
});

test('unauthenticated requests and the operator are not limited', async () => {
  for (let n = 0; n < 5; n++) {
    const stranger = await service.call('GET', path, { token: 'unknown' });
    expectProblem(stranger, 401, 'unauthenticated');
    expect(stranger.headers.get('ratelimit-limit')).toBeNull();
    const status = await service.call('GET', '/admin/v1/status', { token: service.adminToken });
    expect(status.status).toBe(200);
  }
});
