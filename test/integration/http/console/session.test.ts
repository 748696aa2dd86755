import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../support/app.ts';
import { cookieOf, password, signIn, someUser } from '../../../support/console-session.ts';
import { expectProblem } from '../../../support/http.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ trustProxy: true });
});
afterAll(() => app[Symbol.asyncDispose]());

/** Each test signs in from its own network, because failures are counted by network. */
let network = 0;
beforeEach(() => {
  network += 1;
});

const session = '/v1/console/session';
const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

function trySignIn(json: object, address = `192.0.2.${network}`) {
  return app.call('POST', session, { json, headers: { 'x-forwarded-for': address } });
}

describe('signing in', () => {
  test("a customer's user signs in with e-mail, ignoring case, and password", async () => {
    const { email } = await someUser(app);
    const ada = await signIn(app, { email: email.toUpperCase(), password });
    expect(ada.session).toEqual({
      session_id: expect.any(Number),
      kind: 'customer',
      name: email,
      customer_name: 'Harbor Coffee',
      partner_id: null,
      bucket: null,
      prefix: null,
      csrf_token: expect.stringMatching(/^[\w-]{43}$/),
      created_at: timestamp,
      expires_at: timestamp,
    });
    const { created_at, expires_at } = ada.session;
    expect(Date.parse(expires_at) - Date.parse(created_at)).toBe(12 * 60 * 60 * 1000);
    expect((await ada.call('GET', session)).body).toEqual(ada.session);
  });

  test('a partner signs in with an API key, the operator with the admin token', async () => {
    const { partner, apiKey } = await app.partner('Brightwater');
    const { session: ofPartner } = await signIn(app, { api_key: apiKey });
    expect(ofPartner).toMatchObject({
      kind: 'partner',
      name: 'Brightwater',
      partner_id: partner.partnerId,
      bucket: 'tributary',
      prefix: partner.prefix,
    });
    const { session: ofOperator } = await signIn(app, { admin_token: app.adminToken });
    expect(ofOperator).toMatchObject({ kind: 'operator', name: 'Operator', partner_id: null });
  });

  test('the cookie is hidden from scripts and from other sites', async () => {
    const answer = await trySignIn({ admin_token: app.adminToken });
    const [cookie] = answer.headers.getSetCookie();
    expect(cookie).toMatch(
      /^tributary-session=trib_session_[0-9a-f]{16}_[\w-]{43}; Path=\/; HttpOnly; Priority=High; SameSite=Strict$/,
    );
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  test('a wrong password, an unknown e-mail and a disabled user get the same response', async () => {
    const { email, userId } = await someUser(app);
    const wrong = await trySignIn({ email, password: `${password}!` });
    const unknown = await trySignIn({ email: 'eve@harbor.example', password });
    await app.records.users.setDisabled(userId, true);
    const disabled = await trySignIn({ email, password });
    const details = [wrong, unknown, disabled].map(
      (answer) => expectProblem(answer, 401, 'unauthenticated').detail,
    );
    expect(new Set(details).size).toBe(1);
    expectProblem(await trySignIn({ api_key: 'trib_key_x' }), 401, 'unauthenticated');
    expectProblem(await trySignIn({ admin_token: 'x' }), 401, 'unauthenticated');
  });

  test('accepts exactly one kind of credentials', async () => {
    const bodies = [
      {},
      { email: 'ada@harbor.example' },
      { password },
      { api_key: 'x', admin_token: 'y' },
      { email: 'ada@harbor.example', password, api_key: 'x' },
      { email: 'not an address', password },
      { email: 'a\u0000@b', password },
      { api_key: 'x', more: 1 },
    ];
    for (const json of bodies) expectProblem(await trySignIn(json), 400, 'invalid_input');
  });

  test('is refused from other sites', async () => {
    for (const from of ['cross-site', 'same-site']) {
      const answer = await app.call('POST', session, {
        json: { admin_token: app.adminToken },
        headers: { 'sec-fetch-site': from },
      });
      expectProblem(answer, 403, 'forbidden');
      expect(answer.headers.getSetCookie()).toEqual([]);
    }
  });

  test('creates a new session and ends the session of the cookie that was sent', async () => {
    const { apiKey } = await app.partner();
    const planted = await signIn(app, { api_key: apiKey });
    const answer = await app.call('POST', session, {
      json: { admin_token: app.adminToken },
      headers: { cookie: planted.cookie },
    });
    expect(cookieOf(answer)).not.toBe(planted.cookie);
    expect((await planted.call('GET', session)).status).toBe(204);
    const chosen = `tributary-session=trib_session_${'0'.repeat(16)}_${'A'.repeat(43)}`;
    const fixed = await app.call('POST', session, {
      json: { admin_token: app.adminToken },
      headers: { cookie: chosen },
    });
    expect(cookieOf(fixed)).not.toBe(chosen);
    expect((await app.call('GET', session, { headers: { cookie: chosen } })).status).toBe(204);
  });

  test('stores and logs neither passwords nor session tokens in plain text', async () => {
    const { email } = await someUser(app);
    const { cookie } = await signIn(app, { email, password });
    const { rows } = await sql<{ text: string }>`
      select row_to_json(customer_user)::text as text from customer_user
      union all select row_to_json(console_session)::text from console_session
      union all select row_to_json(sign_in_attempt)::text from sign_in_attempt
    `.execute(app.database.db);
    const kept = rows.map(({ text }) => text).join();
    const secret = cookie.slice(-43);
    expect(kept).toContain(email);
    for (const clear of [password, secret, Buffer.from(secret).toString('hex')]) {
      expect(kept).not.toContain(clear);
      expect(app.logged.join()).not.toContain(clear);
    }
    expect(kept).toContain(createHash('sha256').update(secret).digest('hex'));
  });
});

describe('failed sign-ins', () => {
  test('block one e-mail from one network after five, but not from other networks', async () => {
    const { email } = await someUser(app);
    const right = { email, password };
    const attempts = [];
    for (let i = 1; i <= 5; i += 1) attempts.push(await trySignIn({ ...right, password: 'x' }));
    expect(attempts.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401]);
    const refused = await trySignIn(right);
    expectProblem(refused, 429, 'rate_limited');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(14 * 60);
    expectProblem(await trySignIn({ ...right, email: email.toUpperCase() }), 429, 'rate_limited');
    expect((await trySignIn(right, '198.51.100.1')).status).toBe(201);
    await sql`update sign_in_attempt set tried_at = tried_at - interval '15 minutes'`.execute(
      app.database.db,
    );
    expect((await trySignIn(right)).status).toBe(201);
  });

  test('are reset by a success', async () => {
    const { email } = await someUser(app);
    for (let i = 1; i <= 4; i += 1) await trySignIn({ email, password: 'x' });
    expect((await trySignIn({ email, password })).status).toBe(201);
    for (let i = 1; i <= 5; i += 1) {
      expect((await trySignIn({ email, password: 'x' })).status).toBe(401);
    }
    expect((await trySignIn({ email, password: 'x' })).status).toBe(429);
  });

  test('are limited when made concurrently', async () => {
    const attempts = await Promise.all(
      Array.from({ length: 20 }, () => trySignIn({ admin_token: 'guess' })),
    );
    const statuses = attempts.map(({ status }) => status);
    expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(5);
    expect(statuses.every((status) => status === 401 || status === 429)).toBe(true);
  });

  test('are limited across accounts and across the addresses of one IPv6 network', async () => {
    const statuses = [];
    for (let i = 1; i <= 31; i += 1) {
      const answer = await trySignIn({ api_key: `key ${i}` }, `2001:db8::${i}`);
      statuses.push(answer.status);
    }
    expect(statuses.filter((status) => status === 401)).toHaveLength(30);
    expect(statuses.at(-1)).toBe(429);
    expect((await trySignIn({ api_key: 'another' }, '2001:db8:0:1::1')).status).toBe(401);
  });

  test('do not include five concurrent successes', async () => {
    const { apiKey } = await app.partner();
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => trySignIn({ api_key: apiKey })),
    );
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
  });
});

describe('a session', () => {
  test('needs its CSRF token to change something', async () => {
    const { apiKey } = await app.partner();
    const { cookie, csrfToken, call } = await signIn(app, { api_key: apiKey });
    const json = { name: 'Autos', description: '' };
    const path = '/v1/marketplace/attribute';
    const other = await signIn(app, { api_key: apiKey });
    for (const headers of [
      { cookie },
      { cookie, 'x-csrf-token': '' },
      { cookie, 'x-csrf-token': other.csrfToken },
      { cookie, 'x-csrf-token': `${csrfToken}x` },
    ]) {
      expectProblem(await app.call('POST', path, { json, headers }), 403, 'forbidden');
    }
    expect((await call('POST', path, { json })).status).toBe(201);
    expect((await app.call('GET', path, { headers: { cookie } })).body).toHaveLength(1);
  });

  test('of each kind allows only its own operations', async () => {
    const { email } = await someUser(app);
    const { apiKey } = await app.partner();
    const customer = await signIn(app, { email, password });
    const partner = await signIn(app, { api_key: apiKey });
    const operator = await signIn(app, { admin_token: app.adminToken });
    const statuses: Record<string, number[]> = {};
    for (const path of [
      '/v2/firstparty/audience',
      '/v1/marketplace/import',
      '/admin/v1/partners',
      session,
    ]) {
      const answers = await Promise.all(
        [customer, partner, operator].map((each) => each.call('GET', path)),
      );
      statuses[path] = answers.map(({ status }) => status);
    }
    expect(statuses).toEqual({
      '/v2/firstparty/audience': [200, 200, 403],
      '/v1/marketplace/import': [403, 200, 403],
      '/admin/v1/partners': [403, 403, 200],
      [session]: [200, 200, 200],
    });
  });

  test('keeps responses out of caches', async () => {
    const { apiKey } = await app.partner();
    const partner = await signIn(app, { api_key: apiKey });
    for (const path of ['/v2/firstparty/audience', '/v1/console/sessions', '/v1/console/jobs']) {
      const { headers } = await partner.call('GET', path);
      expect(headers.get('cache-control')).toBe('no-store');
    }
  });

  test('is ignored when a token is sent, valid or not', async () => {
    const operator = await signIn(app, { admin_token: app.adminToken });
    const { apiKey } = await app.partner();
    const path = '/v1/marketplace/import';
    expect((await operator.call('GET', path, { token: apiKey })).status).toBe(200);
    const wrong = await operator.call('GET', '/admin/v1/partners', { token: 'wrong' });
    expectProblem(wrong, 401, 'unauthenticated');
  });

  test('ends on sign-out, which clears its cookie', async () => {
    const operator = await signIn(app, { admin_token: app.adminToken });
    const answer = await operator.call('DELETE', session);
    expect(answer.status).toBe(204);
    expect(answer.headers.getSetCookie()[0]).toMatch(/^tributary-session=; Max-Age=0; .*Path=\//);
    expect((await operator.call('GET', session)).status).toBe(204);
    expectProblem(await operator.call('GET', '/admin/v1/partners'), 401, 'unauthenticated');
  });

  test('ends when its API key, user or admin token becomes invalid, or when it expires', async () => {
    const { partner, apiKey } = await app.partner();
    const { email, userId } = await someUser(app);
    const ofKey = await signIn(app, { api_key: apiKey });
    const ofUser = await signIn(app, { email, password });
    const ofOperator = await signIn(app, { admin_token: app.adminToken });
    const [key] = await app.records.apiKeys.list(partner.partnerId);
    await app.records.apiKeys.revoke(partner.partnerId, key!.apiKeyId);
    expect((await ofKey.call('GET', session)).status).toBe(204);
    await app.records.users.setDisabled(userId, true);
    expect((await ofUser.call('GET', session)).status).toBe(204);
    await app.records.users.setDisabled(userId, false);
    expect((await ofUser.call('GET', session)).status).toBe(200);
    await sql`update console_session set expires_at = now() where user_id is not null`.execute(
      app.database.db,
    );
    expect((await ofUser.call('GET', session)).status).toBe(204);
    await sql`
      update console_session set admin_token_hash = sha256('another') where admin_token_hash is not null
    `.execute(app.database.db);
    expectProblem(await ofOperator.call('GET', '/admin/v1/partners'), 401, 'unauthenticated');
  });
});

describe('a sign-in in progress', () => {
  const browser = { remoteAddress: '192.0.2.1', userAgent: 'a browser' };

  test('fails if the password is changed or the user is disabled before it commits', async () => {
    const { email, userId } = await someUser(app);
    const { users, consoleSessions } = app.records;
    async function authenticated() {
      const by = await users.authenticate(email, password);
      return { kind: 'customer', ...by! } as const;
    }
    const before = await authenticated();
    await users.setPassword(userId, password);
    expect(await consoleSessions.create(before, browser)).toBeUndefined();
    const after = await authenticated();
    await users.setDisabled(userId, true);
    expect(await consoleSessions.create(after, browser)).toBeUndefined();
    await users.setDisabled(userId, false);
    expect(await consoleSessions.create(after, browser)).toMatch(/^trib_session_/);
  });

  test('ends the oldest of fifty sessions', async () => {
    const { apiKey } = await app.partner();
    const first = await signIn(app, { api_key: apiKey });
    const key = await app.records.apiKeys.authenticate(apiKey);
    const by = { kind: 'partner', apiKeyId: key!.apiKeyId } as const;
    for (let i = 2; i <= 50; i += 1) await app.records.consoleSessions.create(by, browser);
    expect((await first.call('GET', session)).status).toBe(200);
    await app.records.consoleSessions.create(by, browser);
    expect((await first.call('GET', session)).status).toBe(204);
  });
});

describe('own sessions', () => {
  const sessions = '/v1/console/sessions';

  test('are listed and ended without affecting those of others', async () => {
    const { email } = await someUser(app);
    const { email: otherEmail } = await someUser(app);
    const [here, there, third] = [
      await signIn(app, { email, password }),
      await signIn(app, { email, password }),
      await signIn(app, { email, password }),
    ];
    const bob = await signIn(app, { email: otherEmail, password });
    const { body: listed } = await here.call('GET', sessions);
    expect(listed[2]).toEqual({
      session_id: here.session.session_id,
      kind: 'customer',
      name: email,
      created_at: timestamp,
      expires_at: timestamp,
      last_used_at: timestamp,
      remote_address: '127.0.0.1',
      user_agent: expect.any(String),
      is_current: true,
    });
    expect(listed.map((each: { is_current: boolean }) => each.is_current)).toEqual([
      false,
      false,
      true,
    ]);
    const one = `${sessions}/${there.session.session_id}`;
    expectProblem(await bob.call('DELETE', one), 404, 'not_found');
    expect((await here.call('DELETE', one)).status).toBe(204);
    expect((await there.call('GET', session)).status).toBe(204);
    expectProblem(await here.call('DELETE', one), 404, 'not_found');
    expect((await here.call('DELETE', sessions)).status).toBe(204);
    expect((await third.call('GET', session)).status).toBe(204);
    expect((await here.call('GET', session)).status).toBe(200);
    expect((await bob.call('GET', session)).status).toBe(200);
  });

  test('end, except the current one, when the user changes the password', async () => {
    const { email } = await someUser(app);
    const [here, there] = [
      await signIn(app, { email, password }),
      await signIn(app, { email, password }),
    ];
    const change = (json: object) => here.call('PUT', '/v1/console/password', { json });
    const next = 'another sentence, as long as the first';
    const wrong = await change({ current_password: 'x', new_password: next });
    expectProblem(wrong, 400, 'invalid_input');
    const short = await change({ current_password: password, new_password: 'short' });
    expectProblem(short, 400, 'invalid_input');
    expect((await change({ current_password: password, new_password: next })).status).toBe(204);
    expect((await here.call('GET', session)).status).toBe(200);
    expect((await there.call('GET', session)).status).toBe(204);
    expect((await trySignIn({ email, password })).status).toBe(401);
    expect((await trySignIn({ email, password: next })).status).toBe(201);
    for (let i = 1; i <= 5; i += 1) {
      await change({ current_password: 'guess', new_password: next });
    }
    const guessed = await change({ current_password: next, new_password: password });
    expectProblem(guessed, 429, 'rate_limited');
  });
});

test('a partner sees its keys, credentials and apps, without secrets and revoked ones', async () => {
  const { partner, apiKey } = await app.partner();
  const { apiKeys, storageCredentials, oauthApps } = app.records;
  const { partnerId } = partner;
  // As many revoked keys as a page has.
  await sql`
    insert into api_key (partner_id, label, lookup, secret_hash, revoked_at)
    select ${partnerId}, '', 'lookup' || n, '', now() from generate_series(1, 1000) as n
  `.execute(app.database.db);
  const second = await apiKeys.create(partnerId, 'nightly');
  const old = await apiKeys.create(partnerId, 'old');
  await apiKeys.revoke(partnerId, old.apiKeyId);
  const { accessKeyId, secretAccessKey } = await storageCredentials.create(partnerId);
  const redirectUris = ['https://app.example/back'];
  await oauthApps.create(partnerId, { name: 'Loader', kind: 'public', redirectUris });
  const { call } = await signIn(app, { api_key: second.apiKey });
  const { status, body, text } = await call('GET', '/v1/console/access');
  expect(status).toBe(200);
  const withoutSecret = (key: string) => key.slice(0, 'trib_key_0123456789abcdef'.length);
  expect(body.api_keys).toMatchObject([
    { prefix: withoutSecret(apiKey), is_current: false },
    { prefix: withoutSecret(second.apiKey), label: 'nightly', is_current: true },
  ]);
  expect(body.storage_credentials).toEqual([
    { accessKeyId, created_at: timestamp, last_used_at: null },
  ]);
  expect(body.apps).toMatchObject([{ name: 'Loader', is_disabled: false }]);
  expect(text).not.toContain(secretAccessKey);
  expect(text).not.toContain(apiKey);
});
