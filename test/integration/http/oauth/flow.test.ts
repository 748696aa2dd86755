import * as client from 'openid-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTwoApps } from '../../../support/app.ts';
import { publicUrl } from '../../../support/browser.ts';
import {
  allowIn,
  arriveIn,
  decideIn,
  partnerApp,
  redirectUri,
  tokensOf,
  userAt,
} from '../../../support/oauth.ts';

/** Two processes over one database, which take requests alternately. */
let running: Awaited<ReturnType<typeof startTwoApps>>;
let apps: typeof running.apps;
beforeAll(async () => {
  running = await startTwoApps();
  ({ apps } = running);
});
afterAll(() => running[Symbol.asyncDispose]());

const audiences = '/v2/firstparty/audience';

function actsWith(apiKey: string, userToken: string, method = 'GET', json?: object) {
  return apps[0].call(method, audiences, {
    token: apiKey,
    headers: { 'x-user-token': userToken },
    ...(json ? { json } : {}),
  });
}

test('the metadata describes our endpoints and nothing of OpenID Connect', async () => {
  const { body, headers } = await apps[0].call('GET', '/.well-known/oauth-authorization-server');
  expect(body).toEqual({
    issuer: publicUrl,
    authorization_endpoint: `${publicUrl}/oauth/authorize`,
    token_endpoint: `${publicUrl}/oauth/token`,
    revocation_endpoint: `${publicUrl}/oauth/revoke`,
    introspection_endpoint: `${publicUrl}/oauth/introspect`,
    jwks_uri: `${publicUrl}/oauth/jwks`,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    scopes_supported: ['audiences'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
    revocation_endpoint_auth_methods_supported: [
      'client_secret_basic',
      'client_secret_post',
      'none',
    ],
    introspection_endpoint_auth_methods_supported: [
      'client_secret_basic',
      'client_secret_post',
      'none',
    ],
    authorization_response_iss_parameter_supported: true,
    service_documentation: `${publicUrl}/docs`,
  });
  expect(headers.get('x-request-id')).toMatch(/./);
  expect(headers.get('x-content-type-options')).toBe('nosniff');
});

test.each(['confidential', 'public'] as const)(
  'a %s app that a user allows acts on the audiences of the customer',
  async (kind) => {
    const app = await partnerApp(apps, { kind });
    const { browser, customerId, userId } = await userAt(apps, `${kind}@harbor.example`);

    const { url, checks } = await app.begin();
    const uid = await arriveIn(browser, url);
    const pending = await browser.call('GET', `/v1/console/authorizations/${uid}`);
    expect(pending.status).toBe(200);
    expect(pending.body).toEqual({
      app_name: 'Audience Loader',
      partner_name: 'acme',
      customer_name: 'Harbor Coffee',
      redirect_host: 'app.acme.example',
      scopes: ['audiences'],
      expires_at: expect.stringMatching(/Z$/),
    });
    const hour = Date.parse(pending.body.expires_at) - Date.now();
    expect(hour).toBeGreaterThan(59 * 60_000);
    expect(hour).toBeLessThanOrEqual(60 * 60_000);

    const callback = await decideIn(browser, uid, true);
    expect(callback.origin + callback.pathname).toBe(redirectUri);
    expect([...callback.searchParams.keys()].sort()).toEqual(['code', 'iss', 'state']);
    const answer = await client.authorizationCodeGrant(app.config, callback, checks);
    expect(answer).toMatchObject({ token_type: 'bearer', expires_in: 900, scope: 'audiences' });
    expect(answer.id_token).toBeUndefined();
    const { accessToken, refreshToken } = tokensOf(answer);
    for (const token of [accessToken, refreshToken]) expect(token).toMatch(/^[\w-]{43}$/);

    const created = await actsWith(app.apiKey, accessToken, 'POST', {
      name: 'Summer sale',
      file_path: 'a.csv',
    });
    expect(created.status).toBe(201);
    const listed = await actsWith(app.apiKey, accessToken);
    expect(listed.body.map((each: { audience_id: number }) => each.audience_id)).toEqual([
      created.body.audience_id,
    ]);
    const scope = { partnerId: app.partnerId, customerId };
    const kept = await apps[0].records.audiences.list(scope, { after: null, limit: 1_000 });
    expect(kept).toHaveLength(1);

    const introspected = await client.tokenIntrospection(app.config, accessToken);
    expect(introspected).toMatchObject({
      active: true,
      client_id: app.clientId,
      scope: 'audiences',
      sub: String(userId),
      iss: publicUrl,
    });

    const refreshed = tokensOf(await client.refreshTokenGrant(app.config, refreshToken));
    expect(refreshed.refreshToken).not.toBe(refreshToken);
    expect((await actsWith(app.apiKey, refreshed.accessToken)).status).toBe(200);
    expect((await actsWith(app.apiKey, accessToken)).status).toBe(200);
    await client.tokenRevocation(app.config, refreshed.refreshToken);
    for (const token of [accessToken, refreshed.accessToken]) {
      expect((await actsWith(app.apiKey, token)).status).toBe(401);
    }
  },
);

test('each authorization needs consent, even if the user allowed the app before', async () => {
  const app = await partnerApp(apps);
  const { browser } = await userAt(apps, 'often@harbor.example');
  for (let i = 1; i <= 3; i += 1) {
    const { url } = await app.begin();
    const callback = await allowIn(browser, url);
    expect(callback.searchParams.get('code')).toMatch(/./);
  }
  const { url } = await app.begin({ prompt: 'none' });
  const silent = await browser.visit(url.href);
  const back = new URL(silent.headers.get('location')!);
  expect(back.searchParams.get('error')).toBe('consent_required');
  expect(back.searchParams.has('code')).toBe(false);
});

test('two authorizations in two tabs of a browser do not interfere', async () => {
  const app = await partnerApp(apps);
  const { browser } = await userAt(apps, 'tabs@harbor.example');
  const [one, other] = [await app.begin(), await app.begin()];
  const [first, second] = [await arriveIn(browser, one.url), await arriveIn(browser, other.url)];
  const callback = await decideIn(browser, first, true);
  const otherCallback = await decideIn(browser, second, true);
  await client.authorizationCodeGrant(app.config, callback, one.checks);
  await client.authorizationCodeGrant(app.config, otherCallback, other.checks);
});

test('the client refuses a response with another state or from another issuer', async () => {
  const app = await partnerApp(apps);
  const { browser } = await userAt(apps, 'mixed@harbor.example');
  const { url, checks } = await app.begin();
  const callback = await allowIn(browser, url);
  const grant = (change: (parameters: URLSearchParams) => void) => {
    const changed = new URL(callback);
    change(changed.searchParams);
    return client.authorizationCodeGrant(app.config, changed, checks);
  };
  for (const name of ['state', 'iss']) {
    const refusal = { cause: { message: expect.stringContaining(`"${name}"`) } };
    const other = grant((parameters) => parameters.set(name, 'https://evil.example'));
    await expect(other).rejects.toMatchObject(refusal);
    const none = grant((parameters) => parameters.delete(name));
    await expect(none).rejects.toMatchObject(refusal);
  }
  await grant(() => {});
});
