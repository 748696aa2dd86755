import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../support/app.ts';
import { expectProblem, pointersOf } from '../../../support/http.ts';

let service: TestApp;
beforeAll(async () => {
  service = await startTestApp();
});
afterAll(() => service[Symbol.asyncDispose]());

const create = (kind: 'partners' | 'customers', name: string) =>
  service.call('POST', `/admin/v1/${kind}`, { token: service.adminToken, json: { name } });

test('the operator is warned of partners and customers with names that look alike', async () => {
  const coffee = await create('customers', 'Harbor Coffee');
  expect(coffee.body).not.toHaveProperty('warnings');
  // With Cyrillic letters.
  const twin = await create('customers', 'Hаrbоr Соffее');
  const id = coffee.body.customer_id;
  expect(twin.status).toBe(201);
  expect(twin.body.warnings).toEqual([
    `The name looks like the one of customer ${id}: "Harbor Coffee".`,
  ]);
  const partner = await create('partners', 'HARBOR-COFFEE');
  expect(partner.body.warnings).toHaveLength(2);
  expect((await create('partners', 'Harbor Tea')).body).not.toHaveProperty('warnings');
});

test('names are trimmed and composed', async () => {
  const { apiKey } = await service.partner();
  expect((await create('partners', '  Cafe\u0301 ')).body.name).toBe('Café');
  expect((await create('customers', '\u00a0Cafe\u0301 ')).body.name).toBe('Café');
  const json = { name: ' Cafe\u0301 > x ', description: ' kept ' };
  const made = await service.call('POST', '/v1/marketplace/attribute', { token: apiKey, json });
  const path = `/v1/marketplace/attribute/${made.body.attribute_id}`;
  const { body } = await service.call('GET', path, { token: apiKey });
  expect(body).toMatchObject({ name: 'Café > x', description: ' kept ' });
});

test.each([' ', '\u3000', 'a\u202eb', 'a\u200bb', 'a\u2066b', '\ufeffa', 'a\u0007b', 'a\u2028b'])(
  'the name %j is refused',
  async (name) => {
    for (const kind of ['partners', 'customers'] as const) {
      const refusal = expectProblem(await create(kind, name), 400, 'invalid_input');
      expect(pointersOf(refusal)).toEqual(['/name']);
    }
  },
);
