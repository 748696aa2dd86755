import { sql } from 'kysely';
import * as client from 'openid-client';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { startTestApp, type TestApp } from '../../../support/app.ts';
import { type Browser, openBrowser } from '../../../support/browser.ts';
import { password } from '../../../support/console-session.ts';
import { expectProblem } from '../../../support/http.ts';
import {
  allowIn,
  arriveIn,
  decideIn,
  locationOf,
  type PartnerApp,
  partnerApp,
  redirectUri,
  userAt,
} from '../../../support/oauth.ts';

let service: TestApp;
let app: PartnerApp;
let ada: Awaited<ReturnType<typeof userAt>>;
beforeAll(async () => {
  service = await startTestApp();
  app = await partnerApp([service]);
  ada = await userAt([service]);
});
afterAll(() => service[Symbol.asyncDispose]());

const pathOf = (uid: string) => `/v1/console/authorizations/${uid}`;
const allow = { json: { allow: true } };

async function arrive(browser: Browser) {
  const { url, checks } = await app.begin();
  return { uid: await arriveIn(browser, url), checks };
}

test('if the user refuses, the browser goes back to the app without a code', async () => {
  const { uid, checks } = await arrive(ada.browser);
  const callback = await decideIn(ada.browser, uid, false);
  expect(callback.searchParams.get('error')).toBe('access_denied');
  expect(callback.searchParams.has('code')).toBe(false);
  await expect(client.authorizationCodeGrant(app.config, callback, checks)).rejects.toThrow();
  expect(await service.records.oauthGrants.list({}, { after: null, limit: 1 })).toEqual([]);
});

test("consent needs a signed-in customer's user", async () => {
  const browser = openBrowser(service);
  const { uid } = await arrive(browser);
  expectProblem(await browser.call('GET', pathOf(uid)), 401, 'unauthenticated');
  expectProblem(await browser.call('POST', pathOf(uid), allow), 401, 'unauthenticated');
  for (const json of [{ api_key: app.apiKey }, { admin_token: service.adminToken }]) {
    await browser.signIn(json);
    expectProblem(await browser.call('GET', pathOf(uid)), 403, 'forbidden');
    expectProblem(await browser.call('POST', pathOf(uid), allow), 403, 'forbidden');
  }
  await browser.signIn({ email: ada.email, password });
  expect((await browser.call('GET', pathOf(uid))).status).toBe(200);
  const callback = await decideIn(browser, uid, true);
  expect(callback.searchParams.get('code')).toMatch(/./);
});

test('nothing is allowed without the CSRF token', async () => {
  const { uid } = await arrive(ada.browser);
  for (const token of ['', 'x']) {
    const headers = { 'x-csrf-token': token };
    const answer = await ada.browser.call('POST', pathOf(uid), { ...allow, headers });
    expectProblem(answer, 403, 'forbidden');
  }
  const resumed = await ada.browser.visit(`/oauth/authorize/${uid}`);
  expect(locationOf(resumed)).not.toContain('code=');
});

describe('an authorization begun in another browser', () => {
  test('cannot be seen or allowed, by the same user or another', async () => {
    const mallory = openBrowser(service);
    const { uid } = await arrive(mallory);
    const bob = await userAt([service], 'bob@harbor.example');
    for (const { browser } of [ada, bob]) {
      expectProblem(await browser.call('GET', pathOf(uid)), 404, 'not_found');
      expectProblem(await browser.call('POST', pathOf(uid), allow), 404, 'not_found');
      // Not even after the browser began an authorization of its own.
      await arrive(browser);
      expectProblem(await browser.call('POST', pathOf(uid), allow), 404, 'not_found');
    }
    const resumed = await mallory.visit(`/oauth/authorize/${uid}`);
    expect(locationOf(resumed)).not.toContain('code=');
  });

  test('cannot be resumed, even if it was allowed', async () => {
    const { uid } = await arrive(ada.browser);
    const { body } = await ada.browser.call('POST', pathOf(uid), allow);
    const stranger = await openBrowser(service).visit(body.redirect_to);
    expect(stranger.status).toBe(400);
    expect(stranger.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(locationOf(stranger)).toBe('');
    // A forged cookie does not help.
    const forged = `tributary-authorization=${uid}; tributary-authorization.sig=x`;
    const again = await openBrowser(service).visit(body.redirect_to, {
      headers: { cookie: forged },
    });
    expect(again.status).toBe(400);
    expect(locationOf(await ada.browser.visit(body.redirect_to))).toContain('code=');
  });
});

test('an allowed authorization is resumed once', async () => {
  const { uid } = await arrive(ada.browser);
  const { body } = await ada.browser.call('POST', pathOf(uid), allow);
  const { pathname } = new URL(body.redirect_to);
  const cookies = ada.browser.cookies.filter(({ path }) => path === pathname);
  const headers = { cookie: cookies.map(({ name, value }) => `${name}=${value}`).join('; ') };
  expect(locationOf(await ada.browser.visit(body.redirect_to, { headers }))).toContain('code=');
  expect(locationOf(await ada.browser.visit(body.redirect_to, { headers }))).toBe('');
  expectProblem(await ada.browser.call('POST', pathOf(uid), allow), 404, 'not_found');
});

test('of concurrent decisions one counts, and the others leave nothing behind', async () => {
  const zoe = await userAt([service], 'zoe@harbor.example');
  const { uid } = await arrive(zoe.browser);
  const decide = (allow: boolean) => zoe.browser.call('POST', pathOf(uid), { json: { allow } });
  const answers = await Promise.all(Array.from({ length: 10 }, () => decide(true)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(404)]);
  expectProblem(await decide(false), 404, 'not_found');
  expectProblem(await zoe.browser.call('GET', pathOf(uid)), 404, 'not_found');
  const { redirect_to } = answers.find(({ status }) => status === 200)!.body;
  expect(locationOf(await zoe.browser.visit(redirect_to))).toContain('code=');
  expect((await zoe.browser.call('GET', '/v1/console/apps')).body).toMatchObject([{ grants: 1 }]);
});

test('a redirect address that was removed from the app after consent gets no code', async () => {
  const { uid } = await arrive(ada.browser);
  const { body } = await ada.browser.call('POST', pathOf(uid), allow);
  const elsewhere = ['https://elsewhere.acme.example/'];
  await service.records.oauthApps.change(app.clientId, { redirectUris: elsewhere });
  const answer = await ada.browser.visit(body.redirect_to);
  expect([answer.status, locationOf(answer)]).toEqual([400, '']);
  await service.records.oauthApps.change(app.clientId, { redirectUris: [redirectUri] });
});

test('an authorization that is unknown, expired or no longer valid is not found', async () => {
  for (const uid of ['x', '%00', '..%2f..', 'a'.repeat(2_000)]) {
    expectProblem(await ada.browser.call('GET', pathOf(uid)), 404, 'not_found');
    expectProblem(await ada.browser.call('POST', pathOf(uid), allow), 404, 'not_found');
  }
  const { uid } = await arrive(ada.browser);
  const { oauthApps } = service.records;
  await oauthApps.change(app.clientId, { isDisabled: true });
  expectProblem(await ada.browser.call('POST', pathOf(uid), allow), 404, 'not_found');
  await oauthApps.change(app.clientId, {
    isDisabled: false,
    redirectUris: ['https://elsewhere.acme.example/'],
  });
  expectProblem(await ada.browser.call('POST', pathOf(uid), allow), 404, 'not_found');
  await oauthApps.change(app.clientId, { redirectUris: ['https://app.acme.example/callback'] });
  expect((await ada.browser.call('GET', pathOf(uid))).status).toBe(200);
  await sql`update oauth_state set expires_at = now()`.execute(service.database.db);
  expectProblem(await ada.browser.call('POST', pathOf(uid), allow), 404, 'not_found');
});

test('a user who is disabled between consent and redirect gives the app no code', async () => {
  const eve = await userAt([service], 'eve@harbor.example');
  const { uid } = await arrive(eve.browser);
  const { body } = await eve.browser.call('POST', pathOf(uid), allow);
  await service.records.users.setDisabled(eve.userId, true);
  const answer = await eve.browser.visit(body.redirect_to);
  expect(locationOf(answer)).not.toContain('code=');
});

test('an app that is removed while it is being allowed is not found', async () => {
  const { db } = service.database;
  const { uid } = await arrive(ada.browser);
  const { answering } = await db.transaction().execute(async (tx) => {
    await sql`delete from oauth_app where client_id = ${app.clientId}`.execute(tx);
    const answering = ada.browser.call('POST', pathOf(uid), allow);
    await vi.waitUntil(async () => {
      const { rows } = await sql`
        select 1 from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'
          and query like '%insert into oauth_grant%'
      `.execute(db);
      return rows.length > 0;
    }, 60_000);
    return { answering };
  });
  expectProblem(await answering, 404, 'not_found');
  app = await partnerApp([service]);
});

test('the decision is a boolean, without other fields', async () => {
  const { uid } = await arrive(ada.browser);
  for (const json of [{}, { allow: 'true' }, { allow: true, scope: 'all' }, null]) {
    const answer = await ada.browser.call('POST', pathOf(uid), { json });
    expectProblem(answer, 400, 'invalid_input');
  }
});

describe('grants', () => {
  const apps = '/v1/console/apps';
  const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

  function actsWith(userToken: string) {
    return service.call('GET', '/v2/firstparty/audience', {
      token: app.apiKey,
      headers: { 'x-user-token': userToken },
    });
  }

  test('are listed for the user by app, and disconnecting an app revokes only that user’s', async () => {
    const joan = await userAt([service], 'joan@harbor.example');
    const kay = await userAt([service], 'kay@harbor.example');
    const other = await partnerApp([service]);
    const elsewhere = await other.tokensFrom(joan.browser);
    const [first, second] = [
      await app.tokensFrom(joan.browser),
      await app.tokensFrom(joan.browser),
    ];
    const { accessToken: ofKay } = await app.tokensFrom(kay.browser);
    await actsWith(first.accessToken);
    const { body } = await joan.browser.call('GET', apps);
    expect(body).toEqual([
      {
        client_id: app.clientId,
        app_name: 'Audience Loader',
        partner_name: 'acme',
        grants: 2,
        grant_id: expect.any(Number),
        allowed_at: timestamp,
        last_used_at: timestamp,
        expires_at: timestamp,
      },
      expect.objectContaining({ client_id: other.clientId, grants: 1, last_used_at: null }),
    ]);
    const page = await joan.browser.call('GET', `${apps}?limit=1`);
    expect(page.body).toEqual([body[0]]);
    const link = `${apps}?limit=1&after=${body[0].grant_id}`;
    expect(page.headers.get('link')).toBe(`<${link}>; rel="next"`);
    expect((await joan.browser.call('GET', link)).body).toEqual([body[1]]);
    const days = (Date.parse(body[0].expires_at) - Date.now()) / (24 * 60 * 60_000);
    expect(days).toBeGreaterThan(29.9);
    expect(days).toBeLessThan(30.1);
    const one = `${apps}/${app.clientId}`;
    const withoutToken = { headers: { 'x-csrf-token': '' } };
    expectProblem(await joan.browser.call('DELETE', one, withoutToken), 403, 'forbidden');
    expect((await actsWith(second.accessToken)).status).toBe(200);
    expect((await joan.browser.call('DELETE', one)).status).toBe(204);
    expectProblem(await joan.browser.call('DELETE', one), 404, 'not_found');
    expectProblem(await joan.browser.call('DELETE', `${apps}/%00`), 404, 'not_found');
    for (const { accessToken, refreshToken } of [first, second]) {
      expectProblem(await actsWith(accessToken), 401, 'unauthenticated');
      await expect(client.refreshTokenGrant(app.config, refreshToken)).rejects.toMatchObject({
        error: 'invalid_grant',
      });
    }
    expect((await actsWith(ofKay)).status).toBe(200);
    await client.refreshTokenGrant(other.config, elsewhere.refreshToken);
    expect((await joan.browser.call('GET', apps)).body).toHaveLength(1);
  });

  test('are hidden from partners and operators in the console', async () => {
    const browser = openBrowser(service);
    await browser.signIn({ api_key: app.apiKey });
    expectProblem(await browser.call('GET', apps), 403, 'forbidden');
    expectProblem(await browser.call('DELETE', `${apps}/${app.clientId}`), 403, 'forbidden');
    expectProblem(await service.call('GET', apps), 401, 'unauthenticated');
  });

  test('are listed and revoked by the operator', async () => {
    const lin = await userAt([service], 'lin@harbor.example');
    const { accessToken } = await app.tokensFrom(lin.browser);
    const admin = (method: string, path: string) =>
      service.call(method, `/admin/v1/oauth-grants${path}`, { token: service.adminToken });
    const { body } = await admin('GET', `?user_id=${lin.userId}`);
    expect(body).toEqual([
      {
        grant_id: expect.any(Number),
        app_name: 'Audience Loader',
        partner_name: 'acme',
        created_at: timestamp,
        last_used_at: null,
        expires_at: timestamp,
        client_id: app.clientId,
        partner_id: app.partnerId,
        user_id: lin.userId,
        email: lin.email,
        customer_id: lin.customerId,
        customer_name: 'Harbor Coffee',
      },
    ]);
    const [{ grant_id }] = body;
    expect((await admin('GET', `?customer_id=${lin.customerId}`)).body).toEqual(body);
    expect((await admin('GET', `?partner_id=${app.partnerId}&limit=1`)).body).toEqual(body);
    expect((await admin('GET', `?after=${grant_id}&user_id=${lin.userId}`)).body).toEqual([]);
    expect((await admin('GET', '?partner_id=999999')).body).toEqual([]);
    expectProblem(await admin('GET', '?limit=0'), 400, 'invalid_input');
    expectProblem(await admin('GET', '?email=x'), 400, 'invalid_input');
    expect((await admin('DELETE', `/${grant_id}`)).status).toBe(204);
    expectProblem(await admin('DELETE', `/${grant_id}`), 404, 'not_found');
    expectProblem(await actsWith(accessToken), 401, 'unauthenticated');
  });

  test('expire within minutes if no code is redeemed', async () => {
    const amy = await userAt([service], 'amy@harbor.example');
    const { url } = await app.begin();
    await allowIn(amy.browser, url);
    const { body } = await amy.browser.call('GET', apps);
    expect(Date.parse(body[0].expires_at) - Date.now()).toBeLessThanOrEqual(10 * 60_000);
  });
});
