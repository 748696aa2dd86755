import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Answer, startTestApp, type TestApp } from '../../../support/app.ts';
import { signIn } from '../../../support/console-session.ts';
import { expectProblem } from '../../../support/http.ts';

const perMinute = 5;
let service: TestApp;
beforeAll(async () => {
  service = await startTestApp({ wrongCredentials: perMinute, trustProxy: true });
});
afterAll(() => service[Symbol.asyncDispose]());

/** Each test is another network. */
let network = 0;
let from: { 'x-forwarded-for': string };
beforeEach(() => {
  network += 1;
  from = { 'x-forwarded-for': `203.0.113.${network}` };
});

const audiences = '/v2/firstparty/audience';
const status = '/admin/v1/status';

function get(path: string, token: string, more: Record<string, string> = {}): Promise<Answer> {
  return service.call('GET', path, { token, headers: { ...from, ...more } });
}

async function statusesOf(count: number, call: (n: number) => Promise<Answer>): Promise<number[]> {
  const statuses: number[] = [];
  for (let n = 0; n < count; n++) statuses.push((await call(n)).status);
  return statuses;
}

const refusedAfterLimit = [...Array(perMinute).fill(401), 429, 429];

describe('wrong credentials from one network are refused unchecked beyond the limit', () => {
  test('admin tokens', async () => {
    const answers = await statusesOf(perMinute + 2, (n) => get(status, `guess-${n}`));
    expect(answers).toEqual(refusedAfterLimit);
    const before = performance.now();
    const refused = await get(status, 'another');
    expectProblem(refused, 429, 'rate_limited');
    // Delayed, so that a client that repeats its request at once does not slow others down.
    expect(performance.now() - before).toBeGreaterThan(200);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60);
  });

  test('API keys, also one key again and again', async () => {
    const key = `trib_key_${'0'.repeat(16)}_${'x'.repeat(43)}`;
    expect(await statusesOf(perMinute + 2, () => get(audiences, key))).toEqual(refusedAfterLimit);
  });

  test('user tokens of a valid partner, who is still served without one', async () => {
    const { apiKey } = await service.partner();
    const guess = (n: number) => get(audiences, apiKey, { 'x-user-token': `guess-${n}` });
    expect(await statusesOf(perMinute + 2, guess)).toEqual(refusedAfterLimit);
    expect((await get(audiences, apiKey)).status).toBe(200);
  });

  test('session cookies', async () => {
    const guess = (n: number) =>
      service.call('GET', '/v1/console/jobs', {
        headers: { ...from, cookie: `tributary-session=trib_session_${n}` },
      });
    expect(await statusesOf(perMinute + 2, guess)).toEqual(refusedAfterLimit);
  });

  test('all of them together, and in parallel', async () => {
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, n) => get(n % 2 === 0 ? status : audiences, `guess-${n}`)),
    );
    expect(answers.filter((answer) => answer.status === 401)).toHaveLength(perMinute);
    expect(answers.filter((answer) => answer.status === 429)).toHaveLength(30 - perMinute);
  });

  test('client secrets and codes of apps', async () => {
    const basic = (n: number) => Buffer.from(`app_${n}:secret`).toString('base64');
    const guess = (n: number) =>
      service.call('POST', '/oauth/token', {
        body: 'grant_type=authorization_code&code=x&redirect_uri=http://localhost/',
        headers: {
          ...from,
          authorization: `Basic ${basic(n)}`,
          'content-type': 'application/x-www-form-urlencoded',
        },
      });
    expect(await statusesOf(perMinute + 2, guess)).toEqual(refusedAfterLimit);
    expect((await guess(9)).body).toMatchObject({ error: 'rate_limited' });
    expect((await get(status, 'guess')).status).toBe(429);
  });
});

describe('an honest client in the network of an attacker', () => {
  async function attack(): Promise<void> {
    await statusesOf(perMinute + 2, (n) => get(status, `guess-${n}`));
    expect((await get(status, 'guess')).status).toBe(429);
  }

  test('is served if its credentials were accepted before', async () => {
    const { apiKey } = await service.partner();
    const session = await signIn(service, { api_key: apiKey });
    expect((await get(audiences, apiKey)).status).toBe(200);
    expect((await get(status, service.adminToken)).status).toBe(200);
    await attack();
    expect(await statusesOf(20, () => get(audiences, apiKey))).toEqual(Array(20).fill(200));
    expect((await get(status, service.adminToken)).status).toBe(200);
    const { cookie } = session;
    const jobs = await service.call('GET', '/v1/console/jobs', { headers: { ...from, cookie } });
    expect(jobs.status).toBe(200);
  });

  test('is refused, but not counted, if its key is new; another network is not affected', async () => {
    const { apiKey } = await service.partner();
    await attack();
    expect((await get(audiences, apiKey)).status).toBe(429);
    from = { 'x-forwarded-for': '198.51.100.1' };
    expect((await get(audiences, apiKey)).status).toBe(200);
  });

  test('with many valid keys at once is never refused', async () => {
    const keys = await Promise.all(
      Array.from({ length: perMinute }, async () => (await service.partner()).apiKey),
    );
    const calls = keys.flatMap((key) => Array.from({ length: 6 }, () => get(audiences, key)));
    expect(new Set((await Promise.all(calls)).map((answer) => answer.status))).toEqual(
      new Set([200]),
    );
  });

  test('whose key is revoked does not block the others', async () => {
    const revoked = await service.partner();
    const other = await service.partner();
    expect((await get(audiences, revoked.apiKey)).status).toBe(200);
    const { partnerId } = revoked.partner;
    const [key] = await service.records.apiKeys.list(partnerId);
    await service.records.apiKeys.revoke(partnerId, key!.apiKeyId);
    const again = () => get(audiences, revoked.apiKey);
    expect(await statusesOf(perMinute, again)).toEqual(Array(perMinute).fill(401));
    expect((await get(audiences, other.apiKey)).status).toBe(200);
  });
});

test('requests without credentials are not counted', async () => {
  const call = () => service.call('GET', status, { headers: from });
  expect(await statusesOf(perMinute * 3, call)).toEqual(Array(perMinute * 3).fill(401));
  const { apiKey } = await service.partner();
  expect((await get(audiences, apiKey)).status).toBe(200);
});
