import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { queueImport } from '../../../../src/actions/queue-import.ts';
import { startTestApp, type TestApp } from '../../../support/app.ts';
import { expectProblem, pointersOf } from '../../../support/http.ts';

let service: TestApp;
let apiKey: string;
beforeAll(async () => {
  service = await startTestApp();
  ({ apiKey } = await service.partner());
});
afterAll(() => service[Symbol.asyncDispose]());

const path = '/v1/marketplace/import';
const post = (json: unknown, token = apiKey) => service.call('POST', path, { token, json });
const get = (where: string, token = apiKey) => service.call('GET', where, { token });

test('queuing an import returns the id and location of its log', async () => {
  const answer = await post({ file_path: 'devices.csv', key_type: 1 });
  expect(answer.status).toBe(202);
  expect(answer.body).toEqual({ import_log_id: expect.any(Number) });
  expect(answer.headers.get('location')).toBe(`${path}/${answer.body.import_log_id}`);
});

test('an import log has exactly the specified fields and types', async () => {
  const { body } = await post({ file_path: 'devices.csv', key_type: 1, path_type: 0 });
  const record = await get(`${path}/${body.import_log_id}`);
  expect(record.status).toBe(200);
  const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  const expected = {
    import_log_id: body.import_log_id,
    file_path: 'devices.csv',
    path_type: 0,
    key_type: 1,
    status: 0,
    log_type: 0,
    keys: null,
    unique_devices: '0',
    total_rows: '0',
    errors: null,
    created_at: timestamp,
    updated_at: timestamp,
  };
  expect(record.body).toEqual(expected);
  expect(Object.keys(record.body)).toEqual(Object.keys(expected));
});

test('the log of a finished job has counts as strings and complete problems', async () => {
  const { partner, apiKey: token } = await service.partner();
  const { body } = await post({ file_path: 'devices.csv', key_type: 0 }, token);
  const problem = {
    code: 'malformed_id' as const,
    message: 'This is not an advertising identifier.',
    file: `${partner.prefix}devices.csv`,
    line: 3,
    column: 1,
    value: 'nonsense "quoted" 😀',
    count: 2,
  };
  await service.records.importLogs.settle(body.import_log_id, {
    uniqueDevices: 9_007_199_254_740_991,
    totalRows: 12,
    problems: [problem, { ...problem, file: null, line: null, column: null, value: null }],
  });
  const { body: record } = await get(`${path}/${body.import_log_id}`, token);
  expect(record).toMatchObject({ unique_devices: '9007199254740991', total_rows: '12' });
  expect(record.errors).toEqual([
    problem,
    { ...problem, file: null, line: null, column: null, value: null },
  ]);
});

describe('the options of an import', () => {
  const savedOptions = async (more: object) => {
    const { status, body } = await post({ file_path: 'x.csv', key_type: 0, ...more });
    expect(status).toBe(202);
    const { log_type } = (await get(`${path}/${body.import_log_id}`)).body;
    const { compressed, mode, dryRun } = await service.records.importLogs.request(
      body.import_log_id,
    );
    return { compressed, mode, dryRun, log_type };
  };
  const defaults = { compressed: null, mode: 'merge', dryRun: false, log_type: 0 };

  test.each([
    [{}, {}],
    [{ compressed: true }, { compressed: true }],
    [{ compressed: false }, { compressed: false }],
    [{ mode: 'merge' }, {}],
    [{ mode: 'replace' }, { mode: 'replace' }],
    [{ dry_run: false }, {}],
    [{ dry_run: true }, { dryRun: true, log_type: 2 }],
    [
      { dry_run: true, mode: 'replace', compressed: true },
      { dryRun: true, log_type: 2, mode: 'replace', compressed: true },
    ],
  ])('%j are saved', async (more, expected) => {
    expect(await savedOptions(more)).toEqual({ ...defaults, ...expected });
  });
});

test.each(['/devices.csv', 'a//b', '//x', 'ümlaut 😀.csv', 'a/./b', '%2e%2e/x', '..x/y..', 'a\\b'])(
  'the path %j is returned as sent',
  async (file_path) => {
    const { status, body } = await post({ file_path, key_type: 0 });
    expect(status).toBe(202);
    expect((await get(`${path}/${body.import_log_id}`)).body.file_path).toBe(file_path);
  },
);

describe('a path is rejected', () => {
  test.each([
    ['empty', ''],
    ['only a slash', '/'],
    ['a parent segment', '..'],
    ['a parent segment after a slash', '/..'],
    ['a parent segment at the beginning', '../partner-2/devices.csv'],
    ['a parent segment in the middle', 'a/../../partner-2/devices.csv'],
    ['a parent segment at the end', 'a/..'],
    ['an s3:// URL', 's3://tributary/devices.csv'],
    ['an S3:// URL', 'S3://tributary/devices.csv'],
    ['with NUL', 'a\0.csv'],
    ['with a line break', 'a\n.csv'],
    ['with DEL', 'a\x7f.csv'],
    ['with a C1 control character', 'a\x85.csv'],
    ['a lone surrogate', 'a\ud800.csv'],
    ['too long', 'x'.repeat(1024)],
    ['too long in bytes', 'ü'.repeat(512)],
    ['a mebibyte long', 'x'.repeat(1_000_000)],
  ])('%s', async (_, file_path) => {
    const answer = await post({ file_path, key_type: 1 });
    const problem = expectProblem(answer, 400, 'invalid_input');
    expect(pointersOf(problem)).toEqual(['/file_path']);
    expect(problem.detail).toMatch(/^file_path /);
    expect(answer.text.length).toBeLessThan(2_000);
  });

  test('and nothing is queued', async () => {
    const { apiKey: token } = await service.partner();
    await post({ file_path: '../x', key_type: 1 }, token);
    expect((await get(path, token)).body).toEqual([]);
  });
});

test('the list has the latest 100 jobs of the partner, newest first', async () => {
  const [one, other] = [await service.partner(), await service.partner()];
  const ids = await service.records.inTransaction(async (tx) => {
    const mine: number[] = [];
    for (let n = 0; n < 103; n++) {
      const request = { filePath: `${n}.csv`, keyType: 0, pathType: 0 } as const;
      mine.push(await queueImport(tx, one.partner.partnerId, request));
      if (n % 20 === 0) await queueImport(tx, other.partner.partnerId, request);
    }
    return mine;
  });
  const list = (await get(path, one.apiKey)).body;
  expect(list.map((log: { import_log_id: number }) => log.import_log_id)).toEqual(
    ids.slice(3).reverse(),
  );
  expect(list[0]).toEqual((await get(`${path}/${ids.at(-1)}`, one.apiKey)).body);
  expect((await get(path, other.apiKey)).body).toHaveLength(6);
});
