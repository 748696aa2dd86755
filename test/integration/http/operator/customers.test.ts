import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../support/app.ts';
import { expectProblem, pointersOf } from '../../../support/http.ts';

let service: TestApp;
beforeAll(async () => {
  service = await startTestApp();
});
afterAll(() => service[Symbol.asyncDispose]());

const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
function call(method: string, path: string, json?: unknown) {
  return service.call(method, `/admin/v1${path}`, { token: service.adminToken, json });
}

async function partnerAndCustomer() {
  const { body: partner } = await call('POST', '/partners', { name: 'acme' });
  const { body: customer } = await call('POST', '/customers', { name: 'Harbor Coffee' });
  const customer_id: number = customer.customer_id;
  return { tokens: `/partners/${partner.partner_id}/user-tokens`, customer_id };
}

describe('customers', () => {
  test('are created and listed, and need no unique name', async () => {
    const names = ['Café <b>', 'twin', 'twin'];
    const created = [];
    for (const name of names) created.push(await call('POST', '/customers', { name }));
    expect(created.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(created[2]!.body.warnings).toHaveLength(1);
    for (const { body } of created) delete body.warnings;
    expect(created.map(({ body }) => body)).toEqual(
      names.map((name) => ({ customer_id: expect.any(Number), name })),
    );
    const { status, body } = await call('GET', '/customers');
    expect(status).toBe(200);
    expect(body.slice(-3)).toEqual(
      created.map(({ body: customer }) => ({
        ...customer,
        disabled_at: null,
        created_at: timestamp,
      })),
    );
    expect(new Set(body.map((each: { customer_id: number }) => each.customer_id)).size).toBe(
      body.length,
    );
  });

  test('need a valid name and accept nothing else', async () => {
    for (const name of ['', 'a\nb', 'x'.repeat(256), 7, null]) {
      const answer = await call('POST', '/customers', { name });
      const problem = expectProblem(answer, 400, 'invalid_input');
      expect(new Set(pointersOf(problem))).toEqual(new Set(['/name']));
    }
    const more = await call('POST', '/customers', { name: 'x', email: 'x' });
    expect(pointersOf(expectProblem(more, 400, 'invalid_input'))).toEqual(['/email']);
  });
});

describe('user tokens', () => {
  test('are returned once and listed without their secret', async () => {
    const { tokens, customer_id } = await partnerAndCustomer();
    const before = Date.now();
    const hour = await call('POST', tokens, { customer_id, expires_in: 3_600 });
    const forever = await call('POST', tokens, { customer_id });
    expect([hour.status, forever.status]).toEqual([201, 201]);
    const user_token = expect.stringMatching(/^trib_user_[0-9a-f]{16}_[\w-]{43}$/);
    expect(hour.body).toEqual({ user_token, expires_at: timestamp });
    expect(forever.body).toEqual({ user_token, expires_at: null });
    const lasts = Date.parse(hour.body.expires_at) - before;
    expect(Math.abs(lasts - 3_600_000)).toBeLessThan(10_000);

    const listed = await call('GET', tokens);
    const unused = { created_at: timestamp, last_used_at: null, revoked_at: null };
    expect(listed.body).toEqual(
      [hour, forever].map(({ body }) => ({
        user_token_id: expect.any(Number),
        customer_id,
        expires_at: body.expires_at,
        ...unused,
      })),
    );
    expect(listed.text).not.toContain('trib_user_');
  });

  test('are revoked for good, and revoking again changes nothing', async () => {
    const { tokens, customer_id } = await partnerAndCustomer();
    await call('POST', tokens, { customer_id });
    const [{ user_token_id }] = (await call('GET', tokens)).body;
    const first = await call('DELETE', `${tokens}/${user_token_id}`);
    expect([first.status, first.text]).toEqual([204, '']);
    const [{ revoked_at }] = (await call('GET', tokens)).body;
    expect(revoked_at).toEqual(timestamp);
    expect((await call('DELETE', `${tokens}/${user_token_id}`)).status).toBe(204);
    expect((await call('GET', tokens)).body[0].revoked_at).toBe(revoked_at);
  });

  test('need an existing customer and a lifetime from one second to ten years', async () => {
    const { tokens, customer_id } = await partnerAndCustomer();
    const tenYears = 315_360_000;
    for (const expires_in of [1, tenYears]) {
      expect((await call('POST', tokens, { customer_id, expires_in })).status).toBe(201);
    }
    const refused = [
      [{}, '/customer_id'],
      [{ customer_id: customer_id + 1_000 }, '/customer_id'],
      [{ customer_id: Number.MAX_SAFE_INTEGER }, '/customer_id'],
      [{ customer_id: String(customer_id) }, '/customer_id'],
      [{ customer_id: 0 }, '/customer_id'],
      [{ customer_id: null }, '/customer_id'],
      [{ customer_id, expires_in: 0 }, '/expires_in'],
      [{ customer_id, expires_in: -5 }, '/expires_in'],
      [{ customer_id, expires_in: 1.5 }, '/expires_in'],
      [{ customer_id, expires_in: tenYears + 1 }, '/expires_in'],
      [{ customer_id, expires_in: '60' }, '/expires_in'],
      [{ customer_id, expires_in: null }, '/expires_in'],
      [{ customer_id, label: 'x' }, '/label'],
    ] as const;
    for (const [json, pointer] of refused) {
      const problem = expectProblem(await call('POST', tokens, json), 400, 'invalid_input');
      expect(new Set(pointersOf(problem))).toEqual(new Set([pointer]));
    }
    expect((await call('GET', tokens)).body).toHaveLength(2);
  });

  test('of an unknown or another partner are not found', async () => {
    const [mine, theirs] = [await partnerAndCustomer(), await partnerAndCustomer()];
    const json = { customer_id: mine.customer_id };
    await call('POST', theirs.tokens, json);
    const [foreign] = (await call('GET', theirs.tokens)).body;
    for (const id of [foreign.user_token_id, 9007199254740991n, '0', 'abc']) {
      const answer = await call('DELETE', `${mine.tokens}/${id}`);
      const { detail } = expectProblem(answer, 404, 'not_found');
      expect(detail).toBe('No such user token.');
    }
    expect((await call('GET', theirs.tokens)).body[0].revoked_at).toBeNull();
    for (const id of ['9007199254740991', 'abc', '-1']) {
      const tokens = `/partners/${id}/user-tokens`;
      for (const answer of [await call('GET', tokens), await call('POST', tokens, json)]) {
        expect(expectProblem(answer, 404, 'not_found').detail).toBe('No such partner.');
      }
    }
  });

  test('are stored only as hashes and never logged', async () => {
    const { tokens, customer_id } = await partnerAndCustomer();
    const { body } = await call('POST', tokens, { customer_id });
    const secret = body.user_token.slice(-43);
    const rows = await service.database.db.selectFrom('user_token').selectAll().execute();
    const stored = JSON.stringify(
      rows.map((row) => ({ ...row, secret_hash: row.secret_hash.toString('latin1') })),
    );
    expect(stored).toContain(body.user_token.slice('trib_user_'.length, -44));
    expect(stored).not.toContain(secret);
    expect(service.logged.join('')).not.toContain(secret);
  });
});
