import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { supportedSchema } from '../../../../src/records/database/schema-version.ts';
import { createSealing } from '../../../../src/records/database/sealing.ts';
import { createRecords } from '../../../../src/records/records.ts';
import { startTestApp, type TestApp } from '../../../support/app.ts';
import { eventually, expectProblem, pointersOf } from '../../../support/http.ts';

let service: TestApp;
beforeAll(async () => {
  service = await startTestApp();
});
afterAll(() => service[Symbol.asyncDispose]());

const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
function call(method: string, path: string, json?: unknown) {
  return service.call(method, `/admin/v1${path}`, { token: service.adminToken, json });
}

describe('the secret key', () => {
  const olderKey = 'an older secret key of the operator';

  test('is used for secrets that an older key encrypts, by the operator only', async () => {
    const { partner_id } = (await call('POST', '/partners', { name: 'resealed' })).body;
    const keys = ['the secret key of the tests, known to everybody', olderKey];
    const before = createRecords(service.database.db, createSealing([olderKey]));
    await before.storageCredentials.create(partner_id);
    await using rotated = await startTestApp({
      database: service.database,
      sealing: createSealing(keys),
    });
    const path = '/admin/v1/secret-key/reseal';
    expect((await rotated.call('POST', path)).status).toBe(401);
    const resealed = await rotated.call('POST', path, { token: rotated.adminToken });
    expect([resealed.status, resealed.body]).toEqual([200, { resealed: 1 }]);
    expect(await service.records.sealedSecrets.countUnreadable()).toEqual([]);
  });
});

describe('backups', () => {
  test('are requested once, listed, and shown in the status', async () => {
    const requested = await call('POST', '/backups', {});
    expect(requested.status).toBe(202);
    expect(requested.body).toMatchObject({
      action: 'create',
      target: '/backups',
      set: null,
      state: 'pending',
      started_at: null,
    });
    const { backup_id } = requested.body;
    expect((await call('POST', '/backups', { action: 'create' })).body.backup_id).toBe(backup_id);
    const set = '20260131T120000000Z-4f2a90';
    const elsewhere = { action: 'verify', target: 's3://bucket/prefix', set };
    expect((await call('POST', '/backups', elsewhere)).body).toMatchObject(elsewhere);

    const { backups } = service.records;
    await backups.begin(backup_id, set);
    await backups.recordProgress(backup_id, 10, 40);
    const running = (await call('GET', `/backups/${backup_id}`)).body;
    expect(running).toMatchObject({ state: 'running', set, bytes_done: 10, bytes_total: 40 });
    const before = (await call('GET', '/status')).body.backup;
    expect(before).toMatchObject({ age_seconds: null, last_success: null });
    await backups.finish(backup_id, 'done', null, { files: 3, bytes: 40, newBytes: 10 });
    const { backup } = (await call('GET', '/status')).body;
    expect(backup).toMatchObject({
      target: '/backups',
      age_seconds: expect.any(Number),
      last_success: { backup_id, files: 3, bytes: 40, new_bytes: 10 },
      last_attempt: { backup_id },
    });
    expect((await call('GET', '/backups')).body).toHaveLength(2);
  });

  test('are requested with a set where one is needed', async () => {
    for (const body of [
      { action: 'remove' },
      { action: 'create', set: '20260131T120000000Z-4f2a90' },
      { action: 'verify', set: '../other' },
      { target: 'relative/folder' },
    ]) {
      expectProblem(await call('POST', '/backups', body), 400, 'invalid_input');
    }
    expectProblem(await call('GET', '/backups/999'), 404, 'not_found');
  });
});

describe('partners', () => {
  test('are created with their own prefix in the shared bucket, and listed', async () => {
    const created = await call('POST', '/partners', { name: 'Acme & Söhne <b>' });
    expect(created.status).toBe(201);
    const { partner_id } = created.body;
    expect(created.body).toEqual({
      partner_id: expect.any(Number),
      name: 'Acme & Söhne <b>',
      bucket: 'tributary',
      prefix: `partner-${partner_id}/`,
    });
    const listed = (await call('GET', '/partners')).body;
    expect(listed).toContainEqual({ ...created.body, disabled_at: null, created_at: timestamp });
  });

  test('need a valid name, which need not be unique', async () => {
    const twins = [
      await call('POST', '/partners', { name: 'twin' }),
      await call('POST', '/partners', { name: 'twin' }),
    ];
    expect(twins[0]!.body.prefix).not.toBe(twins[1]!.body.prefix);
    for (const name of ['', 'a\nb', 'x'.repeat(256), 7, null]) {
      const problem = expectProblem(
        await call('POST', '/partners', { name }),
        400,
        'invalid_input',
      );
      expect(new Set(pointersOf(problem))).toEqual(new Set(['/name']));
    }
  });
});

describe('API keys', () => {
  test('are returned once, work immediately, and are listed without their secret', async () => {
    const { body: partner } = await call('POST', '/partners', { name: 'acme' });
    const keys = `/partners/${partner.partner_id}/api-keys`;
    const created = await call('POST', keys, { label: 'nightly' });
    expect(created.status).toBe(201);
    expect(created.body).toEqual({
      api_key_id: expect.any(Number),
      api_key: expect.stringMatching(/^trib_key_[0-9a-f]{16}_[\w-]{43}$/),
    });
    const use = await service.call('GET', '/v1/marketplace/import', {
      token: created.body.api_key,
    });
    expect(use.status).toBe(200);

    const unlabelled = await call('POST', keys, {});
    await call('DELETE', `${keys}/${unlabelled.body.api_key_id}`);
    const listed = await call('GET', keys);
    expect(listed.body).toEqual([
      {
        api_key_id: created.body.api_key_id,
        label: 'nightly',
        created_at: timestamp,
        last_used_at: timestamp,
        revoked_at: null,
      },
      {
        api_key_id: unlabelled.body.api_key_id,
        label: '',
        created_at: timestamp,
        last_used_at: null,
        revoked_at: timestamp,
      },
    ]);
    expect(listed.text).not.toContain('trib_key_');
  });

  test('are revoked for good, and revoking again changes nothing', async () => {
    const { body: partner } = await call('POST', '/partners', { name: 'acme' });
    const keys = `/partners/${partner.partner_id}/api-keys`;
    const { body: key } = await call('POST', keys, {});
    const first = await call('DELETE', `${keys}/${key.api_key_id}`);
    expect([first.status, first.text]).toEqual([204, '']);
    const { revoked_at } = (await call('GET', keys)).body[0];
    expect((await call('DELETE', `${keys}/${key.api_key_id}`)).status).toBe(204);
    expect((await call('GET', keys)).body[0].revoked_at).toBe(revoked_at);
  });

  test('cannot be created with an API key', async () => {
    const { apiKey, partner } = await service.partner();
    const answer = await service.call('POST', `/admin/v1/partners/${partner.partnerId}/api-keys`, {
      token: apiKey,
      json: {},
    });
    expectProblem(answer, 401, 'unauthenticated');
  });
});

describe('a storage quota', () => {
  test('is set, shown to the operator and to the partner, and refuses objects beyond it', async () => {
    const { body: partner } = await call('POST', '/partners', { name: 'acme', storage_quota: 10 });
    const path = `/partners/${partner.partner_id}`;
    expect((await call('GET', `${path}/storage`)).body).toEqual({
      bytes: 0,
      quota: 10,
      open_uploads: 0,
      uploads_kept_days: null,
      upload_retention_days: null,
    });
    const put = (body: string) =>
      service.call('PUT', `/admin/v1${path}/objects/x.csv`, { token: service.adminToken, body });
    expectProblem(await put('eleven bytes'), 507, 'quota_exceeded');
    expect((await call('PATCH', `${path}/storage`, { quota: 20 })).body).toMatchObject({
      quota: 20,
    });
    expect((await put('eleven bytes')).status).toBe(201);
    const { body: key } = await call('POST', `${path}/api-keys`, {});
    const shown = await service.call('GET', '/v1/console/storage', { token: key.api_key });
    const kept = { uploads_kept_days: null };
    expect(shown.body).toEqual({ bytes: 12, quota: 20, open_uploads: 0, ...kept });
    expect((await call('PATCH', `${path}/storage`, { quota: null })).body).toMatchObject({
      quota: null,
    });
  });

  test('must be a whole number of bytes or null', async () => {
    const { body: partner } = await call('POST', '/partners', { name: 'acme' });
    for (const quota of [-1, 1.5, '10', 2 ** 60]) {
      const answer = await call('PATCH', `/partners/${partner.partner_id}/storage`, { quota });
      expectProblem(answer, 400, 'invalid_input');
    }
    expectProblem(await call('GET', '/partners/999999/storage'), 404, 'not_found');
  });
});

describe('the retention of uploads', () => {
  test('is that of the service, or a number of the partner, which the partner sees', async () => {
    await using fresh = await startTestApp({ database: service.database, uploadRetentionDays: 30 });
    const { partner, apiKey: token } = await fresh.partner();
    const path = `/admin/v1/partners/${partner.partnerId}/storage`;
    const change = async (json: object) =>
      (await fresh.call('PATCH', path, { token: fresh.adminToken, json })).body;
    const shown = async () =>
      (await fresh.call('GET', '/v1/console/storage', { token })).body.uploads_kept_days;
    expect(await shown()).toBe(30);
    expect(await change({ upload_retention_days: 7 })).toMatchObject({
      upload_retention_days: 7,
      uploads_kept_days: 7,
    });
    expect(await shown()).toBe(7);
    expect(await change({ upload_retention_days: 0, quota: 5 })).toMatchObject({
      quota: 5,
      upload_retention_days: 0,
      uploads_kept_days: null,
    });
    expect(await change({ upload_retention_days: null })).toMatchObject({
      quota: 5,
      upload_retention_days: null,
      uploads_kept_days: 30,
    });
    const entry = await eventually(async () => {
      const [last] = await fresh.records.auditLog.list({}, { after: null, limit: 1 });
      expect(last).toMatchObject({ after: { storage_quota: 5, upload_retention_days: null } });
      return last!;
    });
    expect(entry.before).toEqual({ storage_quota: 5, upload_retention_days: 0 });
    for (const json of [{}, { upload_retention_days: 731 }, { upload_retention_days: '7' }]) {
      const refused = await fresh.call('PATCH', path, { token: fresh.adminToken, json });
      expectProblem(refused, 400, 'invalid_input');
    }
  });

  test('can be set for a bucket in another store, which has its own quotas', async () => {
    await using elsewhere = await startTestApp({
      database: service.database,
      issuesStorageKeys: false,
    });
    const { partner } = await elsewhere.partner();
    const path = `/admin/v1/partners/${partner.partnerId}/storage`;
    const patch = (json: object) =>
      elsewhere.call('PATCH', path, { token: elsewhere.adminToken, json });
    expectProblem(await patch({ quota: 5, upload_retention_days: 3 }), 400, 'invalid_input');
    expect((await patch({ upload_retention_days: 3 })).body.uploads_kept_days).toBe(3);
  });
});

test('the status counts pending and running jobs, and stored objects and runs', async () => {
  await using fresh = await startTestApp();
  const status = async () =>
    (await fresh.call('GET', '/admin/v1/status', { token: fresh.adminToken })).body;
  expect(await status()).toEqual({
    backup: { target: '/backups', age_seconds: null, last_success: null, last_attempt: null },
    queue: [],
    failures: [],
    universe: { version: 0, backlog: 0, outdated_audiences: 0, refresh_seconds: null },
    removals: [],
    schema: { version: supportedSchema, supported: supportedSchema },
    storage: { objects: 0, object_bytes: 0, runs: 0, run_bytes: 0, partners: [] },
  });

  const [busy, idle] = [await fresh.partner('busy'), await fresh.partner('idle')];
  const before = Date.now();
  for (let n = 0; n < 3; n++) {
    const token = busy.apiKey;
    const json = { file_path: 'x.csv', key_type: 0 };
    await fresh.call('POST', '/v1/marketplace/import', { token, json });
  }
  await fresh.records.jobs.claim(60);
  for (const [partner, bytes] of [
    [busy, 'twelve bytes'],
    [idle, ''],
    [idle, 'three'],
  ] as const) {
    const path = `/admin/v1/partners/${partner.partner.partnerId}/objects/x.csv`;
    await fresh.call('PUT', path, { token: fresh.adminToken, body: bytes });
  }
  const segmentId = await fresh.records.segments.create('attribute');
  await fresh.records.runFiles.register({ file: 'a', jobId: null, attempt: null });
  await fresh.records.manifest.apply({
    add: [
      { segmentId, file: 'a', firstRowGroup: 0, rowGroups: 1, devices: 5, bytes: 77 },
      { segmentId, file: 'a', firstRowGroup: 1, rowGroups: 1, devices: 5, bytes: 23 },
    ],
    drop: [],
  });

  const now = await status();
  expect(now).toEqual({
    backup: { target: '/backups', age_seconds: null, last_success: null, last_attempt: null },
    queue: [
      {
        partner_id: busy.partner.partnerId,
        name: 'busy',
        pending: 2,
        running: 1,
        oldest_submitted_at: timestamp,
        oldest_age_seconds: expect.any(Number),
      },
    ],
    failures: [],
    universe: { version: 0, backlog: 2, outdated_audiences: 0, refresh_seconds: null },
    removals: [],
    schema: { version: supportedSchema, supported: supportedSchema },
    storage: {
      objects: 2,
      object_bytes: 17,
      runs: 2,
      run_bytes: 100,
      partners: [
        { partner_id: busy.partner.partnerId, name: 'busy', bytes: 12, quota: null },
        { partner_id: idle.partner.partnerId, name: 'idle', bytes: 5, quota: null },
      ],
    },
  });
  const { oldest_submitted_at, oldest_age_seconds } = now.queue[0];
  expect(Math.abs(Date.parse(oldest_submitted_at) - before)).toBeLessThan(10_000);
  expect(oldest_age_seconds).toBeGreaterThanOrEqual(0);
  expect(oldest_age_seconds).toBeLessThan(10);
});

test('the status misses no change that commits while it reads', async () => {
  await using fresh = await startTestApp();
  const { db, records } = fresh.database;
  const look = () => fresh.call('GET', '/admin/v1/status', { token: fresh.adminToken });
  // Opens the database connections, so that no later query has to wait for one.
  await look();
  const segmentId = await records.segments.create('attribute');
  await records.runFiles.register({ file: 'a', jobId: null, attempt: null });
  const run = { segmentId, file: 'a', firstRowGroup: 0, rowGroups: 1, devices: 5, bytes: 77 };
  const locked = Promise.withResolvers<void>();
  const mayEnd = Promise.withResolvers<void>();
  const ending = records.inTransaction(async (tx) => {
    await tx.manifest.apply({ add: [run], drop: [] });
    await mayEnd.promise;
  });
  const keeping = db.transaction().execute(async (tx) => {
    await sql`lock table job in access exclusive mode`.execute(tx);
    locked.resolve();
    await ending;
  });
  await locked.promise;
  const status = look();
  await eventually(async () => {
    const { rows } = await sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
    `.execute(db);
    expect(rows).not.toEqual([]);
  });
  mayEnd.resolve();
  await keeping;
  expect((await status).body).toMatchObject({ queue: [], universe: { backlog: 1 } });
});

describe('jobs of all partners', () => {
  let fresh: TestApp;
  /** The ids of the jobs, in the order in which they were queued. */
  let jobs: { failed: number; dryRun: number; waiting: number; ofOther: number };
  let acme: Awaited<ReturnType<TestApp['partner']>>;
  let bravo: Awaited<ReturnType<TestApp['partner']>>;
  const get = (path: string, token = fresh.adminToken) =>
    fresh.call('GET', `/admin/v1${path}`, { token });
  const idsIn = async (query: string) =>
    (await get(`/jobs?${query}`)).body.map(({ job_id }: { job_id: number }) => job_id);

  beforeAll(async () => {
    fresh = await startTestApp();
    [acme, bravo] = [await fresh.partner('acme'), await fresh.partner('bravo')];
    const queue = async (token: string, json: object) => {
      const body = { file_path: 'x.csv', key_type: 0, ...json };
      const answer = await fresh.call('POST', '/v1/marketplace/import', { token, json: body });
      return answer.body.import_log_id;
    };
    const rejected = { file: 'partner-1/x.csv', line: 2, column: 1, value: 'bad' } as const;
    const problems = [
      { code: 'malformed_id', message: 'Not a device.', count: 3, ...rejected },
      { code: 'too_many_rejects', message: 'Too many.', count: 1, ...rejected },
    ] as const;
    const { records } = fresh;
    const end = async (outcome: 'done' | 'failed', totalRows: number) => {
      const claim = (await records.jobs.claim(60))!;
      await records.importFiles.begin(claim, ['partner-1/x.csv']);
      await records.jobs.settle(claim, outcome);
      const found = outcome === 'failed' ? problems : [];
      await records.importLogs.settle(claim.jobId, {
        uniqueDevices: 0,
        totalRows,
        problems: found,
      });
      if (outcome === 'done') await records.usage.addRows(claim.partnerId, totalRows);
    };
    const failed = await queue(acme.apiKey, {});
    await end('failed', 5);
    const dryRun = await queue(acme.apiKey, { dry_run: true });
    await end('done', 7);
    const waiting = await queue(acme.apiKey, {});
    const ofOther = await queue(bravo.apiKey, {});
    jobs = { failed, dryRun, waiting, ofOther };
  });
  afterAll(() => fresh[Symbol.asyncDispose]());

  test('are listed newest first, or failures first, in pages, for the operator only', async () => {
    const { failed, dryRun, waiting, ofOther } = jobs;
    expect(await idsIn('')).toEqual([ofOther, waiting, dryRun, failed]);
    expect(await idsIn('order=failures')).toEqual([failed, ofOther, waiting, dryRun]);
    for (const order of ['newest', 'failures']) {
      const paged: number[] = [];
      let next: string | undefined = `/jobs?order=${order}&limit=1`;
      while (next) {
        const answer = await get(next);
        paged.push(...answer.body.map(({ job_id }: { job_id: number }) => job_id));
        next = /<\/admin\/v1([^>]*)>/.exec(answer.headers.get('link') ?? '')?.[1];
      }
      expect(paged).toEqual(await idsIn(`order=${order}`));
    }
    expectProblem(await get('/jobs?after=x'), 400, 'invalid_input');
    for (const path of ['/jobs', `/jobs/${failed}`, '/trends']) {
      expectProblem(await get(path, acme.apiKey), 401, 'unauthenticated');
    }
  });

  test('are filtered by partner, kind, state and time', async () => {
    const { failed, dryRun, waiting, ofOther } = jobs;
    expect(await idsIn(`partner_id=${acme.partner.partnerId}`)).toEqual([waiting, dryRun, failed]);
    expect(await idsIn(`partner_id=${acme.partner.partnerId}&order=failures&limit=2`)).toEqual([
      failed,
      waiting,
    ]);
    expect(await idsIn('kind=dry_run')).toEqual([dryRun]);
    expect(await idsIn('kind=import')).toEqual([ofOther, waiting, failed]);
    expect(await idsIn('kind=audience')).toEqual([]);
    expect(await idsIn('state=failed')).toEqual([failed]);
    const [{ created_at }] = (await get('/jobs?kind=dry_run')).body;
    expect(await idsIn(`until=${created_at}`)).toEqual([failed]);
    expect(await idsIn(`since=${created_at}`)).toEqual([ofOther, waiting, dryRun]);
  });

  test('have their problems, the failure first, their files and the request that queued them', async () => {
    const { body } = await get(`/jobs/${jobs.failed}`);
    expect(body).toMatchObject({
      partner_name: 'acme',
      state: 'failed',
      path: 'x.csv',
      total_rows: 5,
      rejected_rows: 3,
      attempts: 1,
      problem: { code: 'too_many_rejects' },
      problems: [{ code: 'too_many_rejects' }, { code: 'malformed_id', line: 2 }],
      files: [{ path: 'partner-1/x.csv' }],
      ended_at: timestamp,
      run_seconds: expect.any(Number),
    });
    const audit = (await get('/audit?action=POST%20/v1/marketplace/import')).body;
    expect(body.request_id).toBe(audit.at(-1).request_id);
    expectProblem(await get('/jobs/999999'), 404, 'not_found');
  });

  test('count by day and in the status, and say what delays a partner', async () => {
    const today = new Date().toISOString().slice(0, 10);
    const days = (await get('/trends?days=3')).body;
    expect(days).toHaveLength(3);
    expect(days[0]).toMatchObject({ done: 0, failed: 0, rows: 0, longest_wait_seconds: 0 });
    expect(days[2]).toMatchObject({ day: today, done: 1, failed: 1, cancelled: 0, rows: 7 });
    expect(days[2].longest_wait_seconds).toBeGreaterThan(0);
    const { partnerId } = bravo.partner;
    const [ofBravo] = (await get(`/trends?days=1&partner_id=${partnerId}`)).body;
    expect(ofBravo).toMatchObject({ done: 0, failed: 0, rows: 0 });
    expect((await get('/status')).body.failures).toEqual([
      {
        partner_id: acme.partner.partnerId,
        name: 'acme',
        failed_jobs: 1,
        last_failed_at: timestamp,
      },
    ]);

    const trouble = async () => (await get(`/partners/${partnerId}/trouble`)).body;
    expect(await trouble()).toEqual({ retry: null, held_reports: 0, quotas: [] });
    await fresh.records.usage.setQuotas(partnerId, { requests: null, rows: 10, devices: null });
    // The job of acme waits at the head of its lane.
    const claims = [await fresh.records.jobs.claim(60), await fresh.records.jobs.claim(60)];
    const claim = claims.find((each) => each?.partnerId === partnerId)!;
    await fresh.records.jobs.release(claim, 20);
    expect(await trouble()).toEqual({
      retry: { job_id: jobs.ofOther, attempts: 1, storage_failures: 0, retry_at: timestamp },
      held_reports: 0,
      quotas: [{ what: 'rows', used: 0, quota: 10 }],
    });
  });
});
