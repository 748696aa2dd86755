import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { apiOf } from '../../../acceptance/api.ts';
import { until } from '../../../acceptance/service.ts';
import { deviceRows } from '../../../support/devices.ts';
import {
  type ServiceProcesses,
  startServiceProcesses,
} from '../../../support/service-processes.ts';

/** Valid and almost valid bodies: every job ends, and a failed job changes nothing. */

const bodies = process.env.TRIBUTARY_SOAK === '1' ? 10_000 : 250;
const path = '/v1/marketplace/import';
const keptDevices = 5;

let service: ServiceProcesses;
let apiKey: string;
let attributeId: number;
beforeAll(async () => {
  service = await startServiceProcesses(1);
  const api = apiOf({ url: service.apiUrl });
  const created = await api.createPartner(service.adminToken, 'acme');
  apiKey = created.apiKey;
  // Deletions name the first attribute by its id 1. No generated body names the second one.
  const attribute = { name: 'k', partner_foreign_key: 'k' };
  attributeId = (await api.createAttribute(apiKey, attribute)).attribute_id;
  await api.createAttribute(apiKey, { name: 'kept', partner_foreign_key: 'kept' });
  const put = (key: string, content: string) =>
    api.putObject(service.adminToken, created.partner_id, key, content);
  await put('first', deviceRows(0, keptDevices, 'kept'));
  const { import_log_id } = await api.queueImport(apiKey, 'first', 1);
  await api.ended(apiKey, import_log_id);
  // An import of any of these files fails after it has read devices for that attribute.
  await put('first', `${deviceRows(100, 109, 'kept')}bad,kept\n`);
  await put('files/1.csv', deviceRows(100, 120, 'kept'));
  await put('files/2.csv', 'one,two,three\n');
});
afterAll(() => service?.[Symbol.asyncDispose]());

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.constantFrom('', '/', '..', '\0', '\ud800', '|', 's3://', 'x'.repeat(1_100), '__proto__'),
);
const anyValue = fc.oneof(
  anyText,
  fc.jsonValue({ stringUnit: 'binary', maxDepth: 2 }),
  fc.constantFrom<unknown>(0, 1, -0, 2, 1.5, 1e308, true, false, null, [], {}),
);

const keyTypes = fc.constantFrom(0, 1);
const options = {
  compressed: fc.boolean(),
  mode: fc.constantFrom('merge', 'replace'),
  dry_run: fc.boolean(),
};
const sharedImport = fc.record(
  {
    file_path: fc.oneof(
      fc.constantFrom('first', 'files/', 'f', 'files/2.csv', '/first', './first', 'a//b', '%2e'),
      anyText,
    ),
    key_type: keyTypes,
    path_type: fc.constant(0),
    ...options,
  },
  { requiredKeys: ['file_path', 'key_type'] },
);
const ownImport = fc.record(
  {
    file_path: fc.constantFrom('s3://bucket/x', 's3://tributary/partner-2/first', 's3://b.c/ü'),
    key_type: keyTypes,
    path_type: fc.constant(1),
    credentials: fc.record({
      accessKeyId: fc.constantFrom('AKIDEXAMPLE', '../..', '%'),
      secretAccessKey: fc.constant('secret'),
      region: fc.constantFrom('us-east-1', 'us-east-1', 'nowhere', '', '127.0.0.1'),
    }),
    ...options,
  },
  { requiredKeys: ['file_path', 'key_type', 'path_type', 'credentials'] },
);
const deletion = fc.record({
  key_type: keyTypes,
  keys: fc.oneof(
    fc.constant(['k']),
    fc.array(fc.constantFrom('k', 'none', '1', '01', ' k'), { maxLength: 3 }),
  ),
});
const attribute = fc.record(
  {
    name: fc.constant('Autos > Intenders'),
    description: fc.constant(''),
    partner_foreign_key: fc.constantFrom('a', 'b', 'c', 'd'),
  },
  { requiredKeys: ['name', 'description'] },
);

/** The body unchanged, or with one field changed, missing or added. */
function nearly(body: fc.Arbitrary<object>): fc.Arbitrary<object> {
  const changes = fc.constantFrom('none', 'none', 'another', 'missing', 'unknown');
  return fc.tuple(body, changes, fc.nat(), anyValue).map(([whole, change, at, value]) => {
    const fields = Object.entries(whole);
    const place = at % fields.length;
    const [name = ''] = fields[place] ?? [];
    switch (change) {
      case 'another':
        return { ...whole, [name]: value };
      case 'missing':
        return Object.fromEntries(fields.toSpliced(place, 1));
      case 'unknown':
        return { ...whole, [`un${name}`]: value };
      default:
        return whole;
    }
  });
}

function to(route: string, body: fc.Arbitrary<object>) {
  return fc.tuple(fc.constant(route), nearly(body));
}

const requests = fc.oneof(
  { weight: 4, arbitrary: to(`POST ${path}`, sharedImport) },
  { weight: 1, arbitrary: to(`POST ${path}`, ownImport) },
  { weight: 2, arbitrary: to(`DELETE ${path}`, deletion) },
  { weight: 1, arbitrary: to('POST /v1/marketplace/attribute', attribute) },
  { weight: 1, arbitrary: to('PATCH /v1/marketplace/attribute/ID', attribute) },
);

test(`${bodies} generated bodies: no 5xx, no hung job, no change by a failed import`, async () => {
  const statuses = new Map<number, number>();
  const property = fc.asyncProperty(requests, async ([route, body]) => {
    const [method = '', address = ''] = route.replace('ID', String(attributeId)).split(' ');
    const answer = await fetch(service.apiUrl + address, {
      method,
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await answer.text();
    expect(answer.status, text).toBeLessThan(500);
    expect(JSON.parse(text)).toBeTypeOf('object');
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
  });
  await fc.assert(property, { numRuns: bodies });
  // Enough bodies must be accepted, or little is tested.
  expect((statuses.get(202) ?? 0) / bodies).toBeGreaterThan(0.1);
  await until('all jobs to end', async () => (await service.openJobs()) === 0, 300_000);

  const faults = service.logged().flatMap((text) => text.match(/.*"level":"error".*/g) ?? []);
  expect(faults).toEqual([]);
  const attributes = await apiOf({ url: service.apiUrl }).attributes(apiKey);
  expect(attributes[1]).toMatchObject({ partner_foreign_key: 'kept', unique_devices: keptDevices });
  const endings = await service.db
    .selectFrom('job')
    .select(['attempt', 'losses'])
    .distinct()
    .execute();
  expect(endings).toEqual([{ attempt: 1, losses: 0 }]);
}, 600_000);
