import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Mail } from '../../../../src/http/console/link-mail.ts';
import { startTestApp, type TestApp } from '../../../support/app.ts';
import { password, signIn, someUser } from '../../../support/console-session.ts';
import { expectProblem, pointersOf } from '../../../support/http.ts';

let app: TestApp;
const mails: Mail[] = [];
beforeAll(async () => {
  app = await startTestApp({
    brand: { name: 'Northwind', logo: null },
    trustProxy: true,
    sendMail: async (mail) => {
      if (mail.to.startsWith('refused')) throw new Error('550 no such mailbox');
      mails.push(mail);
    },
  });
});
afterAll(() => app[Symbol.asyncDispose]());

const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

function call(method: string, path: string, json?: unknown) {
  return app.call(method, `/admin/v1${path}`, { token: app.adminToken, json });
}

async function usersOfSomeCustomer(): Promise<string> {
  const { customerId } = await app.records.customers.create('Harbor Coffee');
  return `/customers/${customerId}/users`;
}

describe('users of a customer', () => {
  test('are created and listed, and can sign in', async () => {
    const users = await usersOfSomeCustomer();
    const created = await call('POST', users, { email: 'Grace@harbor.example', password });
    expect(created.status).toBe(201);
    expect(created.body).toEqual({ user_id: expect.any(Number), email: 'Grace@harbor.example' });
    const before = await call('GET', users);
    expect(before.body).toEqual([
      { ...created.body, is_disabled: false, created_at: timestamp, last_sign_in_at: null },
    ]);
    await signIn(app, { email: 'grace@harbor.example', password });
    const { body } = await call('GET', users);
    expect(body[0].last_sign_in_at).toEqual(timestamp);
    expect(JSON.stringify(body)).not.toContain('argon2');
  });

  test('need a unique e-mail and a long password', async () => {
    const users = await usersOfSomeCustomer();
    await call('POST', users, { email: 'twin@harbor.example', password });
    const others = await usersOfSomeCustomer();
    for (const path of [users, others]) {
      const again = await call('POST', path, { email: 'TWIN@harbor.example', password });
      expectProblem(again, 409, 'email_taken');
    }
    await call('POST', users, { email: 'ü@harbor.example', password });
    for (const same of ['Ü@harbor.example', 'u\u0308@harbor.example']) {
      const again = await call('POST', users, { email: same, password });
      expectProblem(again, 409, 'email_taken');
    }
    for (const email of ['', 'nobody', 'a b@c', 'a@b\u0000', `${'x'.repeat(251)}@b.c`, 7]) {
      const answer = await call('POST', users, { email, password });
      const pointers = pointersOf(expectProblem(answer, 400, 'invalid_input'));
      expect(new Set(pointers)).toEqual(new Set(['/email']));
    }
    for (const short of ['', 'eleven char', 'x'.repeat(257), '\ud800'.repeat(12)]) {
      const answer = await call('POST', users, { email: 'x@y.example', password: short });
      expect(pointersOf(expectProblem(answer, 400, 'invalid_input'))).toEqual(['/password']);
    }
    expectProblem(
      await call('POST', '/customers/999999/users', { email: 'x@y.example', password }),
      404,
      'not_found',
    );
  });

  test('are signed out when they are changed or removed', async () => {
    const { customerId, userId, email } = await someUser(app, 'lin@harbor.example');
    const user = `/customers/${customerId}/users/${userId}`;
    const tries = async () => (await app.call('POST', '/v1/console/session', { json })).status;
    let json = { email, password };

    const first = await signIn(app, json);
    expect((await call('PATCH', user, { disabled: true })).status).toBe(204);
    expect((await first.call('GET', '/v1/console/session')).status).toBe(204);
    expect(await tries()).toBe(401);
    expect((await call('PATCH', user, { disabled: false })).status).toBe(204);
    expect((await first.call('GET', '/v1/console/session')).status).toBe(204);

    const second = await signIn(app, json);
    const next = 'what the operator set instead';
    expect((await call('PATCH', user, { password: next })).status).toBe(204);
    expect((await second.call('GET', '/v1/console/session')).status).toBe(204);
    expect(await tries()).toBe(401);
    json = { email, password: next };

    const third = await signIn(app, json);
    expect((await call('DELETE', user)).status).toBe(204);
    expect((await third.call('GET', '/v1/console/session')).status).toBe(204);
    expect(await tries()).toBe(401);
    expectProblem(await call('DELETE', user), 404, 'not_found');
    expectProblem(await call('PATCH', user, { disabled: true }), 404, 'not_found');
  });

  test('are changed only through their own customer, and by at least one field', async () => {
    const { customerId, userId } = await someUser(app, 'kay@harbor.example');
    const { customerId: other } = await app.records.customers.create('Another');
    expectProblem(
      await call('PATCH', `/customers/${customerId}/users/${userId}`, {}),
      400,
      'invalid_input',
    );
    for (const method of ['PATCH', 'DELETE']) {
      const json = method === 'PATCH' ? { disabled: true } : undefined;
      const answer = await call(method, `/customers/${other}/users/${userId}`, json);
      expectProblem(answer, 404, 'not_found');
    }
  });
});

describe('links to choose a password', () => {
  const links = '/v1/console/password-links';
  let network = 0;
  /** From a network of its own, because requests are limited by network. */
  function ask(
    action: string,
    json: object,
    headers = { 'x-forwarded-for': `192.0.2.${network}` },
  ) {
    return app.call('POST', `${links}/${action}`, { json, headers });
  }
  beforeEach(() => {
    network += 1;
    mails.length = 0;
  });

  function tokenIn(text: string | null | undefined): string {
    return /http:\/\/localhost:8080\/console\/password#(trib_link_\S+)/.exec(text ?? '')?.[1] ?? '';
  }

  test('are sent to new users, work once, and end all sessions', async () => {
    const users = await usersOfSomeCustomer();
    const { body: user } = await call('POST', users, { email: 'mary@harbor.example' });
    const path = `${users}/${user.user_id}/password-link`;
    const invited = await call('POST', path);
    expect(invited.body).toEqual({
      purpose: 'invitation',
      expires_at: timestamp,
      mailed_to: 'mary@harbor.example',
      url: null,
      mail_problem: null,
    });
    await call('POST', path);
    const [first, second] = mails.map(({ text }) => tokenIn(text));
    expect(mails[1]).toMatchObject({ to: user.email, subject: 'Your account at Northwind' });
    expect((await ask('check', { token: first })).status).toBe(200);
    const checked = await ask('check', { token: second });
    expect(checked.body).toEqual({ email: user.email, expires_at: timestamp });
    const days = (Date.parse(checked.body.expires_at) - Date.now()) / 86_400_000;
    expect(days).toBeCloseTo(7, 1);

    const use = (new_password: string) => ask('use', { token: second, new_password });
    expectProblem(await use('too short'), 400, 'invalid_input');
    const [one, other] = await Promise.all([use(password), use(`${password}!`)]);
    expect([one.status, other.status].sort()).toEqual([204, 404]);
    expectProblem(await ask('check', { token: first }), 404, 'not_found');
    const chosen = one.status === 204 ? password : `${password}!`;
    const mary = await signIn(app, { email: user.email, password: chosen });

    const { body: reset } = await call('POST', path);
    expect(reset).toMatchObject({ purpose: 'reset', url: null });
    const token = tokenIn(mails.at(-1)?.text);
    expect((await ask('use', { token, new_password: 'another long sentence' })).status).toBe(204);
    expect((await mary.call('GET', '/v1/console/session')).status).toBe(204);
    await signIn(app, { email: user.email, password: 'another long sentence' });

    const { body: audit } = await call('GET', '/audit');
    expect(audit).toContainEqual(
      expect.objectContaining({
        action: `POST ${links}/use`,
        actor: 'user',
        after: { email: user.email, has_new_password: true },
      }),
    );
    const tokens = [first, second, token];
    const texts = [app.logged.join(), JSON.stringify(audit)];
    expect(
      tokens.filter((each) => each === '' || texts.some((text) => text.includes(each!))),
    ).toEqual([]);
  });

  test('are shown to the operator if no e-mail can be sent', async () => {
    const users = await usersOfSomeCustomer();
    const { body: user } = await call('POST', users, { email: 'refused@harbor.example' });
    const path = `${users}/${user.user_id}/password-link`;
    const refused = await call('POST', path);
    expect(refused.body).toMatchObject({ mailed_to: null, mail_problem: '550 no such mailbox' });
    expect((await ask('check', { token: tokenIn(refused.body.url) })).status).toBe(200);
    await using quiet = await startTestApp({ database: app.database });
    const shown = await quiet.call('POST', `/admin/v1${path}`, { token: quiet.adminToken });
    expect(shown.body).toMatchObject({ mailed_to: null, mail_problem: null });
    expect((await ask('check', { token: tokenIn(shown.body.url) })).status).toBe(200);
    const asked = await quiet.call('POST', `${links}/request`, { json: { email: user.email } });
    expectProblem(asked, 403, 'forbidden');
  });

  test('are sent on request, without showing who has an account, and not too often', async () => {
    const { email, userId } = await someUser(app);
    const known = await ask('request', { email: email.toUpperCase() });
    const unknown = await ask('request', { email: 'nobody@harbor.example' });
    expect([known.status, known.text]).toEqual([unknown.status, unknown.text]);
    expect(known.status).toBe(202);
    await expect.poll(() => mails.map(({ to }) => to)).toEqual([email]);
    const token = tokenIn(mails[0]?.text);
    expect((await ask('check', { token })).status).toBe(200);

    await app.records.users.setDisabled(userId, true);
    expectProblem(await ask('check', { token }), 404, 'not_found');
    expectProblem(await ask('use', { token, new_password: password }), 404, 'not_found');
    await app.records.users.setDisabled(userId, false);
    const { body: audit } = await call('GET', '/audit');
    const action = `POST ${links}/request`;
    expect(audit.filter((entry: { action: string }) => entry.action === action)).toMatchObject([
      { actor: 'user', status: 202, after: { email, has_new_link: true } },
    ]);

    for (const name of [email, 'nobody@harbor.example']) {
      for (let more = 0; more < 2; more++) await ask('request', { email: name });
      const refused = await ask('request', { email: name });
      expectProblem(refused, 429, 'rate_limited');
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(800);
    }
    for (let more = 0; more < 4; more++) await ask('request', { email: `x${more}@y.example` });
    expectProblem(await ask('request', { email: 'z@y.example' }), 429, 'rate_limited');
    expectProblem(
      await app.call('POST', `${links}/request`, {
        json: { email },
        headers: { 'sec-fetch-site': 'cross-site' },
      }),
      403,
      'forbidden',
    );
  });

  test('on request last 24 hours, end no other link, and are limited by user', async () => {
    const { email, userId } = await someUser(app);
    const { passwordLinks } = app.records;
    const { token: invitation } = await passwordLinks.create(userId, 'invitation');
    const sent = () => mails.filter(({ to }) => to === email);
    for (let count = 0; count < 5; count++) {
      const headers = { 'x-forwarded-for': `198.51.100.${count}` };
      expect((await ask('request', { email }, headers)).status).toBe(202);
      await expect.poll(() => sent().length).toBe(Math.min(count + 1, 4));
    }
    expect(await passwordLinks.request(userId)).toBeUndefined();
    expect(await passwordLinks.find(invitation)).toMatchObject({ userId });
    const { body } = await ask('check', { token: tokenIn(sent()[0]?.text) });
    expect((Date.parse(body.expires_at) - Date.now()) / 3_600_000).toBeCloseTo(24, 1);
    await passwordLinks.create(userId, 'invitation');
    expect(await passwordLinks.find(invitation)).toBeUndefined();
  });

  test('on request do not stay if no e-mail was sent', async () => {
    const { email, userId } = await someUser(app, 'refused-reset@harbor.example');
    await ask('request', { email });
    await expect.poll(() => app.logged.join()).toContain(`"user_id":${userId}`);
    const left = sql`select from password_link where user_id = ${userId}`;
    await expect.poll(async () => (await left.execute(app.database.db)).rows).toEqual([]);
  });

  test('end when they expire, when the password is set in another way, and with access', async () => {
    const { customerId, userId, email } = await someUser(app);
    const user = `/customers/${customerId}/users/${userId}`;
    const { passwordLinks } = app.records;
    const { token: expired } = await passwordLinks.create(userId, 'reset');
    await sql`update password_link set expires_at = now() where user_id = ${userId}`.execute(
      app.database.db,
    );
    expect(await passwordLinks.find(expired)).toBeUndefined();
    expect(await passwordLinks.prune()).toBe(1);
    const { token } = await passwordLinks.create(userId, 'reset');
    expect(await passwordLinks.find(`${token.slice(0, -1)}_`)).toBeUndefined();
    await call('PATCH', user, { password });
    expect(await passwordLinks.find(token)).toBeUndefined();

    const { token: own } = await passwordLinks.create(userId, 'reset');
    const json = { current_password: password, new_password: 'my own long sentence' };
    const { call: callAs } = await signIn(app, { email, password });
    expect((await callAs('PUT', '/v1/console/password', { json })).status).toBe(204);
    expect(await passwordLinks.find(own)).toBeUndefined();

    const { token: stale } = await passwordLinks.create(userId, 'reset');
    for (const disabled of [true, false]) await call('PATCH', user, { disabled });
    expect(await passwordLinks.find(stale)).toBeUndefined();
  });
});

describe('sessions', () => {
  test('are listed and ended by the operator, with the token or from the console', async () => {
    const { email } = await someUser(app, 'joan@harbor.example');
    const joan = await signIn(app, { email, password });
    const operator = await signIn(app, { admin_token: app.adminToken });
    const { body } = await operator.call('GET', '/admin/v1/sessions');
    expect(body.slice(0, 2)).toMatchObject([
      { kind: 'operator', name: 'Operator', is_current: true },
      { kind: 'customer', name: email, is_current: false },
    ]);
    const path = `/sessions/${joan.session.session_id}`;
    expect((await call('DELETE', path)).status).toBe(204);
    expect((await joan.call('GET', '/v1/console/session')).status).toBe(204);
    expectProblem(await call('DELETE', path), 404, 'not_found');
  });

  test('of the operator record their calls in the audit', async () => {
    const operator = await signIn(app, { admin_token: app.adminToken });
    await operator.call('POST', '/admin/v1/customers', { json: { name: 'Audited' } });
    // The status is written after the response is sent.
    await expect
      .poll(async () => (await call('GET', '/audit')).body)
      .toContainEqual(expect.objectContaining({ action: 'POST /admin/v1/customers', status: 201 }));
  });
});
