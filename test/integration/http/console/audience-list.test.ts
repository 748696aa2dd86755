import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../support/app.ts';
import { password, type SignedIn, signIn, someUser } from '../../../support/console-session.ts';
import { freshRecords } from '../../../support/database.ts';
import { dataOf, eventsOf } from '../../../support/events.ts';
import { expectProblem } from '../../../support/http.ts';
import {
  type AudiencePartner,
  audiencePartner,
  audiencesPath,
} from '../../../support/http-audiences.ts';
import { startRelay } from '../../../support/relay.ts';

let service: TestApp;
beforeAll(async () => {
  service = await startTestApp();
});
afterAll(() => service[Symbol.asyncDispose]());

const path = '/v1/console/audiences';
let users = 0;

async function someCustomer(): Promise<SignedIn & { customerId: number }> {
  users += 1;
  const { customerId, email } = await someUser(service, `ada${users}@harbor.example`);
  return { ...(await signIn(service, { email, password })), customerId };
}

/** Creates an audience that belongs to a customer. */
async function createFor(
  { create, partnerId }: AudiencePartner,
  customerId: number,
  name: string,
): Promise<number> {
  const { userToken } = await service.records.userTokens.create(partnerId, customerId, null);
  return create({ name }, { headers: { 'x-user-token': userToken } });
}

async function namesOf(caller: Pick<SignedIn, 'call'>, query = ''): Promise<string[]> {
  const { status, body } = await caller.call('GET', `${path}${query}`);
  expect(status).toBe(200);
  return body.map((audience: { name: string }) => audience.name);
}

describe('the list of audiences', () => {
  test('has the same members for the partner and for the customer', async () => {
    const customer = await someCustomer();
    const partner = await audiencePartner(service);
    await partner.create({ name: 'Of nobody' });
    const audienceId = await createFor(partner, customer.customerId, 'Of the customer');
    const ofPartner = await partner.call('GET', path);
    const details = await partner.call('GET', `${audiencesPath}/${audienceId}`);
    const { file: _, ...members } = details.body;
    const expected = {
      ...members,
      partner_name: 'acme',
      customer_name: 'Harbor Coffee',
      cleared_at: null,
      latest_load_id: expect.any(Number),
      cursor: expect.stringMatching(new RegExp(`^\\d+-${audienceId}$`)),
    };
    expect(ofPartner.body).toEqual([
      expected,
      expect.objectContaining({ name: 'Of nobody', customer_name: null, status: 0 }),
    ]);
    expect(ofPartner.headers.get('cache-control')).toBe('no-store');
    expect((await customer.call('GET', path)).body).toEqual([expected]);
    const segment = `/v1/console/segments/${expected.default_warehouse_segment_id}`;
    expect((await customer.call('GET', segment)).body).toEqual(expected);
    expect((await partner.call('GET', segment)).body).toEqual(expected);
  });

  test('shows a customer only its own audiences, from every partner', async () => {
    const [customer, stranger] = [await someCustomer(), await someCustomer()];
    const [one, other] = [await audiencePartner(service), await audiencePartner(service)];
    const audienceId = await createFor(one, customer.customerId, 'by one');
    await createFor(other, customer.customerId, 'by the other');
    await one.create({ name: 'of nobody' });
    expect(await namesOf(customer)).toEqual(['by the other', 'by one']);
    expect(await namesOf(stranger)).toEqual([]);
    expect(await namesOf(one)).toEqual(['of nobody', 'by one']);
    const [, { default_warehouse_segment_id }] = (await customer.call('GET', path)).body;
    const segment = `/v1/console/segments/${default_warehouse_segment_id}`;
    for (const caller of [stranger, other]) {
      expectProblem(await caller.call('GET', segment), 404, 'not_found');
    }
    // An audience that is not listed is not found at its other addresses either.
    const details = `${audiencesPath}/${audienceId}`;
    for (const report of ['', '/errors', '/rejects', '/progress']) {
      expect((await customer.call('GET', details + report)).status).toBe(200);
      expectProblem(await stranger.call('GET', details + report), 404, 'not_found');
    }
    expect((await customer.call('GET', audiencesPath)).body).toHaveLength(2);
  });

  test('begins with the most recent activity', async () => {
    const partner = await audiencePartner(service);
    const first = await partner.create({ name: 'first' });
    await partner.create({ name: 'second' });
    expect(await namesOf(partner)).toEqual(['second', 'first']);
    await partner.call('PATCH', `${audiencesPath}/${first}`, { json: { file_path: 'more.csv' } });
    expect(await namesOf(partner)).toEqual(['first', 'second']);
    await (await partner.beginLoad()).settle();
    await (await partner.beginLoad()).settle();
    expect(await namesOf(partner)).toEqual(['second', 'first']);
    expect(await namesOf(partner, '?limit=1')).toEqual(['second']);
  });

  test('shows when an audience was cleared, until files are appended', async () => {
    const partner = await audiencePartner(service);
    const address = `${audiencesPath}/${await partner.create()}`;
    await (await partner.beginLoad()).settle();
    const clearedAt = async () => (await partner.call('GET', path)).body[0].cleared_at;
    expect(await clearedAt()).toBeNull();
    const latestLoad = async () => (await partner.call('GET', path)).body[0].latest_load_id;
    const first = await latestLoad();
    expect((await partner.call('GET', '/v1/console/jobs')).body[0].job_id).toBe(first);
    await partner.call('PUT', address);
    expect(await latestLoad()).toBeNull();
    const { body: details } = await partner.call('GET', address);
    // The details have the members of the specification only.
    expect(details).not.toHaveProperty('cleared_at');
    expect(await clearedAt()).toBe(details.updated_at);
    const segment = `/v1/console/segments/${details.default_warehouse_segment_id}`;
    expect((await partner.call('GET', segment)).body.cleared_at).toBe(details.updated_at);
    await partner.call('PATCH', address, { json: { file_path: 'again.csv' } });
    expect(await clearedAt()).toBeNull();
    expect(await latestLoad()).toBeGreaterThan(first);
  });

  test('is read in pages, from which a change of another audience takes nothing away', async () => {
    const partner = await audiencePartner(service);
    const ids: number[] = [];
    for (const name of ['a', 'b', 'c', 'd', 'e']) ids.push(await partner.create({ name }));
    const first = (await partner.call('GET', `${path}?limit=2`)).body;
    expect(first.map(({ name }: { name: string }) => name)).toEqual(['e', 'd']);
    const next = `?limit=2&after=${first[1].cursor}`;
    expect(await namesOf(partner, next)).toEqual(['c', 'b']);
    await partner.call('PATCH', `${audiencesPath}/${ids[3]}`, { json: { file_path: 'more.csv' } });
    expect(await namesOf(partner, next)).toEqual(['c', 'b']);
    expect(await namesOf(partner, `${next}&search=b`)).toEqual(['b']);
    const [, last] = (await partner.call('GET', `${path}${next}`)).body;
    expect(await namesOf(partner, `?limit=2&after=${last.cursor}`)).toEqual(['a']);
    for (const after of ['', '1', '1-', '-1', `${'9'.repeat(17)}-1`, '1-1;']) {
      const query = new URLSearchParams({ after });
      expectProblem(await partner.call('GET', `${path}?${query}`), 400, 'invalid_input');
    }
    expect(await namesOf(partner, '?after=9999999999999999-1')).toHaveLength(5);
    expect(await namesOf(partner, '?after=0-9999999999999999')).toEqual([]);
  });

  test.each([
    ['SUMMER', ['Summer sale 2024', 'summer 100%']],
    ['ÉTÉ', ['L’été']],
    ['2024', ['Summer sale 2024']],
    ['100%', ['summer 100%']],
    ['%', ['summer 100%']],
    ['_', ['snow_flakes']],
    ['.', []],
    ['(*[', ['odd (*[ \\ one']],
    ['\\', ['odd (*[ \\ one']],
    ['straße', ['Straße']],
    ['x', []],
  ])('searches names for %s literally, ignoring case', async (search, names) => {
    const partner = await audiencePartner(service);
    const all = ['Summer sale 2024', 'summer 100%', 'snow_flakes', 'L’été', 'Straße'];
    for (const name of [...all, 'odd (*[ \\ one']) await partner.create({ name });
    const found = await namesOf(partner, `?search=${encodeURIComponent(search)}`);
    expect(found.sort()).toEqual(names.sort());
  });

  test('refuses an invalid query', async () => {
    const { call } = await audiencePartner(service);
    const queries = ['limit=0', 'limit=1001', 'limit=x', 'search=%00', 'search=a&search=b', 'q=1'];
    for (const query of [...queries, `search=${'a'.repeat(256)}`]) {
      expectProblem(await call('GET', `${path}?${query}`), 400, 'invalid_input');
    }
    expect((await call('GET', `${path}?limit=1000&search=`)).status).toBe(200);
  });

  test('is refused to operators and without a sign-in', async () => {
    const operator = await signIn(service, { admin_token: service.adminToken });
    for (const address of [path, '/v1/console/segments/1']) {
      expectProblem(await operator.call('GET', address), 403, 'forbidden');
      expectProblem(await service.call('GET', address), 401, 'unauthenticated');
    }
    const { call } = await audiencePartner(service);
    for (const id of ['0', '-1', 'x', '9007199254740993', '999999']) {
      expectProblem(await call('GET', `/v1/console/segments/${id}`), 404, 'not_found');
    }
  });
});

describe('the stream of audiences', () => {
  test('sends the list immediately and after each change', async () => {
    const customer = await someCustomer();
    const partner = await audiencePartner(service);
    await createFor(partner, customer.customerId, 'first');
    const leaving = new AbortController();
    const events = eventsOf(service.url + path, { cookie: customer.cookie }, leaving.signal);
    const next = async () => dataOf((await events.next()).value!, 'audiences').audiences;
    expect(await next()).toEqual((await customer.call('GET', path)).body);
    await (await partner.beginLoad()).settle();
    expect(await next()).toMatchObject([{ name: 'first', status: 2 }]);
    await createFor(partner, customer.customerId, 'second');
    expect(await next()).toMatchObject([{ name: 'second' }, { name: 'first' }]);
    leaving.abort();
  });

  test('survives a database outage with heartbeats', async () => {
    await using database = await freshRecords();
    await using relay = await startRelay(database.url);
    await using app = await startTestApp({ database, databaseUrl: relay.url });
    const partner = await audiencePartner(app);
    const events = eventsOf(app.url + path, { authorization: `Bearer ${partner.token}` });
    expect(dataOf((await events.next()).value!, 'audiences')).toEqual({ audiences: [] });
    await relay.cut();
    expect((await events.next()).value).toBe(': ');
    await relay.mend();
    await partner.create({ name: 'after' });
    for await (const event of events) {
      if (event === ': ') continue;
      expect(dataOf(event, 'audiences').audiences).toMatchObject([{ name: 'after' }]);
      break;
    }
  });
});

describe('an audience for a customer', () => {
  test('is created by a signed-in partner who has a valid user token for the customer', async () => {
    const partner = await audiencePartner(service);
    const { customerId } = await partner.customerToken();
    const { call } = await signIn(service, { api_key: partner.token });
    const customers = await call('GET', '/v1/console/customers');
    expect(customers.body).toEqual([{ customer_id: customerId, name: 'a customer' }]);
    const json = { name: 'Tea', file_path: 'tea/', customer_id: customerId };
    const created = await call('POST', path, { json });
    expect(created.status).toBe(201);
    expect(created.headers.get('location')).toBe(`${audiencesPath}/${created.body.audience_id}`);
    expect((await call('GET', path)).body).toMatchObject([
      { name: 'Tea', customer_name: 'a customer' },
    ]);
  });

  test('is refused with an API key, for a stranger, and without a valid token', async () => {
    const partner = await audiencePartner(service);
    const { customerId } = await partner.customerToken();
    const json = { name: 'Tea', file_path: 'tea/', customer_id: customerId };
    expectProblem(await partner.call('POST', path, { json }), 403, 'forbidden');

    const { call } = await signIn(service, { api_key: partner.token });
    const theirs = await (await audiencePartner(service)).customerToken();
    const stranger = { ...json, customer_id: theirs.customerId };
    expectProblem(await call('POST', path, { json: stranger }), 400, 'invalid_input');
    const [token] = await service.records.userTokens.list(partner.partnerId);
    await service.records.userTokens.revoke(partner.partnerId, token!.userTokenId);
    expectProblem(await call('POST', path, { json }), 400, 'invalid_input');
    expect((await call('GET', '/v1/console/customers')).body).toEqual([]);
    expect((await call('GET', path)).body).toEqual([]);
  });
});
