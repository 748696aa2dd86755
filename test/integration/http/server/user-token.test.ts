import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAudience } from '../../../../src/actions/create-audience.ts';
import { type Answer, startTestApp, type TestApp } from '../../../support/app.ts';
import { expectProblem, sendRaw } from '../../../support/http.ts';

let service: TestApp;
beforeAll(async () => {
  service = await startTestApp();
});
afterAll(() => service[Symbol.asyncDispose]());

const audiences = '/v2/firstparty/audience';

/** A partner with a user token for a customer. */
async function acting() {
  const { partner, apiKey } = await service.partner();
  const { customerId } = await service.records.customers.create('harbor');
  const { userToken } = await service.records.userTokens.create(
    partner.partnerId,
    customerId,
    null,
  );
  return { partnerId: partner.partnerId, customerId, apiKey, userToken };
}

function list(apiKey: string, userToken?: string, path = audiences): Promise<Answer> {
  const headers: Record<string, string> =
    userToken === undefined ? {} : { 'x-user-token': userToken };
  return service.call('GET', path, { token: apiKey, headers });
}

function expectRefused(answer: Answer): void {
  const { detail } = expectProblem(answer, 401, 'unauthenticated');
  expect(detail).toContain('x-user-token');
  expect(answer.headers.get('www-authenticate')).toBe('Bearer');
}

test('a request sees the audiences of its customer with a user token, and all without', async () => {
  const { partnerId, customerId, apiKey, userToken } = await acting();
  const create = (scope: number | null) =>
    createAudience(service.records, { partnerId, customerId: scope }, 'a', 'partner-1/x');
  const [theirs, own] = [await create(customerId), await create(null)];
  const ids = ({ body }: Answer) => body.map((each: { audience_id: number }) => each.audience_id);
  expect(ids(await list(apiKey, userToken))).toEqual([theirs.audienceId]);
  expect(ids(await list(apiKey))).toEqual([theirs.audienceId, own.audienceId]);
});

describe('a user token is rejected', () => {
  test('with the key of another partner', async () => {
    const [one, other] = [await acting(), await acting()];
    expectRefused(await list(one.apiKey, other.userToken));
    expect((await list(other.apiKey, other.userToken)).status).toBe(200);
  });

  test('from the next request on after it is revoked, and other tokens still work', async () => {
    const { partnerId, customerId, apiKey, userToken } = await acting();
    const { userTokens } = service.records;
    const { userToken: sibling } = await userTokens.create(partnerId, customerId, null);
    const [first] = await userTokens.list(partnerId);
    const path = `/admin/v1/partners/${partnerId}/user-tokens/${first!.userTokenId}`;
    expect((await list(apiKey, userToken)).status).toBe(200);
    expect((await service.call('DELETE', path, { token: service.adminToken })).status).toBe(204);
    expectRefused(await list(apiKey, userToken));
    expect((await list(apiKey, sibling)).status).toBe(200);
  });

  test('after it has expired', async () => {
    const { partnerId, customerId, apiKey } = await acting();
    const { userToken } = await service.records.userTokens.create(partnerId, customerId, 1);
    expect((await list(apiKey, userToken)).status).toBe(200);
    await sleep(1_100);
    expectRefused(await list(apiKey, userToken));
  });

  test.each([
    ['empty', ''],
    ['blank', '   '],
    ['of another format', 'abc'],
    ['an API key', 'KEY'],
    ['truncated', 'CUT'],
    ['sent twice', 'TOKEN, TOKEN'],
    ['with a scheme', 'Bearer TOKEN'],
    ['unknown', `trib_user_0123456789abcdef_${'A'.repeat(43)}`],
    ['invalid UTF-8', '\xff\xfe'],
  ])('if it is %s', async (_, header) => {
    const { apiKey, userToken } = await acting();
    const sent = header
      .replaceAll('TOKEN', userToken)
      .replace('KEY', apiKey)
      .replace('CUT', userToken.slice(0, -1));
    const request = `GET ${audiences} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${apiKey}\r\nx-user-token: ${sent}\r\n\r\n`;
    const answer = await sendRaw(service.url, Buffer.from(request, 'latin1'));
    expectRefused(answer);
    expect(answer.text).not.toContain(userToken);
  });

  test('with the lookup part of one token and the secret of another', async () => {
    const [one, other] = [await acting(), await acting()];
    expectRefused(await list(one.apiKey, one.userToken.slice(0, 27) + other.userToken.slice(27)));
  });

  test('without an API key, because the key is missing', async () => {
    const { userToken } = await acting();
    const headers = { 'x-user-token': userToken };
    const answer = await service.call('GET', audiences, { headers });
    expect(expectProblem(answer, 401, 'unauthenticated').detail).toContain('API key');
  });

  test('before the body is parsed, on /v1 and /v2', async () => {
    const { apiKey } = await acting();
    const headers = { 'x-user-token': 'no', 'content-type': 'application/json' };
    for (const path of [audiences, '/v1/firstparty/audience']) {
      const answer = await service.call('POST', path, { token: apiKey, headers, body: '{' });
      expectRefused(answer);
    }
  });
});

test('the marketplace ignores a user token', async () => {
  const { apiKey } = await acting();
  expect((await list(apiKey, 'no such token', '/v1/marketplace/import')).status).toBe(200);
});

test('the last use of a user token is saved', async () => {
  const { partnerId, apiKey, userToken } = await acting();
  const lastUsed = async () =>
    (await service.records.userTokens.list(partnerId)).map(({ lastUsedAt }) => lastUsedAt);
  expect(await lastUsed()).toEqual([null]);
  await list(apiKey, userToken);
  const [usedAt] = await lastUsed();
  expect(Date.now() - Number(usedAt)).toBeLessThan(60_000);
  expect(service.logged.join('')).not.toContain(userToken.slice(-43));
});
