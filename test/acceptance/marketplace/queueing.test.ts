import { describe, expect } from 'vitest';
import type { ImportLog } from '../api.ts';
import { expectProblem } from '../expectations.ts';
import { type Marketplace, type Partner, rows } from './marketplace.ts';
import { test } from './shared-marketplace.ts';

let marketplace: Marketplace;
test.beforeAll(({ shared }) => {
  marketplace = shared;
});

const path = '/v1/marketplace/import';
const region = 'us-east-1';
const good = { file_path: 'devices.csv', key_type: 1 };
const credentials = { accessKeyId: 'id', secretAccessKey: 'secret', region };
const fields = [
  'import_log_id',
  'file_path',
  'path_type',
  'key_type',
  'status',
  'log_type',
  'keys',
  'unique_devices',
  'total_rows',
  'errors',
  'created_at',
  'updated_at',
];
const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

describe('POST queues an import', { concurrent: true }, () => {
  test('and returns 202 with {import_log_id} and a Location of the log', async () => {
    const { call } = await marketplace.partner();
    const answer = await call('POST', path, { json: good });
    expect(answer.status).toBe(202);
    expect(Object.keys(answer.body)).toEqual(['import_log_id']);
    const id = answer.body.import_log_id;
    expect(Number.isSafeInteger(id) && id > 0).toBe(true);
    expect(answer.headers.get('location')).toBe(`${path}/${id}`);
    expect((await call('GET', answer.headers.get('location') ?? '')).body.import_log_id).toBe(id);
  });

  test('and creates an import log with exactly the specified fields and types', async () => {
    const partner = await marketplace.partner('k');
    await partner.upload('devices.csv', rows(1, 3, 'k'));
    const first = await partner.imported('/devices.csv');
    const second = await partner.imported('devices.csv');
    for (const log of [first, second]) expect(Object.keys(log).sort()).toEqual(fields.toSorted());
    expect(first).toEqual({
      import_log_id: expect.any(Number),
      file_path: '/devices.csv',
      path_type: 0,
      key_type: 1,
      status: 2,
      log_type: 0,
      keys: null,
      unique_devices: '3',
      total_rows: '3',
      errors: null,
      created_at: expect.stringMatching(timestamp),
      updated_at: expect.stringMatching(timestamp),
    });
    expect(second.import_log_id).toBeGreaterThan(first.import_log_id);
    expect(first.updated_at >= first.created_at).toBe(true);
    // The log of a finished job does not change any more.
    expect(await partner.log(first.import_log_id)).toEqual(first);
  });

  test('whose counts are "0" until it ends and whose status only increases from 0 to 2', async () => {
    const partner = await marketplace.partner('k');
    await partner.upload('big.csv', rows(1, 60_000, 'k'));
    const ids = [await partner.queue('big.csv'), await partner.queue('big.csv')];
    const seen: string[] = [];
    for (let ended = 0; ended < ids.length; ) {
      // The list is a snapshot, newest first.
      const states: ImportLog[] = (await partner.call('GET', path)).body.toReversed();
      ended = states.filter(({ status }) => status >= 2).length;
      for (const { status, unique_devices, total_rows } of states) {
        if (status < 2) expect([unique_devices, total_rows]).toEqual(['0', '0']);
      }
      const both = states.map(({ status }) => status).join('');
      if (seen.at(-1) !== both) seen.push(both);
    }
    expect(seen.at(-1)).toBe('22');
    // The second never runs before the first is done.
    expect(['00', '10', '20', '21', '22']).toEqual(expect.arrayContaining(seen));
    expect(seen.toSorted()).toEqual(seen);
  });

  test('once for the same body and Idempotency-Key, with the same response', async () => {
    const { call } = await marketplace.partner();
    const headers = { 'idempotency-key': 'night of the 3rd' };
    const first = await call('POST', path, { json: good, headers });
    const again = await call('POST', path, {
      json: { key_type: 1, file_path: 'devices.csv' },
      headers,
    });
    expect([again.status, again.body, again.headers.get('location')]).toEqual([
      202,
      first.body,
      first.headers.get('location'),
    ]);
    const other = await call('POST', path, { json: { ...good, key_type: 0 }, headers });
    expectProblem(other, 422, 'idempotency_key_reused');
    expect((await call('GET', path)).body).toHaveLength(1);
    const elsewhere = await marketplace.partner();
    expect((await elsewhere.call('POST', path, { json: good, headers })).body).not.toEqual(
      first.body,
    );
  });

  test('once for concurrent requests with one Idempotency-Key; the others get its response or 409', async () => {
    const { call } = await marketplace.partner();
    const headers = { 'idempotency-key': 'k' };
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => call('POST', path, { json: good, headers })),
    );
    for (const answer of answers) {
      if (answer.status !== 202) expectProblem(answer, 409, 'idempotency_key_in_use');
    }
    expect((await call('GET', path)).body).toHaveLength(1);
  });

  test('with RateLimit headers that show how many requests are left', async () => {
    const { call } = await marketplace.partner();
    const first = await call('GET', path);
    const second = await call('POST', path, { json: good });
    expect(first.headers.get('ratelimit-limit')).toBe('6000');
    expect(Number(second.headers.get('ratelimit-remaining'))).toBe(
      Number(first.headers.get('ratelimit-remaining')) - 1,
    );
    expect(Number(second.headers.get('ratelimit-reset'))).toBeLessThanOrEqual(60);
  });
});

describe('POST refuses with 400, names the field, and queues nothing:', () => {
  const { call } = sharedPartner();
  const own = { file_path: 's3://bucket/devices.csv', key_type: 1, path_type: 1 };

  test.each<[string, string, object]>([
    ['no file_path', '/file_path', { key_type: 1 }],
    ['a file_path that is no string', '/file_path', { ...good, file_path: 7 }],
    ['an empty file_path', '/file_path', { ...good, file_path: '' }],
    ['a file_path of just "/"', '/file_path', { ...good, file_path: '/' }],
    ['a ".." segment', '/file_path', { ...good, file_path: 'a/../b' }],
    ['a control character', '/file_path', { ...good, file_path: 'a\u0000b' }],
    ['s3:// with path_type 0', '/file_path', { ...good, file_path: 's3://tributary/a' }],
    ['a relative path with path_type 1', '/file_path', { ...good, path_type: 1, credentials }],
    ['no key_type', '/key_type', { file_path: 'a' }],
    ['a key_type of 2', '/key_type', { ...good, key_type: 2 }],
    ['a key_type in quotes', '/key_type', { ...good, key_type: '1' }],
    ['a path_type of 2', '/path_type', { ...good, path_type: 2 }],
    ['a path_type that is null', '/path_type', { ...good, path_type: null }],
    ['path_type 1 without credentials', '/credentials', own],
    ['path_type 0 with credentials', '/credentials', { ...good, credentials }],
    [
      'credentials without a region',
      '/credentials/region',
      { ...own, credentials: { accessKeyId: 'a', secretAccessKey: 'b' } },
    ],
    ['compressed in quotes', '/compressed', { ...good, compressed: 'true' }],
    ['an unknown mode', '/mode', { ...good, mode: 'append' }],
    ['a dry_run of 1', '/dry_run', { ...good, dry_run: 1 }],
    ['an unknown field', '/priority', { ...good, priority: 1 }],
  ])('%s', async (_, pointer, json) => {
    const answer = await call('POST', path, { json });
    expectProblem(answer, 400, 'invalid_input');
    expect(answer.body.errors.map((error: { pointer: string }) => error.pointer)).toContain(
      pointer,
    );
    expect(answer.text).not.toContain(credentials.secretAccessKey);
    expect((await call('GET', path)).body).toEqual([]);
  });

  test('invalid JSON, and JSON that is not an object', async () => {
    const headers = { 'content-type': 'application/json' };
    for (const text of ['{"file_path":', '', 'null', '[]', '"devices.csv"', '{} {}']) {
      const answer = await call('POST', path, { text, headers });
      expect([text, answer.status]).toEqual([text, 400]);
    }
  });

  test('a body that is not JSON with 415, and one over 1 MiB with 413', async () => {
    const headers = { 'content-type': 'text/plain' };
    expectProblem(
      await call('POST', path, { text: JSON.stringify(good), headers }),
      415,
      'unsupported_media_type',
    );
    const large = { ...good, file_path: 'x'.repeat(1024 * 1024) };
    expectProblem(await call('POST', path, { json: large }), 413, 'body_too_large');
  });
});

describe('the API key', () => {
  const { call } = sharedPartner();

  test.each([
    ['missing', ''],
    ['unknown', 'Bearer trib_key_0000'],
    ['in another scheme', 'Basic YWNtZTphY21l'],
    ['without Bearer', 'trib_key_0000'],
  ])(
    '%s is answered with 401 and WWW-Authenticate: Bearer, on every operation',
    async (_, authorization) => {
      const calls = [
        ['GET', path],
        ['GET', `${path}/1`],
        ['POST', path],
        ['DELETE', path],
        ['GET', `${path}/1/files`],
        ['GET', `${path}/1/rejects`],
        ['GET', `${path}/1/progress`],
        ['GET', '/v1/marketplace/attribute'],
        ['POST', '/v1/marketplace/attribute'],
      ] as const;
      for (const [method, address] of calls) {
        const answer = await call(method, address, { headers: { authorization } });
        expectProblem(answer, 401, 'unauthenticated');
        expect(answer.headers.get('www-authenticate')).toBe('Bearer');
      }
    },
  );

  test('is refused at once after it is revoked', async () => {
    const { partnerId, call } = await marketplace.partner();
    expect((await call('GET', path)).status).toBe(200);
    const admin = { authorization: `Bearer ${marketplace.adminToken}` };
    const keys = `/admin/v1/partners/${partnerId}/api-keys`;
    const [key] = (await call('GET', keys, { headers: admin })).body;
    const revoked = await call('DELETE', `${keys}/${key.api_key_id}`, { headers: admin });
    expect(revoked.status).toBe(204);
    expectProblem(await call('GET', path), 401, 'unauthenticated');
  });

  test('is enough: imports ignore x-user-token', async () => {
    const answer = await call('GET', path, { headers: { 'x-user-token': 'whatever' } });
    expect(answer.status).toBe(200);
  });

  test('is checked before the body, but after the route', async () => {
    const headers = { authorization: 'Bearer x', 'content-type': 'application/json' };
    expectProblem(await call('POST', path, { text: '{', headers }), 401, 'unauthenticated');
    expectProblem(await call('GET', `${path}s`, { headers }), 404, 'not_found');
    const put = await call('PUT', path, { headers });
    expectProblem(put, 405, 'method_not_allowed');
    expect(put.headers.get('allow')?.split(', ').sort()).toEqual([
      'DELETE',
      'GET',
      'HEAD',
      'OPTIONS',
      'POST',
    ]);
  });
});

/** One partner shared by tests that change nothing. */
function sharedPartner(): Pick<Partner, 'call'> {
  let partner: Promise<Partner> | undefined;
  return {
    async call(...request) {
      partner ??= marketplace.partner();
      return (await partner).call(...request);
    },
  };
}
