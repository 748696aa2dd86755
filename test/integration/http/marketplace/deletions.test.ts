import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../support/app.ts';
import { expectProblem, pointersOf } from '../../../support/http.ts';

let service: TestApp;
beforeAll(async () => {
  service = await startTestApp();
});
afterAll(() => service[Symbol.asyncDispose]());

const path = '/v1/marketplace/import';

async function partnerWith(...foreignKeys: string[]) {
  const { partner, apiKey } = await service.partner();
  const attributeIds = await service.records.attributes.createAll(
    partner.partnerId,
    foreignKeys.map((key) => ({ name: key, description: '', partnerForeignKey: key })),
  );
  return {
    partnerId: partner.partnerId,
    apiKey,
    attributeIds: attributeIds.map(String),
    remove: (json: unknown) => service.call('DELETE', path, { token: apiKey, json }),
    logs: async () => (await service.call('GET', path, { token: apiKey })).body,
  };
}

test('a deletion is queued, and its log lists the keys sent', async () => {
  const { apiKey, partnerId, remove } = await partnerWith('a', 'b');
  const answer = await remove({ key_type: 1, keys: ['b', 'a'] });
  expect(answer.status).toBe(202);
  const { import_log_id } = answer.body;
  expect(answer.body).toEqual({ import_log_id: expect.any(Number) });
  expect(answer.headers.get('location')).toBe(`${path}/${import_log_id}`);
  const { body: log } = await service.call('GET', `${path}/${import_log_id}`, { token: apiKey });
  expect(log).toMatchObject({
    file_path: '',
    path_type: 0,
    key_type: 1,
    log_type: 1,
    status: 0,
    keys: ['b', 'a'],
    unique_devices: '0',
    total_rows: '0',
    errors: null,
  });
  expect(await service.records.importLogs.deletion(import_log_id)).toEqual({
    keyType: 1,
    keys: ['b', 'a'],
    withDefinitions: false,
  });
  expect(
    await service.records.attributes.list(partnerId, { after: null, limit: 1_000 }),
  ).toHaveLength(2);
});

test('attribute ids are accepted as keys, as strings', async () => {
  const { attributeIds, remove, logs } = await partnerWith('a', 'b');
  expect((await remove({ key_type: 0, keys: attributeIds })).status).toBe(202);
  expect((await logs())[0]).toMatchObject({ key_type: 0, keys: attributeIds });
});

describe('unknown keys', () => {
  test('are rejected by their position, and nothing is queued', async () => {
    const { remove, logs } = await partnerWith('a', 'b');
    const answer = await remove({ key_type: 1, keys: ['x', 'a', 'B', 'b'] });
    const problem = expectProblem(answer, 400, 'invalid_input');
    expect(problem.errors).toEqual(
      ['/keys/0', '/keys/2'].map((pointer) => ({
        pointer,
        message: 'is not the partner_foreign_key of any of your attributes',
      })),
    );
    expect(await logs()).toEqual([]);
  });

  test('include keys of other partners and keys of the other type', async () => {
    const other = await partnerWith('theirs');
    const { attributeIds, remove } = await partnerWith('mine');
    for (const [key_type, keys] of [
      [1, ['theirs']],
      [0, other.attributeIds],
      [1, attributeIds],
      [0, ['mine']],
      [0, [`0${attributeIds[0]}`]],
      [0, [`${attributeIds[0]}.0`]],
      [0, ['9'.repeat(255)]],
      [1, ['__proto__', 'constructor']],
    ] as const) {
      const problem = expectProblem(await remove({ key_type, keys }), 400, 'invalid_input');
      expect(pointersOf(problem)).toEqual(keys.map((_, index) => `/keys/${index}`));
    }
  });

  test('are listed up to a limit', async () => {
    const { remove } = await partnerWith();
    const keys = Array.from({ length: 10_000 }, (_, number) => `k${number}`);
    const answer = await remove({ key_type: 1, keys });
    const problem = expectProblem(answer, 400, 'invalid_input');
    expect(problem.errors).toHaveLength(50);
    expect(problem.detail).toMatch(/ And 9950 more\.$/);
  });
});

test('a deletion may have at most 10,000 keys', async () => {
  const keys = Array.from({ length: 10_000 }, (_, number) => `k${number}`);
  const { remove, logs } = await partnerWith(...keys);
  expect((await remove({ key_type: 1, keys })).status).toBe(202);
  expect((await logs())[0].keys).toEqual(keys);
  const tooMany = await remove({ key_type: 1, keys: [...keys, 'one more'] });
  const problem = expectProblem(tooMany, 400, 'invalid_input');
  expect(pointersOf(problem)).toEqual(['/keys']);
});

test.each([
  ['no keys', { key_type: 1, keys: [] }, ['/keys']],
  ['a key twice', { key_type: 1, keys: ['a', 'b', 'a'] }, ['/keys/2']],
  ['a number', { key_type: 0, keys: [1] }, ['/keys/0']],
  ['null', { key_type: 1, keys: ['a', null] }, ['/keys/1']],
  ['an empty key', { key_type: 1, keys: [''] }, ['/keys/0', '/keys/0']],
  ['NUL', { key_type: 1, keys: ['a\0'] }, ['/keys/0']],
  ['a lone surrogate', { key_type: 1, keys: ['\ud800'] }, ['/keys/0']],
  ['a string instead of keys', { key_type: 1, keys: 'a' }, ['/keys']],
  ['no key_type', { keys: ['a'] }, ['/key_type']],
  ['a string as key_type', { key_type: '1', keys: ['a'] }, ['/key_type']],
  ['an unknown field', { key_type: 1, keys: ['a'], file_path: 'x' }, ['/file_path']],
  ['no fields', {}, ['/key_type', '/keys']],
])('a deletion with %s is rejected', async (_, json, pointers) => {
  const { remove, logs } = await partnerWith('a', 'b');
  const problem = expectProblem(await remove(json), 400, 'invalid_input');
  expect(pointersOf(problem)).toEqual(pointers);
  expect(await logs()).toEqual([]);
});

test('a deletion without a body is rejected', async () => {
  const { apiKey } = await partnerWith();
  const answer = await service.call('DELETE', path, { token: apiKey });
  expect(pointersOf(expectProblem(answer, 400, 'invalid_input'))).toEqual(['']);
});
