import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { removeParty } from '../../../src/actions/remove-party.ts';
import { createServiceMetrics } from '../../../src/metrics/service-metrics.ts';
import { freshImports, type ImportingPartner, type Imports } from '../../support/imports.ts';
import { metricValues } from '../../support/metric-values.ts';

const deletionHours = 24;
const limit = deletionHours * 3_600;
let imports: Imports;
let acme: ImportingPartner;

beforeAll(async () => {
  imports = await freshImports();
  acme = await imports.partner();
});
afterAll(() => imports[Symbol.asyncDispose]());

async function values(backupTarget: string | null = null): Promise<Record<string, number>> {
  const options = { deletionHours, backupTarget, dropDeadlineDays: 45 };
  return metricValues(await createServiceMetrics(imports.records, options).metrics());
}

function device(n: number): string {
  return `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
}

test('a new service has nothing to do and all the time for deletions', async () => {
  expect(await values()).toMatchObject({
    'tributary_jobs{state="pending"}': 0,
    'tributary_jobs{state="running"}': 0,
    'tributary_jobs_ended_total{state="done"}': 0,
    'tributary_jobs_ended_total{state="failed"}': 0,
    tributary_queue_oldest_age_seconds: 0,
    tributary_fold_backlog_runs: 0,
    tributary_outdated_reports: 0,
    tributary_compaction_debt_runs: 0,
    tributary_damaged_runs: 0,
    tributary_deletion_pending_files: 0,
    tributary_deletion_pending_removals: 0,
    tributary_deletion_limit_seconds: limit,
    tributary_deletion_slack_seconds: limit,
    tributary_runs: 0,
    tributary_backup_age_seconds: Number.NaN,
    tributary_backup_failed: 0,
    tributary_privacy_requests: 0,
    tributary_privacy_oldest_request_seconds: 0,
  });
  expect(await values('/mnt/backup')).toMatchObject({
    tributary_backup_age_seconds: Number.POSITIVE_INFINITY,
  });
});

test('the queue is counted for each lane, until its jobs have ended', async () => {
  const attributeId = await acme.attribute();
  await acme.put('a.csv', `${device(1)},${attributeId}\n`);
  for (let n = 0; n < 2; n++) await acme.queue('a.csv', 0);
  const claim = await imports.claim();
  await sql`update job set created_at = now() - interval '90 seconds'`.execute(imports.db);
  const waiting = await values();
  const { name } = (await imports.records.partners.find(acme.partnerId))!;
  const lane = `partner_id="${acme.partnerId}",partner="${name}"`;
  expect(waiting).toMatchObject({
    'tributary_jobs{state="pending"}': 1,
    'tributary_jobs{state="running"}': 1,
    [`tributary_lane_jobs{${lane},state="pending"}`]: 1,
    [`tributary_lane_jobs{${lane},state="running"}`]: 1,
  });
  expect(waiting[`tributary_lane_oldest_age_seconds{${lane}}`]).toBeGreaterThanOrEqual(90);
  expect(waiting.tributary_queue_oldest_age_seconds).toBeGreaterThanOrEqual(90);

  await imports.run(claim);
  await imports.run(await imports.claim());
  const ended = await values();
  expect(ended).toMatchObject({
    'tributary_jobs{state="pending"}': 0,
    'tributary_jobs_ended_total{state="done"}': 2,
    tributary_queue_oldest_age_seconds: 0,
    tributary_fold_backlog_runs: 1,
    tributary_runs: 1,
    tributary_objects: 1,
  });
  expect(ended[`tributary_lane_jobs{${lane},state="pending"}`]).toBeUndefined();
});

test('many small imports are a debt of compaction, and deleted devices have a deadline', async () => {
  const attributeId = await acme.attribute();
  for (let n = 0; n < 13; n++) {
    await acme.put(`b${n}.csv`, `${device(100 + n)},${attributeId}\n`);
    await acme.import(`b${n}.csv`, 0);
  }
  expect(await values()).toMatchObject({
    tributary_compaction_debt_runs: 3,
    tributary_deletion_slack_seconds: limit,
  });
  await acme.delete([attributeId]);
  await sql`update run_file set dropped_at = dropped_at - interval '25 hours'`.execute(imports.db);
  const late = await values();
  expect(late).toMatchObject({
    tributary_compaction_debt_runs: 0,
    tributary_deletion_pending_files: 13,
  });
  expect(late.tributary_deletion_slack_seconds).toBeLessThanOrEqual(-3_600);
});

test('runs and objects are counted once a minute, jobs at each scrape', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  try {
    const options = { deletionHours, backupTarget: null, dropDeadlineDays: 45 };
    const source = createServiceMetrics(imports.records, options);
    const scraped = async () => metricValues(await source.metrics());
    const before = await scraped();
    await acme.put('another.csv', '');
    await acme.queue('another.csv');
    const soon = await scraped();
    expect(soon.tributary_objects).toBe(before.tributary_objects);
    expect(soon['tributary_jobs{state="pending"}']).toBe(1);
    vi.setSystemTime(Date.now() + 60_000);
    expect((await scraped()).tributary_objects).toBe(before.tributary_objects! + 1);
  } finally {
    vi.useRealTimers();
  }
  await imports.run(await imports.claim());
});

test('a removed partner has the same deadline', async () => {
  await sql`update run_file set dropped_at = null`.execute(imports.db);
  const { partnerId } = await imports.records.partners.create('gone');
  await removeParty(imports.records, { kind: 'partner', id: partnerId });
  await sql`
    update partner set removed_at = removed_at - interval '2 hours' where partner_id = ${partnerId}
  `.execute(imports.db);
  const { tributary_deletion_slack_seconds: slack, ...others } = await values();
  expect(others.tributary_deletion_pending_removals).toBe(1);
  expect(slack).toBeLessThanOrEqual(limit - 7_200);
});
