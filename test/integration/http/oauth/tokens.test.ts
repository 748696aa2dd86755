import { sql } from 'kysely';
import * as client from 'openid-client';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { disableAccess } from '../../../../src/actions/disable-access.ts';
import { type Answer, startTwoApps } from '../../../support/app.ts';
import type { Browser } from '../../../support/browser.ts';
import { expectProblem } from '../../../support/http.ts';
import {
  allowIn,
  type PartnerApp,
  partnerApp,
  redirectUri,
  tokensOf,
  userAt,
} from '../../../support/oauth.ts';

/** Two processes over one database, which take requests alternately. */
let running: Awaited<ReturnType<typeof startTwoApps>>;
let apps: typeof running.apps;
let app: PartnerApp;
let browser: Browser;
let userId: number;
beforeAll(async () => {
  running = await startTwoApps();
  ({ apps } = running);
  app = await partnerApp(apps);
  ({ browser, userId } = await userAt(apps));
});
afterAll(() => running[Symbol.asyncDispose]());

function actsWith(userToken: string, apiKey = app.apiKey): Promise<Answer> {
  const headers = { 'x-user-token': userToken };
  return apps[0].call('GET', '/v2/firstparty/audience', { token: apiKey, headers });
}

async function expectInvalid(...tokens: string[]): Promise<void> {
  for (const token of tokens) {
    const { detail } = expectProblem(await actsWith(token), 401, 'unauthenticated');
    expect(detail).toContain('x-user-token');
  }
}

function expectRefused(answer: Answer, error: string, status = 400): void {
  expect(`${answer.status} ${answer.body?.error}`).toBe(`${status} ${error}`);
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(answer.headers.get('x-request-id')).toMatch(/./);
  expect(answer.text).not.toMatch(/node_modules|\bat .*\.(ts|js):\d/);
}

/** The parameters that redeem a new code. */
async function freshCode(of = app) {
  const { url, checks } = await of.begin();
  const callback = await allowIn(browser, url);
  return {
    grant_type: 'authorization_code',
    code: callback.searchParams.get('code')!,
    code_verifier: checks.pkceCodeVerifier,
    redirect_uri: redirectUri,
  };
}

const redeem = (code: Record<string, string>, by = app) => by.post('/oauth/token', code);
const refresh = (refresh_token: string, by = app) =>
  by.post('/oauth/token', { grant_type: 'refresh_token', refresh_token });

async function onDatabase(statement: ReturnType<typeof sql>): Promise<void> {
  await statement.execute(apps[0].database.db);
}

describe('a code is refused', () => {
  test('without its PKCE verifier or with another', async () => {
    const { code_verifier, ...code } = await freshCode();
    expectRefused(await redeem(code), 'invalid_grant');
    const wrong = client.randomPKCECodeVerifier();
    expectRefused(await redeem({ ...code, code_verifier: wrong }), 'invalid_grant');
    expectRefused(await redeem({ ...code, code_verifier: '' }), 'invalid_grant');
    expectRefused(await redeem({ ...code, code_verifier: 'short' }), 'invalid_request');
    expect((await redeem({ ...code, code_verifier })).status).toBe(200);
  });

  test('with another redirect address than in the authorization', async () => {
    const code = await freshCode();
    for (const other of [`${redirectUri}/`, 'https://evil.example/', '']) {
      const answer = await redeem({ ...code, redirect_uri: other });
      expect(answer.status).toBe(400);
    }
    const { redirect_uri: _, ...without } = code;
    expectRefused(await redeem(without), 'invalid_request');
    expect((await redeem(code)).status).toBe(200);
  });

  test('to another app of the same or another partner', async () => {
    const code = await freshCode();
    const other = await partnerApp(apps);
    expectRefused(await redeem(code, other), 'invalid_grant');
    const own = await apps[0].records.oauthApps.create(app.partnerId, {
      name: 'Another',
      kind: 'public',
      redirectUris: [redirectUri],
    });
    const body = new URLSearchParams({ ...code, client_id: own.clientId }).toString();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    expectRefused(await apps[0].call('POST', '/oauth/token', { body, headers }), 'invalid_grant');
    expect((await redeem(code)).status).toBe(200);
  });

  test('after one minute', async () => {
    const code = await freshCode();
    const { rows } = await sql<{ seconds: number }>`
      select extract(epoch from expires_at - now())::float8 as seconds from oauth_state
      where model = 'AuthorizationCode' order by expires_at desc limit 1
    `.execute(apps[0].database.db);
    expect(rows[0]!.seconds).toBeGreaterThan(50);
    expect(rows[0]!.seconds).toBeLessThanOrEqual(60);
    await onDatabase(
      sql`update oauth_state set expires_at = now() where model = 'AuthorizationCode'`,
    );
    expectRefused(await redeem(code), 'invalid_grant');
  });

  test('the second time, and its tokens become invalid', async () => {
    const code = await freshCode();
    const first = tokensOf((await redeem(code)).body);
    expect((await actsWith(first.accessToken)).status).toBe(200);
    expectRefused(await redeem(code), 'invalid_grant');
    await expectInvalid(first.accessToken);
    expectRefused(await refresh(first.refreshToken), 'invalid_grant');
    expectRefused(await redeem(code), 'invalid_grant');
  });

  test('if redeemed concurrently, to all but one, whose tokens become invalid', async () => {
    for (let round = 0; round < 5; round += 1) {
      const code = await freshCode();
      const answers = await Promise.all(Array.from({ length: 6 }, () => redeem(code)));
      const won = answers.filter(({ status }) => status === 200);
      expect(won.length).toBeLessThanOrEqual(1);
      for (const answer of answers)
        if (!won.includes(answer)) expectRefused(answer, 'invalid_grant');
      for (const { body } of won) {
        await expectInvalid(body.access_token);
        expectRefused(await refresh(body.refresh_token), 'invalid_grant');
      }
    }
  });
});

describe('a refresh token', () => {
  test('that is used twice invalidates the whole chain', async () => {
    const first = await app.tokensFrom(browser);
    const second = tokensOf((await refresh(first.refreshToken)).body);
    const third = tokensOf((await refresh(second.refreshToken)).body);
    expect((await actsWith(third.accessToken)).status).toBe(200);
    expectRefused(await refresh(first.refreshToken), 'invalid_grant');
    await expectInvalid(first.accessToken, second.accessToken, third.accessToken);
    expectRefused(await refresh(third.refreshToken), 'invalid_grant');
  });

  test('that is used twice concurrently, in any process, invalidates the chain', async () => {
    for (let round = 0; round < 8; round += 1) {
      const { accessToken, refreshToken } = await app.tokensFrom(browser);
      const grant = () =>
        client.refreshTokenGrant(app.config, refreshToken).then(tokensOf, (error) => {
          expect(error.error).toBe('invalid_grant');
          return undefined;
        });
      const won = (await Promise.all([grant(), grant()])).filter((each) => each !== undefined);
      expect(won.length).toBeLessThanOrEqual(1);
      await expectInvalid(accessToken, ...won.map((each) => each.accessToken));
      for (const each of won) expectRefused(await refresh(each.refreshToken), 'invalid_grant');
    }
  });

  test('that is used twice invalidates the chain even if the second request is invalid', async () => {
    const { accessToken, refreshToken } = await app.tokensFrom(browser);
    await refresh(refreshToken);
    const more = { grant_type: 'refresh_token', refresh_token: refreshToken, scope: 'everything' };
    expectRefused(await app.post('/oauth/token', more), 'invalid_grant');
    await expectInvalid(accessToken);
    expect(apps[0].logged.join('')).toContain('code or refresh token reused');
  });

  test('is not consumed by an error on our side and works when sent again', async () => {
    const { refreshToken } = await app.tokensFrom(browser);
    const { db } = apps[0].database;
    const { answering } = await db.transaction().execute(async (tx) => {
      await sql`lock oauth_grant in share mode`.execute(tx);
      const answering = refresh(refreshToken);
      await vi.waitUntil(async () => {
        const { rows } = await sql`
          select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'
            and query like '%update oauth_grant%'
        `.execute(db);
        return rows.length > 0;
      }, 60_000);
      return { answering };
    });
    expectRefused(await answering, 'temporarily_unavailable', 503);
    const again = await refresh(refreshToken);
    expect(again.status).toBe(200);
    expect((await actsWith(again.body.access_token)).status).toBe(200);
  });

  test('that is used twice leaves no state behind', async () => {
    const { refreshToken } = await app.tokensFrom(browser);
    const count = async () => {
      const { rows } = await sql<{ grants: number; tokens: number }>`
        select (select count(*) from oauth_grant) as grants,
          (select count(*) from oauth_state where grant_id is not null) as tokens
      `.execute(apps[0].database.db);
      return rows[0]!;
    };
    const before = await count();
    await refresh(refreshToken);
    await refresh(refreshToken);
    const after = await count();
    expect(after.grants).toBe(before.grants - 1);
    // The code, the first access token and the first refresh token.
    expect(after.tokens).toBe(before.tokens - 3);
  });

  test('is refused to another app, or if it is expired or malformed', async () => {
    const { refreshToken, accessToken } = await app.tokensFrom(browser);
    expectRefused(await refresh(refreshToken, await partnerApp(apps)), 'invalid_grant');
    for (const wrong of ['x', accessToken, '\0', 'é'.repeat(50), refreshToken.slice(1)]) {
      expectRefused(await refresh(wrong), 'invalid_grant');
    }
    expectRefused(await refresh(''), 'invalid_request');
    await onDatabase(sql`update oauth_state set expires_at = now() where model = 'RefreshToken'`);
    expectRefused(await refresh(refreshToken), 'invalid_grant');
  });

  test('cannot be used as an access token, nor can a code', async () => {
    const { refreshToken } = await app.tokensFrom(browser);
    const { code } = await freshCode();
    await expectInvalid(refreshToken, code);
  });

  test('cannot extend the scope', async () => {
    const { refreshToken } = await app.tokensFrom(browser);
    const answer = await app.post('/oauth/token', {
      grant_type: 'refresh_token',
      refresh_token: refreshToken,
      scope: 'audiences everything',
    });
    expectRefused(answer, 'invalid_scope');
  });
});

describe('an access token', () => {
  test('is refused with the key of another partner', async () => {
    const { accessToken } = await app.tokensFrom(browser);
    const other = await apps[0].partner();
    expectProblem(await actsWith(accessToken, other.apiKey), 401, 'unauthenticated');
    expect((await actsWith(accessToken)).status).toBe(200);
  });

  test('is refused after 15 minutes', async () => {
    const { accessToken, refreshToken } = await app.tokensFrom(browser);
    await onDatabase(sql`update oauth_state set expires_at = now() where model = 'AccessToken'`);
    await expectInvalid(accessToken);
    const next = tokensOf((await refresh(refreshToken)).body);
    expect((await actsWith(next.accessToken)).status).toBe(200);
  });

  test('is refused while its app is disabled, as are refresh tokens and codes', async () => {
    const one = await partnerApp(apps);
    const { accessToken, refreshToken } = await one.tokensFrom(browser);
    const code = await freshCode(one);
    await apps[0].records.oauthApps.change(one.clientId, { isDisabled: true });
    expectProblem(await actsWith(accessToken, one.apiKey), 401, 'unauthenticated');
    expectRefused(await refresh(refreshToken, one), 'invalid_client', 401);
    expectRefused(await redeem(code, one), 'invalid_client', 401);
    const page = await browser.visit((await one.begin()).url.href);
    expect(page.status).toBe(400);
    await apps[0].records.oauthApps.change(one.clientId, { isDisabled: false });
    expect((await actsWith(accessToken, one.apiKey)).status).toBe(200);
    expect((await refresh(refreshToken, one)).status).toBe(200);
    await apps[0].records.oauthApps.remove(one.clientId);
    expectProblem(await actsWith(accessToken, one.apiKey), 401, 'unauthenticated');
  });

  test('is refused and not renewed while its user is disabled, and after the user is removed', async () => {
    const user = await userAt(apps, 'gone@harbor.example');
    const { accessToken, refreshToken } = await app.tokensFrom(user.browser);
    const { users } = apps[0].records;
    await users.setDisabled(user.userId, true);
    await expectInvalid(accessToken);
    expectRefused(await refresh(refreshToken), 'invalid_grant');
    const introspected = await app.post('/oauth/introspect', { token: accessToken });
    expect(introspected.body).toEqual({ active: false });
    await users.setDisabled(user.userId, false);
    expect((await actsWith(accessToken)).status).toBe(200);
    expect((await refresh(refreshToken)).status).toBe(200);
    await users.remove(user.customerId, user.userId);
    await expectInvalid(accessToken);
  });

  test('is refused and not renewed while its partner or its customer is disabled', async () => {
    const one = await partnerApp(apps);
    const user = await userAt(apps, 'paused@harbor.example');
    const { records } = apps[0];
    const partner = { kind: 'partner', id: one.partnerId } as const;
    const customer = { kind: 'customer', id: user.customerId } as const;
    const { accessToken, refreshToken } = await one.tokensFrom(user.browser);
    const code = await freshCode(one);
    await disableAccess(records, partner);
    expectProblem(await actsWith(accessToken, one.apiKey), 403, 'forbidden');
    expectRefused(await refresh(refreshToken, one), 'invalid_client', 401);
    expectRefused(await redeem(code, one), 'invalid_client', 401);
    expect((await browser.visit((await one.begin()).url.href)).status).toBe(400);
    await records.access.enable(partner);
    await disableAccess(records, customer);
    expectProblem(await actsWith(accessToken, one.apiKey), 403, 'forbidden');
    expectRefused(await refresh(refreshToken, one), 'invalid_grant');
    await records.access.enable(customer);
    expect((await actsWith(accessToken, one.apiKey)).status).toBe(200);
    expect((await refresh(refreshToken, one)).status).toBe(200);
  });

  test('names the app and the user in the audit log', async () => {
    const { accessToken } = await app.tokensFrom(browser);
    const created = await apps[0].call('POST', '/v2/firstparty/audience', {
      token: app.apiKey,
      headers: { 'x-user-token': accessToken },
      json: { name: 'Tea', file_path: 'tea.csv' },
    });
    expect(created.status).toBe(201);
    const page = { after: null, limit: 1 };
    expect(await apps[0].records.auditLog.list({ actor: 'app' }, page)).toMatchObject([
      { clientId: app.clientId, userId, partnerId: app.partnerId, appName: 'Audience Loader' },
    ]);
  });

  test('is accepted neither as an API key nor as the admin token', async () => {
    const { accessToken } = await app.tokensFrom(browser);
    const asKey = await apps[0].call('GET', '/v2/firstparty/audience', { token: accessToken });
    expectProblem(asKey, 401, 'unauthenticated');
    const admin = await apps[0].call('GET', '/admin/v1/partners', { token: accessToken });
    expectProblem(admin, 401, 'unauthenticated');
  });
});

describe('revocation and introspection', () => {
  test('are only for the app itself', async () => {
    const { accessToken, refreshToken } = await app.tokensFrom(browser);
    const other = await partnerApp(apps);
    for (const token of [accessToken, refreshToken]) {
      expect((await other.post('/oauth/introspect', { token })).body).toEqual({ active: false });
      expect((await other.post('/oauth/revoke', { token })).status).toBe(200);
      expect((await app.post('/oauth/introspect', { token })).body).toMatchObject({ active: true });
    }
    expect((await actsWith(accessToken)).status).toBe(200);
    const { body } = await app.post('/oauth/introspect', { token: accessToken });
    expect(body.sub).toBe(String(userId));
    for (const path of ['/oauth/introspect', '/oauth/revoke']) {
      const nobody = await apps[0].call('POST', path, {
        body: `token=${accessToken}`,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      });
      expect(nobody.status).toBe(400);
    }
  });

  test.each(['accessToken', 'refreshToken'] as const)(
    'revoking the %s revokes the whole grant',
    async (which) => {
      const tokens = await app.tokensFrom(browser);
      expect((await app.post('/oauth/revoke', { token: tokens[which] })).status).toBe(200);
      await expectInvalid(tokens.accessToken);
      expectRefused(await refresh(tokens.refreshToken), 'invalid_grant');
      const { body } = await app.post('/oauth/introspect', { token: tokens.accessToken });
      expect(body).toEqual({ active: false });
    },
  );

  test('of an invalid token report it as inactive or succeed', async () => {
    for (const token of ['x', '\0', '<script>']) {
      expect((await app.post('/oauth/revoke', { token })).status).toBe(200);
      expect((await app.post('/oauth/introspect', { token })).body).toEqual({ active: false });
    }
  });
});
