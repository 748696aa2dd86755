import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../support/app.ts';
import { expectProblem, pointersOf } from '../../../support/http.ts';

let service: TestApp;
beforeAll(async () => {
  service = await startTestApp();
});
afterAll(() => service[Symbol.asyncDispose]());

const path = '/v1/marketplace/attribute';

async function partnerWithAttribute(partnerForeignKey: string | null = 'key') {
  const { partner, apiKey: token } = await service.partner();
  const attribute = { name: 'Name', description: 'Text', partnerForeignKey };
  const id = await service.records.attributes.create(partner.partnerId, attribute);
  return {
    id,
    token,
    partnerId: partner.partnerId,
    get: async () => (await service.call('GET', `${path}/${id}`, { token })).body,
    patch: (json: unknown, where: string | number = id) =>
      service.call('PATCH', `${path}/${where}`, { token, json }),
    remove: (where: string | number = id) => service.call('DELETE', `${path}/${where}`, { token }),
  };
}

test('the history of an attribute is for its own partner', async () => {
  const { id, token, partnerId } = await partnerWithAttribute();
  const other = await partnerWithAttribute();
  const history = (query = '', as = token) =>
    service.call('GET', `${path}/${id}/history${query}`, { token: as });
  expect((await history()).body).toEqual([]);
  const { records } = service;
  const { segmentIds } = await records.attributes.segmentKeys(partnerId, 0);
  for (const devices of [5, 7]) {
    const file = `history-${devices}.parquet`;
    await records.runFiles.register({ file, jobId: null, attempt: null });
    const run = { segmentId: segmentIds[0]!, file, firstRowGroup: 0, rowGroups: 1, devices };
    const change = { add: [{ ...run, bytes: 16 * devices }], drop: [] };
    await records.inTransaction((tx) => tx.manifest.apply(change, 'import'));
  }
  const changed_at = expect.stringMatching(/^\d{4}-.*Z$/);
  expect((await history()).body).toEqual([
    { number: 2, changed_at, reason: 'import', unique_devices: 12 },
    { number: 1, changed_at, reason: 'import', unique_devices: 5 },
  ]);
  expect((await history('?limit=1&after=2')).body).toMatchObject([{ number: 1 }]);
  expectProblem(await history('', other.token), 404, 'not_found');
});

describe('changing an attribute', () => {
  test.each([
    { name: 'Another > Name' },
    { description: '' },
    { partner_foreign_key: 'other' },
    { partner_foreign_key: null },
    { name: 'n', description: 'd', partner_foreign_key: 'k' },
  ])('to %j returns the attribute and keeps the other fields', async (change) => {
    const { get, patch } = await partnerWithAttribute();
    const before = await get();
    const answer = await patch(change);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ ...before, ...change, updated_at: expect.any(String) });
    expect(Date.parse(answer.body.updated_at)).toBeGreaterThan(Date.parse(before.updated_at));
    expect(await get()).toEqual(answer.body);
  });

  test('to its current values is accepted', async () => {
    const { patch } = await partnerWithAttribute('same');
    expect((await patch({ partner_foreign_key: 'same' })).status).toBe(200);
  });

  test.each([
    [{}, ['']],
    [[], ['']],
    [{ name: '' }, ['/name']],
    [{ name: null }, ['/name']],
    [{ description: 7 }, ['/description']],
    [{ partner_foreign_key: 'a|b' }, ['/partner_foreign_key']],
    [{ partner_foreign_key: 7 }, ['/partner_foreign_key']],
    [{ unique_devices: 7 }, ['/unique_devices']],
    [{ attribute_id: 7, name: 'x' }, ['/attribute_id']],
  ])('to %j is rejected', async (change, pointers) => {
    const { get, patch } = await partnerWithAttribute();
    const before = await get();
    const problem = expectProblem(await patch(change), 400, 'invalid_input');
    expect(pointersOf(problem)).toEqual(pointers);
    expect(await get()).toEqual(before);
  });

  test('to a foreign key of another attribute is rejected', async () => {
    const { partnerId, get, patch } = await partnerWithAttribute();
    const other = { name: 'o', description: '', partnerForeignKey: 'taken' };
    await service.records.attributes.create(partnerId, other);
    const answer = await patch({ name: 'x', partner_foreign_key: 'taken' });
    expect(expectProblem(answer, 409, 'foreign_key_taken').detail).toContain('"taken"');
    expect((await get()).name).toBe('Name');
  });

  test('that does not exist or belongs to another partner is not found', async () => {
    const [mine, theirs] = [await partnerWithAttribute(), await partnerWithAttribute()];
    for (const id of [theirs.id, 999_999, 'abc', '1%00']) {
      const answer = await mine.patch({ name: 'stolen' }, id);
      expect(expectProblem(answer, 404, 'not_found').detail).toBe('No such attribute.');
    }
    expect((await theirs.get()).name).toBe('Name');
  });
});

describe('deleting an attribute', () => {
  test('queues a job that deletes the data and the attribute', async () => {
    const { id, token, get, remove } = await partnerWithAttribute();
    const answer = await remove();
    expect(answer.status).toBe(202);
    const { import_log_id } = answer.body;
    const location = `/v1/marketplace/import/${import_log_id}`;
    expect(answer.headers.get('location')).toBe(location);
    expect((await service.call('GET', location, { token })).body).toMatchObject({
      log_type: 1,
      key_type: 0,
      keys: [String(id)],
      status: 0,
    });
    expect(await service.records.importLogs.deletion(import_log_id)).toMatchObject({
      withDefinitions: true,
    });
    expect((await get()).attribute_id).toBe(id);
  });

  test('that does not exist or belongs to another partner is not found', async () => {
    const [mine, theirs] = [await partnerWithAttribute(), await partnerWithAttribute()];
    for (const id of [theirs.id, 999_999, 'abc', '1%00']) {
      expectProblem(await mine.remove(id), 404, 'not_found');
    }
    expect(await service.records.importLogs.latest(mine.partnerId, 10)).toEqual([]);
  });
});
