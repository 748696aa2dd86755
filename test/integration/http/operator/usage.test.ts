import { sql } from 'kysely';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createRequestCounter } from '../../../../src/http/usage/request-counter.ts';
import { startTestApp, type TestApp } from '../../../support/app.ts';
import { signIn } from '../../../support/console-session.ts';
import { expectProblem } from '../../../support/http.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app[Symbol.asyncDispose]());

const attributes = '/v1/marketplace/attribute';
const month = new Date().toISOString().slice(0, 7);

function operator(method: string, path: string, json?: unknown) {
  return app.call(method, `/admin/v1${path}`, { token: app.adminToken, json });
}

async function setQuotas(partnerId: number, quotas: object): Promise<void> {
  const answer = await operator('PATCH', `/partners/${partnerId}/quotas`, quotas);
  expect(answer.status).toBe(200);
  expect(answer.body).toMatchObject(quotas);
}

describe('usage', () => {
  test('counts requests with a key, and not those of the console', async () => {
    const { partner, apiKey: token } = await app.partner('Counted, "Inc"');
    for (let i = 0; i < 3; i++) await app.call('GET', attributes, { token });
    const session = await signIn(app, { api_key: token });
    await session.call('GET', '/v1/console/jobs');
    await app.requests.flush();
    const { body } = await session.call('GET', '/v1/usage');
    expect(body).toEqual([
      {
        month,
        partner_id: partner.partnerId,
        partner_name: 'Counted, "Inc"',
        requests: 3,
        rows: 0,
        object_bytes: 0,
        set_bytes: 0,
        devices: 0,
      },
    ]);
    const csv = await app.call('GET', `/admin/v1/usage?partner_id=${partner.partnerId}`, {
      token: app.adminToken,
      headers: { accept: 'text/csv' },
    });
    expect(csv.headers.get('content-type')).toContain('text/csv');
    expect(csv.text).toBe(
      `month,partner_id,partner_name,requests,rows,object_bytes,set_bytes,devices\r\n${month},${partner.partnerId},"Counted, ""Inc""",3,0,0,0,0\r\n`,
    );
    const earlier = await operator('GET', '/usage?until=2020-01');
    expect(earlier.body).toEqual([]);
    expectProblem(await operator('GET', '/usage?since=2020-13'), 400, 'invalid_input');
  });

  test('is kept until it is saved, and counted once', async () => {
    const { partner } = await app.partner();
    await using counter = createRequestCounter(app.records, pino({ level: 'silent' }));
    const gone = createRequestCounter(
      { usage: { ...app.records.usage, addRequests: () => Promise.reject(new Error('down')) } },
      pino({ level: 'silent' }),
    );
    gone.count(partner.partnerId);
    await expect(gone.flush()).rejects.toThrow('down');
    await gone[Symbol.asyncDispose]();
    counter.count(partner.partnerId);
    counter.count(partner.partnerId);
    await Promise.all([counter.flush(), counter.flush()]);
    const [used] = await app.records.usage.list(month, month, partner.partnerId);
    expect(used?.requests).toBe(2);
  });
});

describe('a quota', () => {
  test('of requests refuses the next ones of the month, and names itself', async () => {
    const { partner, apiKey: token } = await app.partner();
    await setQuotas(partner.partnerId, { requests: 2 });
    await app.call('GET', attributes, { token });
    await app.requests.flush();
    expect((await app.call('GET', attributes, { token })).status).toBe(200);
    const refused = await app.call('GET', attributes, { token });
    const { detail } = expectProblem(refused, 429, 'rate_limited');
    expect(detail).toContain('The quota of 2 requests per month is used up.');
    // The console still works, and shows it.
    const session = await signIn(app, { api_key: token });
    expect((await session.call('GET', '/v1/usage/quotas')).body.requests).toBe(2);
    await setQuotas(partner.partnerId, { requests: null });
    await app.requests.flush();
    expect((await app.call('GET', attributes, { token })).status).toBe(200);
  });

  test('of rows or devices refuses loads when it is used up', async () => {
    const { partner, apiKey: token } = await app.partner();
    const { partnerId } = partner;
    const json = { file_path: 'x.csv', key_type: 1 };
    const queue = () => app.call('POST', '/v1/marketplace/import', { token, json });
    const load = () =>
      app.call('POST', '/v2/firstparty/audience', {
        token,
        json: { name: 'Tea', file_path: 'x.csv' },
      });
    await setQuotas(partnerId, { rows: 10, devices: 5 });
    expect((await queue()).status).toBe(202);
    await app.records.usage.addRows(partnerId, 10);
    for (const refused of [await queue(), await load()]) {
      const { detail } = expectProblem(refused, 409, 'limit_reached');
      expect(detail).toContain('The quota of 10 rows per month is used up.');
    }
    await expect(app.records.usage.addRows(partnerId, 1)).rejects.toThrow(
      'The quota is 10 rows per month. With this load there would be 11.',
    );
    await setQuotas(partnerId, { rows: null });
    const attributeId = await app.records.attributes.create(partnerId, {
      name: 'Tea',
      description: '',
      partnerForeignKey: 'tea',
    });
    await sql`
      with file as (insert into run_file (file) values ('usage.parquet'))
      insert into run (segment_id, file, first_row_group, row_groups, devices, bytes)
      select segment_id, 'usage.parquet', 0, 1, 5, 80 from attribute
      where attribute_id = ${attributeId}
    `.execute(app.database.db);
    const { detail } = expectProblem(await queue(), 409, 'limit_reached');
    expect(detail).toContain('The quota of 5 devices in all attributes and audiences is used up.');
    await app.records.usage.sample();
    await app.records.usage.sample();
    const [used] = await app.records.usage.list(month, month, partnerId);
    expect(used).toMatchObject({ devices: 5, setBytes: 80 });
    expectProblem(
      await operator('PATCH', `/partners/${partnerId}/quotas`, { rows: -1 }),
      400,
      'invalid_input',
    );
    const quotas = await operator('GET', `/partners/${partnerId}/quotas`);
    expect(quotas.body).toEqual({ requests: null, rows: null, devices: 5 });
  });
});
