import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, startTestApp, type TestApp } from '../../../support/app.ts';
import type { Browser } from '../../../support/browser.ts';
import { basic, type PartnerApp, partnerApp, redirectUri, userAt } from '../../../support/oauth.ts';

let service: TestApp;
let app: PartnerApp;
let browser: Browser;
beforeAll(async () => {
  service = await startTestApp();
  app = await partnerApp([service]);
  ({ browser } = await userAt([service]));
});
afterAll(() => service[Symbol.asyncDispose]());

function expectRefused(answer: Answer, error: string, status = 400): void {
  expect(`${answer.status} ${answer.body?.error}`).toBe(`${status} ${error}`);
}

describe('an app authenticates', () => {
  const parameters = { grant_type: 'refresh_token', refresh_token: 'x' };
  const send = (body: Record<string, string>, headers: Record<string, string> = {}) =>
    service.call('POST', '/oauth/token', {
      body: new URLSearchParams({ ...parameters, ...body }).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    });

  test('with its secret, in the header or the body', async () => {
    const { clientId, clientSecret } = app;
    const secret = clientSecret!;
    expectRefused(await send({}, { authorization: basic(clientId, secret) }), 'invalid_grant');
    expectRefused(await send({ client_id: clientId, client_secret: secret }), 'invalid_grant');
    for (const wrong of [`${secret}x`, 'x', secret.toUpperCase()]) {
      const inHeader = await send({}, { authorization: basic(clientId, wrong) });
      expectRefused(inHeader, 'invalid_client', 401);
      const inBody = await send({ client_id: clientId, client_secret: wrong });
      expectRefused(inBody, 'invalid_client', 401);
    }
    expectRefused(await send({ client_id: clientId }), 'invalid_client', 401);
    expectRefused(await send({}), 'invalid_request');
    expectRefused(await send({ client_id: 'unknown' }), 'invalid_client', 401);
    expectRefused(await send({ client_id: '\0' }), 'invalid_client', 401);
    expectRefused(await send({}, { authorization: 'Bearer x' }), 'invalid_request');
  });

  test('but not with the stored hash of its secret', async () => {
    const kept = (await service.records.oauthApps.find(app.clientId))!.secretHash!;
    for (const encoding of ['base64url', 'hex', 'base64'] as const) {
      const answer = await send(
        {},
        { authorization: basic(app.clientId, kept.toString(encoding)) },
      );
      expect(answer.status).not.toBe(200);
      expect(['invalid_client', 'invalid_request']).toContain(answer.body.error);
    }
  });

  test('without a secret if it is public', async () => {
    const publicApp = await partnerApp([service], { kind: 'public' });
    const { clientId } = publicApp;
    const { refreshToken } = await publicApp.tokensFrom(browser);
    const grant = { refresh_token: refreshToken };
    const withSecret = await send({ ...grant, client_id: clientId, client_secret: 'x' });
    expectRefused(withSecret, 'invalid_client', 401);
    const withHeader = await send(grant, { authorization: basic(clientId, 'x') });
    expectRefused(withHeader, 'invalid_client', 401);
    expect((await send({ ...grant, client_id: clientId })).status).toBe(200);
  });

  test('and is refused unsupported grant types and malformed bodies', async () => {
    const authorization = basic(app.clientId, app.clientSecret!);
    for (const grant_type of ['password', 'client_credentials', 'implicit', 'x']) {
      const answer = await send({ grant_type }, { authorization });
      expectRefused(answer, 'unsupported_grant_type');
    }
    const json = await service.call('POST', '/oauth/token', {
      json: parameters,
      headers: { authorization },
    });
    expectRefused(json, 'invalid_request');
    const large = await send({ more: 'x'.repeat(60_000) }, { authorization });
    expectRefused(large, 'invalid_request');
  });
});

describe('CORS: other sites', () => {
  const from = (origin: string, body: Record<string, string>, path = '/oauth/token') =>
    service.call('POST', path, {
      body: new URLSearchParams(body).toString(),
      headers: { origin, 'content-type': 'application/x-www-form-urlencoded' },
    });
  const allowed = (answer: Answer) => answer.headers.get('access-control-allow-origin');
  const own = new URL(redirectUri).origin;

  test('can read the responses to a public app that runs there', async () => {
    const publicApp = await partnerApp([service], { kind: 'public' });
    const { refreshToken } = await publicApp.tokensFrom(browser);
    const grant = {
      grant_type: 'refresh_token',
      refresh_token: refreshToken,
      client_id: publicApp.clientId,
    };
    for (const origin of ['https://evil.example', 'null', `${own}:8443`]) {
      const answer = await from(origin, grant);
      expectRefused(answer, 'invalid_request');
      expect(allowed(answer)).toBeNull();
    }
    const answer = await from(own, grant);
    expect(answer.status).toBe(200);
    expect(allowed(answer)).toBe(own);
  });

  test('can read nothing else', async () => {
    const confidential = await from(own, {
      grant_type: 'refresh_token',
      refresh_token: 'x',
      client_id: app.clientId,
      client_secret: app.clientSecret!,
    });
    expect([confidential.status, allowed(confidential)]).toEqual([400, null]);
    expect(allowed(await from(own, { client_id: 'unknown' }))).toBeNull();
    expect(allowed(await from(own, {}))).toBeNull();
    const { url } = await app.begin();
    const headers = { origin: own };
    const authorize = await service.call('GET', url.pathname + url.search, { headers });
    expect(allowed(authorize)).toBeNull();
  });
});
