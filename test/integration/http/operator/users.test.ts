import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../support/app.ts';
import { password, signIn, someUser } from '../../../support/console-session.ts';
import { expectProblem, pointersOf } from '../../../support/http.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
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
    const { body } = await call('GET', '/audit');
    expect(body).toContainEqual(
      expect.objectContaining({ action: 'POST /admin/v1/customers', status: 201 }),
    );
  });
});
