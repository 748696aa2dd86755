import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import { expectProblem } from '../expectations.ts';
import { type Marketplace, rows } from '../marketplace/marketplace.ts';
import { test } from '../marketplace/shared-marketplace.ts';
import { audiencePath, ingestOf, operatorOf, timestamp } from './ingest.ts';

let marketplace: Marketplace;
let operator: ReturnType<typeof operatorOf>;
test.beforeAll(({ shared }) => {
  marketplace = shared;
  operator = operatorOf(marketplace);
});

/** A partner, with its own view and those on behalf of two customers. */
async function started() {
  const partner = await marketplace.partner();
  const tokens: string[] = [];
  for (const name of ['one', 'two']) {
    tokens.push(await operator.userToken(partner, await operator.customer(name)));
  }
  const [one = '', two = ''] = tokens;
  return { partner, one, two, ofPartner: ingestOf(partner), ofOne: ingestOf(partner, one) };
}

describe('x-user-token', { concurrent: true }, () => {
  test('is optional: without it the partner sees all its audiences', async () => {
    const { partner, ofPartner, ofOne, two } = await started();
    const ids = [
      await ofPartner.create('a'),
      await ofOne.create('a'),
      await ingestOf(partner, two).create('a'),
    ];
    expect((await ofPartner.list()).map(({ audience_id }) => audience_id)).toEqual(ids);
    for (const id of ids) expect((await ofPartner.details(id)).audience_id).toBe(id);
  });

  test('makes an audience belong to its customer and hides all others', async () => {
    const { partner, ofPartner, ofOne, one, two } = await started();
    await partner.upload('devices.csv', rows(1, 3, 'k'));
    const ofNobody = await ofPartner.loaded('devices.csv');
    const own = await ofOne.loaded('devices.csv');
    expect((await ofOne.list()).map(({ audience_id }) => audience_id)).toEqual([own.audience_id]);
    expect(await ingestOf(partner, two).list()).toEqual([]);
    const hidden: [string, number][] = [
      [one, ofNobody.audience_id],
      [two, ofNobody.audience_id],
      [two, own.audience_id],
    ];
    const words = new Set<string>();
    for (const [token, id] of hidden) {
      const headers = { 'x-user-token': token };
      for (const [method, below] of [
        ['GET', ''],
        ['PUT', ''],
        ['PATCH', ''],
        ['GET', '/composition'],
        ['GET', '/errors'],
        ['GET', '/rejects'],
        ['GET', '/progress'],
      ] as const) {
        const json = method === 'PATCH' ? { json: { file_path: 'devices.csv' } } : {};
        const address = `${audiencePath}/${id}${below}`;
        const answer = await partner.call(method, address, { headers, ...json });
        expectProblem(answer, 404, 'not_found');
        words.add(answer.body.detail);
      }
    }
    const unknown = await partner.call('GET', `${audiencePath}/999999999`);
    expect([...words]).toEqual([unknown.body.detail]);
    expect(await ofPartner.details(own.audience_id)).toEqual(own);
    expect(await ofPartner.details(ofNobody.audience_id)).toEqual(ofNobody);
  });

  test('allows its customer to read, append to and clear its own audiences', async () => {
    const { partner, ofOne } = await started();
    await partner.upload('more.csv', rows(3, 9, 'k'));
    const { audience_id } = await ofOne.loadedFile(rows(1, 3, 'k'));
    expect(await ofOne.appended(audience_id, 'more.csv')).toMatchObject({ unique_devices: 9 });
    expect(await ofOne.labels(audience_id)).toEqual({ k: 9 });
    await ofOne.clear(audience_id);
    expect(await ofOne.details(audience_id)).toMatchObject({ unique_devices: 0, status: 2 });
  });

  test('can exist several times for one customer, with the same access', async () => {
    const partner = await marketplace.partner();
    const customer = await operator.customer();
    const [one, two] = [
      await operator.userToken(partner, customer),
      await operator.userToken(partner, customer),
    ];
    const id = await ingestOf(partner, one).create('a');
    expect((await ingestOf(partner, two).details(id)).audience_id).toBe(id);
  });

  test("is refused with 401 if it is empty, unknown, altered, another partner's, expired or revoked", async () => {
    const { partner, one } = await started();
    const customer = await operator.customer();
    const elsewhere = await operator.userToken(await marketplace.partner(), customer);
    const expiring = await operator.userToken(partner, customer, { expires_in: 1 });
    const revoked = await operator.userToken(partner, customer);
    const collection = `/admin/v1/partners/${partner.partnerId}/user-tokens`;
    const listed = (await (await operator.call('GET', collection)).json()) as {
      user_token_id: number;
    }[];
    const latest = Math.max(...listed.map(({ user_token_id }) => user_token_id));
    await ingestOf(partner, revoked).list();
    expect((await operator.call('DELETE', `${collection}/${latest}`)).status).toBe(204);
    await sleep(1_100);
    const altered = one.slice(0, -1) + (one.endsWith('0') ? '1' : '0');
    for (const token of ['', 'whatever', altered, elsewhere, expiring, revoked]) {
      for (const method of ['GET', 'POST']) {
        const headers = { 'x-user-token': token };
        const answer = await partner.call(method, audiencePath, { headers });
        expectProblem(answer, 401, 'unauthenticated');
        expect(answer.headers.get('www-authenticate')).toBe('Bearer');
      }
    }
    expect(await ingestOf(partner).list()).toEqual([]);
  });

  test('is ignored by the marketplace API', async () => {
    const partner = await marketplace.partner();
    const headers = { 'x-user-token': 'whatever' };
    expect((await partner.call('GET', '/v1/marketplace/import', { headers })).status).toBe(200);
  });

  test('scopes an Idempotency-Key', async () => {
    const { partner, one, two } = await started();
    const json = { name: 'visitors', file_path: 'a' };
    const created = async (token: string) => {
      const headers = { 'x-user-token': token, 'idempotency-key': 'the same' };
      return (await partner.call('POST', audiencePath, { json, headers })).body.audience_id;
    };
    expect(await created(one)).toBe(await created(one));
    expect(await created(two)).not.toBe(await created(one));
  });
});

describe('an id', { concurrent: true }, () => {
  test('that is unknown, malformed or of another partner gives the same 404', async () => {
    const acme = await marketplace.partner();
    const { audience_id } = await ingestOf(acme).loadedFile(rows(1, 3, ''));
    const { call } = await marketplace.partner();
    const requests = [
      ['GET', ''],
      ['PATCH', ''],
      ['PUT', ''],
      ['GET', '/composition'],
      ['GET', '/errors'],
      ['GET', '/rejects'],
      ['GET', '/progress'],
    ] as const;
    const words = new Set<string>();
    for (const id of [audience_id, 999_999_999, 0, -1, '01', 'x', '1.5', '9'.repeat(30)]) {
      for (const [method, below] of requests) {
        const options = method === 'PATCH' ? { json: { file_path: 'a' } } : {};
        const answer = await call(method, `${audiencePath}/${id}${below}`, options);
        const found = [id, method, below, answer.status, answer.body?.code];
        expect(found).toEqual([id, method, below, 404, 'not_found']);
        words.add(answer.body.detail);
      }
    }
    expect(words.size).toBe(1);
    expect(await ingestOf(acme).details(audience_id)).toMatchObject({ unique_devices: 3 });
  });

  test('cannot be deleted: 405 with Allow', async () => {
    const { call } = await marketplace.partner();
    const one = await call('DELETE', `${audiencePath}/1`);
    expectProblem(one, 405, 'method_not_allowed');
    expect(one.headers.get('allow')?.split(', ').sort()).toEqual([
      'GET',
      'HEAD',
      'OPTIONS',
      'PATCH',
      'PUT',
    ]);
    const all = await call('PUT', audiencePath);
    expect(all.headers.get('allow')?.split(', ').sort()).toEqual([
      'GET',
      'HEAD',
      'OPTIONS',
      'POST',
    ]);
  });
});

describe('the API key', { concurrent: true }, () => {
  test.each([
    ['missing', ''],
    ['unknown', 'Bearer trib_key_0000'],
    ['in another scheme', 'Basic YWNtZTphY21l'],
  ])('%s gives 401 with WWW-Authenticate: Bearer, on every operation', async (_, authorization) => {
    const { call } = await marketplace.partner();
    for (const version of ['/v1', '/v2']) {
      const path = `${version}/firstparty/audience`;
      for (const [method, address] of [
        ['GET', path],
        ['POST', path],
        ['GET', `${path}/1`],
        ['PATCH', `${path}/1`],
        ['PUT', `${path}/1`],
        ['GET', `${path}/1/composition`],
        ['GET', `${path}/1/errors`],
        ['GET', `${path}/1/rejects`],
        ['GET', `${path}/1/progress`],
      ] as const) {
        const answer = await call(method, address, { headers: { authorization } });
        expectProblem(answer, 401, 'unauthenticated');
        expect(answer.headers.get('www-authenticate')).toBe('Bearer');
      }
    }
  });
});

describe('the operator', { concurrent: true }, () => {
  test('creates customers and user tokens, and lists them without secrets', async () => {
    const partner = await marketplace.partner();
    const made = await operator.call('POST', '/admin/v1/customers', { name: 'Shop' });
    expect(made.status).toBe(201);
    const customer = (await made.json()) as { customer_id: number };
    expect(customer).toEqual({ customer_id: expect.any(Number), name: 'Shop' });
    const all = (await (await operator.call('GET', '/admin/v1/customers')).json()) as unknown[];
    expect(all).toContainEqual(expect.objectContaining(customer));

    const collection = `/admin/v1/partners/${partner.partnerId}/user-tokens`;
    const { customer_id } = customer;
    const forever = await operator.call('POST', collection, { customer_id });
    expect(forever.status).toBe(201);
    const token = (await forever.json()) as { user_token: string };
    expect(token).toEqual({ user_token: expect.stringMatching(/.{20}/), expires_at: null });
    const limited = await operator.call('POST', collection, { customer_id, expires_in: 3600 });
    const { expires_at } = (await limited.json()) as { expires_at: string };
    expect(expires_at).toMatch(timestamp);
    expect(Math.abs(Date.parse(expires_at) - Date.now() - 3_600_000)).toBeLessThan(60_000);
    const listed = await (await operator.call('GET', collection)).text();
    expect(JSON.parse(listed)).toHaveLength(2);
    expect(listed).not.toContain(token.user_token);
    expect(listed).not.toContain(token.user_token.slice(-20));
  });

  test('gets 400 for an unknown customer or an invalid expires_in', async () => {
    const partner = await marketplace.partner();
    const customer_id = await operator.customer();
    const collection = `/admin/v1/partners/${partner.partnerId}/user-tokens`;
    for (const json of [
      {},
      { customer_id: 999_999_999 },
      { customer_id: String(customer_id) },
      { customer_id, expires_in: 0 },
      { customer_id, expires_in: -5 },
      { customer_id, expires_in: 1.5 },
      { customer_id, expires_in: '60' },
      { customer_id, expires: 60 },
    ]) {
      expect([json, (await operator.call('POST', collection, json)).status]).toEqual([json, 400]);
    }
    const nobody = await operator.call('POST', '/admin/v1/partners/999999999/user-tokens', {
      customer_id,
    });
    expect(nobody.status).toBe(404);
    for (const json of [{}, { name: '' }, { name: 7 }, { name: 'a\nb' }]) {
      const answer = await operator.call('POST', '/admin/v1/customers', json);
      expect([json, answer.status]).toEqual([json, 400]);
    }
  });
});
