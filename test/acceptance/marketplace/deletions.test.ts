import { describe, expect } from 'vitest';
import { type Marketplace, rows } from './marketplace.ts';
import { test } from './shared-marketplace.ts';

let marketplace: Marketplace;
test.beforeAll(({ shared }) => {
  marketplace = shared;
});

const path = '/v1/marketplace/import';
const attributePath = '/v1/marketplace/attribute';

/** Devices 1 to 10 have `a`, 6 to 15 `b`, 1 to 3 `c`. */
async function loadedPartner() {
  const partner = await marketplace.partner('a', 'b', 'c');
  await partner.importedFile(rows(1, 10, 'a') + rows(6, 15, 'b') + rows(1, 3, 'c'));
  return partner;
}

describe('DELETE deletes the data attached to given attributes', { concurrent: true }, () => {
  test('and returns 202 with {import_log_id}: the deletion has an import log', async () => {
    const partner = await loadedPartner();
    const answer = await partner.call('DELETE', path, { json: { key_type: 1, keys: ['b', 'a'] } });
    expect([answer.status, Object.keys(answer.body)]).toEqual([202, ['import_log_id']]);
    const id = answer.body.import_log_id;
    expect(answer.headers.get('location')).toBe(`${path}/${id}`);
    expect(await partner.ended(id)).toEqual({
      import_log_id: id,
      file_path: '',
      path_type: 0,
      key_type: 1,
      status: 2,
      log_type: 1,
      keys: ['b', 'a'],
      // Ten pairs of each attribute; devices 6 to 10 lost both.
      total_rows: '20',
      unique_devices: '15',
      errors: null,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect(await partner.counts()).toEqual({ a: 0, b: 0, c: 3 });
    const [newest] = (await partner.call('GET', path)).body;
    expect(newest).toMatchObject({ import_log_id: id, keys: ['b', 'a'] });
  });

  test('by attribute_id with key_type 0; the attributes stay, and can be filled again', async () => {
    const partner = await loadedPartner();
    const log = await partner.deleted([String(partner.attributeIds[1])], { key_type: 0 });
    expect(log).toMatchObject({ status: 2, key_type: 0, total_rows: '10', unique_devices: '10' });
    expect(await partner.counts()).toEqual({ a: 10, b: 0, c: 3 });
    await partner.importedFile(rows(1, 2, 'b'));
    expect(await partner.counts()).toEqual({ a: 10, b: 2, c: 3 });
  });

  test('and changes nothing if they are already empty', async () => {
    const partner = await loadedPartner();
    await partner.deleted(['c']);
    expect(await partner.deleted(['c'])).toMatchObject({
      status: 2,
      total_rows: '0',
      unique_devices: '0',
    });
  });

  test('and does not change attributes of another partner with the same key', async () => {
    const acme = await loadedPartner();
    const bravo = await loadedPartner();
    await acme.deleted(['a', 'b', 'c']);
    expect(await acme.counts()).toEqual({ a: 0, b: 0, c: 0 });
    expect(await bravo.counts()).toEqual({ a: 10, b: 10, c: 3 });
  });

  test('in the order of submission among imports', async () => {
    const partner = await loadedPartner();
    await partner.upload('more.csv', rows(100, 120, 'a'));
    await partner.upload('last.csv', rows(500, 501, 'a'));
    await partner.queue('more.csv');
    const deletion = await partner.call('DELETE', path, { json: { key_type: 1, keys: ['a'] } });
    const last = await partner.queue('last.csv');
    await partner.ended(last);
    expect(await partner.log(deletion.body.import_log_id)).toMatchObject({ total_rows: '31' });
    expect(await partner.counts()).toMatchObject({ a: 2 });
  });

  test('only once with an Idempotency-Key', async () => {
    const partner = await loadedPartner();
    const request = { json: { key_type: 1, keys: ['a'] }, headers: { 'idempotency-key': '1' } };
    const first = await partner.call('DELETE', path, request);
    await partner.ended(first.body.import_log_id);
    await partner.importedFile(rows(1, 4, 'a'));
    const again = await partner.call('DELETE', path, request);
    expect([again.status, again.body]).toEqual([202, first.body]);
    await partner.importedFile(rows(1, 4, 'a'));
    expect(await partner.counts()).toMatchObject({ a: 4 });
  });

  test.each<[string, object, string]>([
    ['an unknown key', { key_type: 1, keys: ['a', 'nobody'] }, '/keys/1'],
    ['an unknown attribute_id', { key_type: 0, keys: ['999999999'] }, '/keys/0'],
    ['a key that is a number', { key_type: 1, keys: [1] }, '/keys/0'],
    ['no keys at all', { key_type: 1, keys: [] }, '/keys'],
    ['a key twice', { key_type: 1, keys: ['a', 'b', 'a'] }, '/keys/2'],
    ['keys that are not an array', { key_type: 1, keys: 'a' }, '/keys'],
    ['no keys field', { key_type: 1 }, '/keys'],
    ['no key_type', { keys: ['a'] }, '/key_type'],
    ['an unknown field', { key_type: 1, keys: ['a'], mode: 'replace' }, '/mode'],
    [
      'more than 10,000 keys',
      { key_type: 1, keys: Array.from({ length: 10_001 }, (_, i) => `k${i}`) },
      '/keys',
    ],
  ])('and refuses %s with 400 before it changes anything', async (_, json, pointer) => {
    const partner = await loadedPartner();
    const answer = await partner.call('DELETE', path, { json });
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid_input']);
    expect(answer.body.errors.map((error: { pointer: string }) => error.pointer)).toContain(
      pointer,
    );
    expect((await partner.call('GET', path)).body).toHaveLength(1);
    expect(await partner.counts()).toEqual({ a: 10, b: 10, c: 3 });
  });

  test("and refuses another partner's attribute_id as unknown", async () => {
    const acme = await loadedPartner();
    const bravo = await marketplace.partner();
    const json = { key_type: 0, keys: [String(acme.attributeIds[0])] };
    expect((await bravo.call('DELETE', path, { json })).status).toBe(400);
    expect(await acme.counts()).toMatchObject({ a: 10 });
  });
});

describe('an attribute', { concurrent: true }, () => {
  test('is created with 201, a Location and its ID, and has exactly these fields', async () => {
    const { call } = await marketplace.partner();
    const json = { name: 'Autos > Intenders', description: '', partner_foreign_key: 'autos' };
    const created = await call('POST', attributePath, { json });
    expect([created.status, Object.keys(created.body)]).toEqual([201, ['attribute_id']]);
    const location = `${attributePath}/${created.body.attribute_id}`;
    expect(created.headers.get('location')).toBe(location);
    const record = {
      attribute_id: created.body.attribute_id,
      ...json,
      unique_devices: 0,
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
    };
    expect((await call('GET', location)).body).toEqual(record);
    expect((await call('GET', attributePath)).body).toEqual([record]);
  });

  test('may have no foreign key; a duplicate key gives 409', async () => {
    const { call } = await marketplace.partner();
    const without = { name: 'a', description: '' };
    for (const _ of [1, 2])
      expect((await call('POST', attributePath, { json: without })).status).toBe(201);
    const json = { ...without, partner_foreign_key: 'k' };
    expect((await call('POST', attributePath, { json })).status).toBe(201);
    const taken = await call('POST', attributePath, { json });
    expect([taken.status, taken.body.code]).toEqual([409, 'foreign_key_taken']);
    const other = await marketplace.partner();
    expect((await other.call('POST', attributePath, { json })).status).toBe(201);
  });

  test.each<[string, object]>([
    ['no name', { description: '' }],
    ['an empty name', { name: '', description: '' }],
    ['a name of 256 characters', { name: '😀'.repeat(256), description: '' }],
    ['a control character in the name', { name: 'a\nb', description: '' }],
    ['null as description', { name: 'a', description: null }],
    ['an empty foreign key', { name: 'a', description: '', partner_foreign_key: '' }],
    ['"|" in the foreign key', { name: 'a', description: '', partner_foreign_key: 'a|b' }],
    ['a foreign key of 256', { name: 'a', description: '', partner_foreign_key: 'x'.repeat(256) }],
    ['an unknown field', { name: 'a', description: '', parent: 1 }],
  ])('is refused with 400 for %s', async (_, json) => {
    const { call } = await marketplace.partner();
    const answer = await call('POST', attributePath, { json });
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid_input']);
    expect((await call('GET', attributePath)).body).toEqual([]);
  });

  test('may have a name and a key of 255 characters, counted as code points', async () => {
    const { call } = await marketplace.partner();
    const name = '😀'.repeat(255);
    const json = { name, description: '', partner_foreign_key: name };
    expect((await call('POST', attributePath, { json })).status).toBe(201);
  });

  test('is changed by PATCH, and jobs use its new key', async () => {
    const partner = await loadedPartner();
    const address = `${attributePath}/${partner.attributeIds[0]}`;
    const changed = await partner.call('PATCH', address, { json: { partner_foreign_key: 'z' } });
    expect(changed.status).toBe(200);
    expect(changed.body).toMatchObject({ partner_foreign_key: 'z', unique_devices: 10, name: 'a' });
    await partner.importedFile(rows(20, 24, 'z'));
    expect(await partner.counts()).toEqual({ z: 15, b: 10, c: 3 });
    const taken = await partner.call('PATCH', address, { json: { partner_foreign_key: 'b' } });
    expect([taken.status, taken.body.code]).toEqual([409, 'foreign_key_taken']);
    expect((await partner.call('PATCH', address, { json: {} })).status).toBe(400);
    const cleared = await partner.call('PATCH', address, { json: { partner_foreign_key: null } });
    expect(cleared.body.partner_foreign_key).toBeNull();
  });

  test('is deleted with its data by a queued job, with 202 and its log', async () => {
    const partner = await loadedPartner();
    await partner.upload('more.csv', rows(100, 120, 'a'));
    await partner.queue('more.csv');
    const address = `${attributePath}/${partner.attributeIds[0]}`;
    const answer = await partner.call('DELETE', address);
    expect(answer.status).toBe(202);
    const id = answer.body.import_log_id;
    expect(answer.headers.get('location')).toBe(`${path}/${id}`);
    expect(await partner.ended(id)).toMatchObject({
      status: 2,
      log_type: 1,
      keys: [String(partner.attributeIds[0])],
      total_rows: '31',
      unique_devices: '31',
    });
    expect(await partner.counts()).toEqual({ b: 10, c: 3 });
    for (const method of ['GET', 'DELETE']) {
      expect((await partner.call(method, address)).status).toBe(404);
    }
    // Its key can be used again.
    await partner.attributes('a');
    expect(await partner.counts()).toEqual({ a: 0, b: 10, c: 3 });
  });

  test('that is unknown, malformed or of another partner gives the same 404', async () => {
    const acme = await loadedPartner();
    const { call } = await marketplace.partner();
    const words = new Set<string>();
    for (const id of [acme.attributeIds[0], 999_999_999, 0, -1, 'x', '1.5', '9'.repeat(30)]) {
      for (const method of ['GET', 'DELETE']) {
        const answer = await call(method, `${attributePath}/${id}`);
        expect([id, answer.status, answer.body.code]).toEqual([id, 404, 'not_found']);
        words.add(answer.body.detail);
      }
    }
    expect(words.size).toBe(1);
    expect(await acme.counts()).toMatchObject({ a: 10 });
  });

  test('can be created as part of a CSV taxonomy, all or none', async () => {
    const { call } = await marketplace.partner();
    const headers = { 'content-type': 'text/csv' };
    const header = 'name,description,partnerkey\n';
    const text = `${header}Autos,,autos\nAutos > Intenders,"soon, they say",intenders\nTravel,,\n`;
    const created = await call('POST', attributePath, { text, headers });
    expect(created.status).toBe(201);
    const listed = (await call('GET', attributePath)).body;
    expect(listed).toMatchObject([
      { name: 'Autos', partner_foreign_key: 'autos' },
      { name: 'Autos > Intenders', description: 'soon, they say' },
      { name: 'Travel', description: '', partner_foreign_key: null },
    ]);
    for (const bad of ['Boats,,boats\nCars,,autos\n', 'Boats,,boats\n,,cars\n', 'Boats,,b|c\n']) {
      const refused = await call('POST', attributePath, { text: header + bad, headers });
      expect([400, 409]).toContain(refused.status);
    }
    const noHeader = await call('POST', attributePath, { text: 'Boats,,boats\n', headers });
    expect(noHeader.status).toBe(400);
    expect((await call('GET', attributePath)).body).toEqual(listed);
  });
});
