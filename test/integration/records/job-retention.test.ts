import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { appendToAudience } from '../../../src/actions/append-to-audience.ts';
import { clearAudience } from '../../../src/actions/clear-audience.ts';
import { createAudience } from '../../../src/actions/create-audience.ts';
import { enterAudienceFiles } from '../../../src/actions/enter-audience-files.ts';
import { queueImport } from '../../../src/actions/queue-import.ts';
import { pruneExpired } from '../../../src/jobs/worker/prune-expired.ts';
import type { LoaderScope } from '../../../src/records/audiences/audience-scope.ts';
import type { Records } from '../../../src/records/records.ts';
import { type FreshRecords, freshRecords } from '../../support/database.ts';

let fresh: FreshRecords;
let records: Records;
let acme: LoaderScope;

beforeEach(async () => {
  fresh = await freshRecords();
  ({ records } = fresh);
  const { partnerId } = await records.partners.create('acme');
  acme = { partnerId, customerId: null };
});
afterEach(() => fresh[Symbol.asyncDispose]());

const { signal } = new AbortController();
const retention = {
  jobDays: 400,
  progressDays: 7,
  auditDays: 400,
  auditReadDays: 30,
  auditObjectDays: 90,
};

const call = {
  actor: 'operator',
  requestId: 'r',
  action: 'a',
  target: 't',
  remoteAddress: '::1',
  partnerId: null,
  apiKeyId: null,
  accessKeyId: null,
  customerId: null,
  userId: null,
  clientId: null,
} as const;

async function prune() {
  return pruneExpired(records, retention).run(signal);
}

/** Lets that many days pass for everything that is recorded. */
async function pass(days: number): Promise<void> {
  const earlier = (column: string) =>
    sql`${sql.ref(column)} = ${sql.ref(column)} - ${days} * interval '1 day'`;
  await sql`update job set ${earlier('created_at')}, ${earlier('updated_at')}`.execute(fresh.db);
  await sql`update job_progress set ${earlier('updated_at')}`.execute(fresh.db);
  await sql`update audit_entry set ${earlier('called_at')}`.execute(fresh.db);
}

async function idsIn(
  table: 'job' | 'import_log' | 'audience_load' | 'job_progress' | 'import_file',
) {
  const { rows } = await sql<{ jobId: number }>`
    select distinct job_id as "jobId" from ${sql.table(table)} order by job_id
  `.execute(fresh.db);
  return rows.map(({ jobId }) => jobId);
}

/** Queues and ends an import with a file and progress. */
async function endedImport(): Promise<number> {
  const place = { filePath: 'a.csv', pathType: 0, keyType: 0 } as const;
  const jobId = await queueImport(records, acme.partnerId, place);
  const claim = (await records.jobs.claim(60))!;
  await records.importFiles.begin(claim, ['partner-1/a.csv']);
  await records.jobProgress.save(claim, { bytesRead: 9, bytesTotal: 9, rowsRead: 1 });
  await records.jobs.settle(claim, 'done');
  return jobId;
}

/** Ends the load at the head of the lane, which loads this file. */
async function endLoad(s3Path: string, outcome: 'done' | 'failed' = 'done'): Promise<number> {
  const claim = (await records.jobs.claim(60))!;
  const load = await records.audienceLoads.request(claim.jobId);
  await enterAudienceFiles(records, claim, load, [s3Path]);
  const ended = { s3Path, etag: 'e', outcome: 'done', rows: 10, problems: [] } as const;
  await records.audienceFiles.end(load.audienceId, [ended]);
  await records.jobs.settle(claim, outcome);
  return claim.jobId;
}

describe('pruning', () => {
  test('removes old imports with their files, but not the last 100 logs of a partner', async () => {
    await sql`
      insert into job (partner_id, kind, state, attempt) select 1, 'import', 'done', 1
      from generate_series(1, 2500)
    `.execute(fresh.db);
    await sql`
      insert into import_log (job_id, log_type, file_path, path_type, key_type)
      select job_id, 0, 'a.csv', 0, 0 from job
    `.execute(fresh.db);
    await sql`
      insert into import_file (job_id, attempt, position, s3_path) select job_id, 1, 0, 'a' from job
    `.execute(fresh.db);
    const other = (await records.partners.create('bravo')).partnerId;
    await queueImport(records, other, { filePath: 'b.csv', pathType: 0, keyType: 0 });
    const claim = (await records.jobs.claim(60))!;
    await records.jobs.settle(claim, 'done');
    await pass(399);
    expect(await prune()).toMatchObject({ jobs: 0 });
    await pass(2);
    const recent = await endedImport();

    expect(await prune()).toMatchObject({ jobs: 2401 });
    const kept = [...Array.from({ length: 99 }, (_, n) => 2402 + n), 2501, recent];
    expect(await idsIn('job')).toEqual(kept);
    expect(await idsIn('import_log')).toEqual(kept);
    expect(await idsIn('import_file')).toEqual(kept.filter((id) => id !== 2501));
    expect(await records.importLogs.latest(acme.partnerId, 100)).toHaveLength(100);
    expect(await records.importLogs.find(acme.partnerId, 1)).toBeUndefined();
    expect(await prune()).toMatchObject({ jobs: 0 });
  });

  test('keeps what an audience needs: its files, its status and its last load', async () => {
    const { audienceId } = await createAudience(records, acme, 'Tea drinkers', 'a');
    await endLoad('a');
    await appendToAudience(records, acme, audienceId, 'b');
    const last = await endLoad('b', 'failed');
    const before = await records.audiences.details(acme, audienceId);
    expect(before).toMatchObject({ state: 'failed', files: [{ s3Path: 'a' }, { s3Path: 'b' }] });
    await pass(401);
    await appendToAudience(records, acme, audienceId, 'c');
    const pending = (await idsIn('job')).at(-1)!;

    expect(await prune()).toMatchObject({ jobs: 1 });
    expect(await idsIn('job')).toEqual([last, pending]);
    expect(await idsIn('audience_load')).toEqual([last, pending]);
    const details = await records.audiences.details(acme, audienceId);
    expect(details).toMatchObject({ state: 'pending', files: before!.files });
    // A file is skipped for ever once it is loaded.
    const loaded = await records.audienceFiles.loaded(audienceId, ['a', 'b', 'c']);
    expect([...loaded.keys()]).toEqual(['a', 'b']);
    expect(await endLoad('c')).toBe(pending);
    await pass(401);
    expect(await prune()).toMatchObject({ jobs: 1 });
    expect(await records.audiences.find(acme, audienceId)).toMatchObject({ state: 'done' });

    // Nothing needs a load from before a clear.
    await clearAudience(records, acme, audienceId);
    expect(await prune()).toMatchObject({ jobs: 1 });
    expect(await records.audiences.find(acme, audienceId)).toMatchObject({ state: 'done' });
    // Pruned jobs still count.
    const counts = await records.jobs.counts();
    expect(counts.reduce((sum, { jobs }) => sum + jobs, 0)).toBe(3);
  });

  test('never touches a job that has not ended, however old', async () => {
    await createAudience(records, acme, 'Tea drinkers', 'a');
    const claim = (await records.jobs.claim(60))!;
    await records.jobProgress.save(claim, { bytesRead: 5, bytesTotal: 9, rowsRead: 1 });
    for (let n = 0; n < 3; n++) {
      await queueImport(records, acme.partnerId, { filePath: 'a', pathType: 0, keyType: 0 });
    }
    await pass(1_000);
    expect(await prune()).toMatchObject({ jobs: 0, progress: 0 });
    expect(await records.jobProgress.of(acme.partnerId, claim.jobId)).toMatchObject({
      bytesRead: 5,
    });
  });

  test('keeps a job whose rejects are kept', async () => {
    const { audienceId } = await createAudience(records, acme, 'Tea drinkers', 'a');
    const first = await endLoad('a');
    await sql`
      insert into import_reject (job_id, attempt, position, line, code, original)
      values (${first}, 1, 0, 1, 'malformed_id', 'x')
    `.execute(fresh.db);
    await appendToAudience(records, acme, audienceId, 'b');
    const second = await endLoad('b');
    await pass(10);
    const shortly = { ...retention, jobDays: 2 };
    expect(await pruneExpired(records, shortly).run(signal)).toMatchObject({ jobs: 0 });
    await pass(21);
    expect(await pruneExpired(records, shortly).run(signal)).toMatchObject({ rejects: 1, jobs: 1 });
    expect(await idsIn('job')).toEqual([second]);
  });

  test('removes progress a week after the job ended, and old entries of the audit log', async () => {
    const jobId = await endedImport();
    await records.auditLog.begin(call);
    await pass(6);
    expect(await prune()).toMatchObject({ progress: 0, auditEntries: 0 });
    await pass(2);
    expect(await prune()).toMatchObject({ progress: 1, auditEntries: 0 });
    expect(await records.jobProgress.of(acme.partnerId, jobId)).toMatchObject({
      state: 'done',
      bytesRead: 0,
    });
    await pass(400);
    await records.auditLog.begin(call);
    expect(await prune()).toMatchObject({ auditEntries: 1 });
    expect(await records.auditLog.list({}, { after: null, limit: 10 })).toHaveLength(1);
  });

  test('removes reads of the audit log earlier than changes, and counts of jobs after 90 days', async () => {
    await endedImport();
    await records.auditLog.begin({ ...call, action: 'POST /admin/v1/partners' });
    for (const method of ['GET', 'HEAD']) {
      await records.auditLog.begin({ ...call, action: `${method} /admin/v1/status` });
    }
    await pass(31);
    expect(await prune()).toMatchObject({ auditEntries: 2, jobDays: 0 });
    const [kept] = await records.auditLog.list({}, { after: null, limit: 10 });
    expect(kept?.action).toBe('POST /admin/v1/partners');
    expect((await records.jobDays.list(1))[0]).toMatchObject({ done: 1 });
    await sql`update job_day set day = day - 90`.execute(fresh.db);
    expect(await prune()).toMatchObject({ jobDays: 1 });
  });

  test('removes entries of the audit log about objects earlier than others', async () => {
    await records.auditLog.begin(call);
    await records.auditLog.begin({ ...call, action: 's3:PutObject' });
    await records.auditLog.begin({ ...call, action: 's3:DeleteObject' });
    await pass(89);
    expect(await prune()).toMatchObject({ auditEntries: 0 });
    await pass(2);
    await records.auditLog.begin({ ...call, action: 's3:PutObject' });
    expect(await prune()).toMatchObject({ auditEntries: 2 });
    const left = await records.auditLog.list({}, { after: null, limit: 10 });
    expect(left.map(({ action }) => action)).toEqual(['s3:PutObject', 'a']);
  });
});
