import { sql } from 'kysely';
import * as client from 'openid-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pruneExpired } from '../../../../src/jobs/worker/prune-expired.ts';
import { startTestApp, type TestApp } from '../../../support/app.ts';
import { allowIn, arriveIn, partnerApp, tokensOf, userAt } from '../../../support/oauth.ts';

let service: TestApp;
beforeAll(async () => {
  service = await startTestApp();
});
afterAll(() => service[Symbol.asyncDispose]());

/** Every row of every table as text, with bytes in hex. */
async function everythingKept(): Promise<string> {
  const { db, schema } = service.database;
  const { rows: tables } = await sql<{ name: string }>`
    select tablename as name from pg_tables where schemaname = ${schema}
  `.execute(db);
  expect(tables.length).toBeGreaterThan(20);
  const parts = [];
  for (const { name } of tables) {
    const { rows } = await sql<{ text: string }>`
      select row_to_json(t)::text as text from ${sql.table(name)} t
    `.execute(db);
    parts.push(...rows.map(({ text }) => text));
  }
  return parts.join('\n');
}

/** The secret as it is and in other encodings. */
function spellings(secret: string): string[] {
  const bytes = Buffer.from(secret);
  // Base64 depends on the offset within three bytes; the middle part is the same.
  const shifted = [0, 1, 2].map((offset) =>
    Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .slice(4, -4),
  );
  return [
    secret,
    encodeURIComponent(secret),
    bytes.toString('hex'),
    Buffer.from(secret, 'base64url').toString('hex'),
    ...shifted,
    ...shifted.map((text) => Buffer.from(text).toString('hex')),
  ];
}

test('no token, code, verifier, secret or key is in any table or in the log', async () => {
  const app = await partnerApp([service]);
  const { browser } = await userAt([service]);
  service.logged.length = 0;

  const { url, checks } = await app.begin();
  const callback = await allowIn(browser, url);
  const first = tokensOf(await client.authorizationCodeGrant(app.config, callback, checks));
  const second = tokensOf(await client.refreshTokenGrant(app.config, first.refreshToken));
  const waiting = await arriveIn(browser, (await app.begin()).url);
  const unredeemed = await allowIn(browser, (await app.begin()).url);
  await service.call('GET', '/v2/firstparty/audience', {
    token: app.apiKey,
    headers: { 'x-user-token': second.accessToken },
  });
  // Refusals are logged.
  const other = await partnerApp([service]);
  await other.post('/oauth/token', {
    grant_type: 'refresh_token',
    refresh_token: second.refreshToken,
  });
  await other.post('/oauth/revoke', { token: second.accessToken });
  await other.post('/oauth/introspect', { token: second.accessToken });
  await app.post('/oauth/token', {
    grant_type: 'authorization_code',
    code: unredeemed.searchParams.get('code')!,
    code_verifier: checks.pkceCodeVerifier,
    redirect_uri: 'https://app.acme.example/callback',
  });
  // Database errors are logged.
  await sql`alter table oauth_state add constraint broken check (model <> 'AccessToken') not valid`.execute(
    service.database.db,
  );
  const broken = await app.post('/oauth/token', {
    grant_type: 'refresh_token',
    refresh_token: second.refreshToken,
  });
  expect([broken.status, broken.body.error]).toEqual([500, 'server_error']);

  const [key] = await service.records.oauthKeys.current();
  const secrets = {
    'client secret': app.clientSecret!,
    code: callback.searchParams.get('code')!,
    'unredeemed code': unredeemed.searchParams.get('code')!,
    verifier: checks.pkceCodeVerifier,
    'access token': first.accessToken,
    'refresh token': first.refreshToken,
    'next access token': second.accessToken,
    'next refresh token': second.refreshToken,
    'private key': key!.privateKey.d!,
    'cookie key': key!.cookieKey,
    'browser mark': browser.cookies.find(({ name }) => name === 'tributary-browser')!.value,
  };
  const kept = await everythingKept();
  const logged = service.logged.join('');
  expect(kept).toContain(app.clientId);
  expect(logged).toContain('app refused');
  expect(logged).toContain('request failed');
  for (const [what, secret] of Object.entries(secrets)) {
    expect(secret.length).toBeGreaterThanOrEqual(40);
    for (const spelling of spellings(secret)) {
      expect(`${what}: ${kept.includes(spelling)}`).toBe(`${what}: false`);
      expect(`${what}: ${logged.includes(spelling)}`).toBe(`${what}: false`);
    }
  }
  expect(kept).not.toContain(waiting);
});

test('expired state is deleted, and valid state is kept', async () => {
  const { db } = service.database;
  await sql`alter table oauth_state drop constraint broken`.execute(db);
  const app = await partnerApp([service]);
  const { browser } = await userAt([service], 'bob@harbor.example');
  await sql`update oauth_state set expires_at = now()`.execute(db);
  await sql`update oauth_grant set expires_at = now()`.execute(db);
  const { accessToken } = await app.tokensFrom(browser);
  await service.records.oauthKeys.rotate();
  await sql`update oauth_key set retired_at = now() - interval '66 minutes' where retired_at is not null`.execute(
    db,
  );
  const outcome = await pruneExpired(service.records).run(new AbortController().signal);
  expect(outcome).toMatchObject({ oauthGrants: expect.any(Number), oauthKeys: 1 });
  expect(outcome?.oauthState).toBeGreaterThan(0);
  const { rows } = await sql<{ left: number }>`select count(*) as left from oauth_state`.execute(
    db,
  );
  // The code, access token and refresh token of the one valid grant.
  expect(rows[0]!.left).toBe(3);
  const answer = await service.call('GET', '/v2/firstparty/audience', {
    token: app.apiKey,
    headers: { 'x-user-token': accessToken },
  });
  expect(answer.status).toBe(200);
});
