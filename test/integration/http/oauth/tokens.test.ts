import { sql } from 'kysely';
import * as client from 'openid-client';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
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

/** Two processes over one database, which answer by turns. */
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

async function expectDead(...tokens: string[]): Promise<void> {
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

/** A code, and what belongs to it. */
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
  test('without its PKCE verifier, or with another', async () => {
    const { code_verifier, ...code } = await freshCode();
    expectRefused(await redeem(code), 'invalid_grant');
    const wrong = client.randomPKCECodeVerifier();
    expectRefused(await redeem({ ...code, code_verifier: wrong }), 'invalid_grant');
    expectRefused(await redeem({ ...code, code_verifier: '' }), 'invalid_grant');
    expectRefused(await redeem({ ...code, code_verifier: 'short' }), 'invalid_request');
    expect((await redeem({ ...code, code_verifier })).status).toBe(200);
  });

  test('with another redirect address than it was asked with', async () => {
    const code = await freshCode();
    for (const other of [`${redirectUri}/`, 'https://evil.example/', '']) {
      const answer = await redeem({ ...code, redirect_uri: other });
      expect(answer.status).toBe(400);
    }
    const { redirect_uri: _, ...without } = code;
    expectRefused(await redeem(without), 'invalid_request');
    expect((await redeem(code)).status).toBe(200);
  });

  test('to another app, of the same partner or another', async () => {
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

  test('when its minute is over', async () => {
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

  test('the second time, and what it was exchanged for dies', async () => {
    const code = await freshCode();
    const first = tokensOf((await redeem(code)).body);
    expect((await actsWith(first.accessToken)).status).toBe(200);
    expectRefused(await redeem(code), 'invalid_grant');
    await expectDead(first.accessToken);
    expectRefused(await refresh(first.refreshToken), 'invalid_grant');
    expectRefused(await redeem(code), 'invalid_grant');
  });

  test('at the same moment by all but one, and that one gains nothing by it', async () => {
    for (let round = 0; round < 5; round += 1) {
      const code = await freshCode();
      const answers = await Promise.all(Array.from({ length: 6 }, () => redeem(code)));
      const won = answers.filter(({ status }) => status === 200);
      expect(won.length).toBeLessThanOrEqual(1);
      for (const answer of answers)
        if (!won.includes(answer)) expectRefused(answer, 'invalid_grant');
      for (const { body } of won) {
        await expectDead(body.access_token);
        expectRefused(await refresh(body.refresh_token), 'invalid_grant');
      }
    }
  });
});

describe('a refresh token', () => {
  test('that comes a second time ends the whole chain', async () => {
    const first = await app.tokensFrom(browser);
    const second = tokensOf((await refresh(first.refreshToken)).body);
    const third = tokensOf((await refresh(second.refreshToken)).body);
    expect((await actsWith(third.accessToken)).status).toBe(200);
    expectRefused(await refresh(first.refreshToken), 'invalid_grant');
    await expectDead(first.accessToken, second.accessToken, third.accessToken);
    expectRefused(await refresh(third.refreshToken), 'invalid_grant');
  });

  test('that comes twice at the same moment does, too, in whichever process', async () => {
    for (let round = 0; round < 8; round += 1) {
      const { accessToken, refreshToken } = await app.tokensFrom(browser);
      const grant = () =>
        client.refreshTokenGrant(app.config, refreshToken).then(tokensOf, (error) => {
          expect(error.error).toBe('invalid_grant');
          return undefined;
        });
      const won = (await Promise.all([grant(), grant()])).filter((each) => each !== undefined);
      expect(won.length).toBeLessThanOrEqual(1);
      await expectDead(accessToken, ...won.map((each) => each.accessToken));
      for (const each of won) expectRefused(await refresh(each.refreshToken), 'invalid_grant');
    }
  });

  test('ends the chain whatever else is wrong with the request that it comes again with', async () => {
    const { accessToken, refreshToken } = await app.tokensFrom(browser);
    await refresh(refreshToken);
    const more = { grant_type: 'refresh_token', refresh_token: refreshToken, scope: 'everything' };
    expectRefused(await app.post('/oauth/token', more), 'invalid_grant');
    await expectDead(accessToken);
    expect(apps[0].logged.join('')).toContain('code or refresh token reused');
  });

  test('is not used up by a fault of ours, and serves when it is sent again', async () => {
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
      }, 10_000);
      return { answering };
    });
    expectRefused(await answering, 'temporarily_unavailable', 503);
    const again = await refresh(refreshToken);
    expect(again.status).toBe(200);
    expect((await actsWith(again.body.access_token)).status).toBe(200);
  });

  test('leaves nothing behind when it is copied', async () => {
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

  test('is refused to another app, expired, or of no form', async () => {
    const { refreshToken, accessToken } = await app.tokensFrom(browser);
    expectRefused(await refresh(refreshToken, await partnerApp(apps)), 'invalid_grant');
    for (const wrong of ['x', accessToken, '\0', 'é'.repeat(50), refreshToken.slice(1)]) {
      expectRefused(await refresh(wrong), 'invalid_grant');
    }
    expectRefused(await refresh(''), 'invalid_request');
    await onDatabase(sql`update oauth_state set expires_at = now() where model = 'RefreshToken'`);
    expectRefused(await refresh(refreshToken), 'invalid_grant');
  });

  test('is no access token, nor is a code', async () => {
    const { refreshToken } = await app.tokensFrom(browser);
    const { code } = await freshCode();
    await expectDead(refreshToken, code);
  });

  test('gives no more than was allowed', async () => {
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

  test('is refused when its quarter of an hour is over', async () => {
    const { accessToken, refreshToken } = await app.tokensFrom(browser);
    await onDatabase(sql`update oauth_state set expires_at = now() where model = 'AccessToken'`);
    await expectDead(accessToken);
    const next = tokensOf((await refresh(refreshToken)).body);
    expect((await actsWith(next.accessToken)).status).toBe(200);
  });

  test('is refused while its app is disabled, and so is everything else of that', async () => {
    const one = await partnerApp(apps);
    const { accessToken, refreshToken } = await one.tokensFrom(browser);
    const code = await freshCode(one);
    await apps[0].records.oauthApps.change(one.clientId, { isDisabled: true });
    expectProblem(await actsWith(accessToken, one.apiKey), 401, 'unauthenticated');
    expectRefused(await refresh(refreshToken, one), 'invalid_client', 401);
    expectRefused(await redeem(code, one), 'invalid_client', 401);
    const asked = await browser.visit((await one.begin()).url.href);
    expect(asked.status).toBe(400);
    await apps[0].records.oauthApps.change(one.clientId, { isDisabled: false });
    expect((await actsWith(accessToken, one.apiKey)).status).toBe(200);
    expect((await refresh(refreshToken, one)).status).toBe(200);
    await apps[0].records.oauthApps.remove(one.clientId);
    expectProblem(await actsWith(accessToken, one.apiKey), 401, 'unauthenticated');
  });

  test('is refused while its user is disabled, nor are there new ones; and after the user is gone', async () => {
    const user = await userAt(apps, 'gone@harbor.example');
    const { accessToken, refreshToken } = await app.tokensFrom(user.browser);
    const { users } = apps[0].records;
    await users.setDisabled(user.userId, true);
    await expectDead(accessToken);
    expectRefused(await refresh(refreshToken), 'invalid_grant');
    const introspected = await app.post('/oauth/introspect', { token: accessToken });
    expect(introspected.body).toEqual({ active: false });
    await users.setDisabled(user.userId, false);
    expect((await actsWith(accessToken)).status).toBe(200);
    expect((await refresh(refreshToken)).status).toBe(200);
    await users.remove(user.customerId, user.userId);
    await expectDead(accessToken);
  });

  test('acts for a customer alone: imports take no notice, and other calls need their own', async () => {
    const { accessToken } = await app.tokensFrom(browser);
    const asKey = await apps[0].call('GET', '/v2/firstparty/audience', { token: accessToken });
    expectProblem(asKey, 401, 'unauthenticated');
    const admin = await apps[0].call('GET', '/admin/v1/partners', { token: accessToken });
    expectProblem(admin, 401, 'unauthenticated');
  });
});

describe('revocation and introspection', () => {
  test('are for the app itself', async () => {
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

  test.each(['accessToken', 'refreshToken'] as const)('of the %s ends the whole', async (which) => {
    const tokens = await app.tokensFrom(browser);
    expect((await app.post('/oauth/revoke', { token: tokens[which] })).status).toBe(200);
    await expectDead(tokens.accessToken);
    expectRefused(await refresh(tokens.refreshToken), 'invalid_grant');
    const { body } = await app.post('/oauth/introspect', { token: tokens.accessToken });
    expect(body).toEqual({ active: false });
  });

  test('of what is no token say so, or nothing', async () => {
    for (const token of ['x', '\0', '<script>']) {
      expect((await app.post('/oauth/revoke', { token })).status).toBe(200);
      expect((await app.post('/oauth/introspect', { token })).body).toEqual({ active: false });
    }
  });
});
