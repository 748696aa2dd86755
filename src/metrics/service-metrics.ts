import { Counter, Gauge, Registry } from 'prom-client';
import type { Records } from '../records/records.ts';
import type { MetricsSource } from './serve-metrics.ts';

interface ServiceMetricsOptions {
  readonly deletionHours: number;
  /** Where the service backs itself up. Null: nowhere, and backups to any target count. */
  readonly backupTarget: string | null;
  /** Days within which DROP must be accessed and answered. */
  readonly dropDeadlineDays: number;
}

/**
 * Metrics of the service as a whole, read from the database at each scrape. Every API process serves
 * the same.
 */
export function createServiceMetrics(
  records: Pick<
    Records,
    | 'jobs'
    | 'universe'
    | 'compositions'
    | 'manifest'
    | 'pendingDeletions'
    | 'damagedRuns'
    | 'objectIndex'
    | 'backups'
    | 'dropSchedule'
    | 'privacyRequests'
    | 'webhookDeliveries'
  >,
  { deletionHours, backupTarget, dropDeadlineDays }: ServiceMetricsOptions,
): MetricsSource {
  const registry = new Registry();
  const queue = addQueue(registry, records.jobs);
  const warehouse = addWarehouse(registry, records, deletionHours);
  const counts = atMostEvery(countsEveryMs, addCounts(registry, records));
  const backups = addBackups(registry, records.backups, backupTarget);
  const drop = addDrop(registry, records.dropSchedule, dropDeadlineDays);
  const privacy = addPrivacy(registry, records.privacyRequests);
  const webhooks = addWebhooks(registry, records.webhookDeliveries);
  return {
    async metrics() {
      // One after the other, because a scrape must not take many connections from requests.
      await queue();
      await warehouse();
      await counts();
      await backups();
      await drop();
      await privacy();
      await webhooks();
      return registry.metrics();
    },
  };
}

type Refresh = () => Promise<void>;

/** Counting all runs and objects reads whole tables, which a scrape every few seconds must not do. */
const countsEveryMs = 60_000;

function atMostEvery(everyMs: number, refresh: Refresh): Refresh {
  let refreshedAt = Number.NEGATIVE_INFINITY;
  return async () => {
    if (Math.abs(Date.now() - refreshedAt) < everyMs) return;
    await refresh();
    refreshedAt = Date.now();
  };
}

function addQueue(registry: Registry, jobs: Records['jobs']): Refresh {
  const registers = [registry];
  const open = new Gauge({
    name: 'tributary_jobs',
    help: 'Jobs that are pending or running.',
    labelNames: ['state'],
    registers,
  });
  const ended = new Counter({
    name: 'tributary_jobs_ended_total',
    help: 'Jobs that have ended, by outcome, also after they are deleted.',
    labelNames: ['state'],
    registers,
  });
  const oldest = new Gauge({
    name: 'tributary_queue_oldest_age_seconds',
    help: 'Age of the oldest job that is pending or running; 0 if there is none.',
    registers,
  });
  const ofLane = new Gauge({
    name: 'tributary_lane_jobs',
    help: 'Pending and running jobs of each partner that has any.',
    labelNames: ['partner_id', 'partner', 'state'],
    registers,
  });
  const oldestOfLane = new Gauge({
    name: 'tributary_lane_oldest_age_seconds',
    help: 'Age of the oldest pending or running job of each partner that has any.',
    labelNames: ['partner_id', 'partner'],
    registers,
  });

  return async () => {
    const lanes = await jobs.depths();
    const counts = new Map((await jobs.counts()).map((each) => [each.state, each.jobs]));
    for (const metric of [ended, ofLane, oldestOfLane]) metric.reset();
    let age = 0;
    for (const lane of lanes) {
      const labels = { partner_id: lane.partnerId, partner: lane.name };
      const seconds = Math.max(0, Date.now() - lane.oldestSubmittedAt.getTime()) / 1000;
      ofLane.set({ ...labels, state: 'pending' }, lane.pending);
      ofLane.set({ ...labels, state: 'running' }, lane.running);
      oldestOfLane.set(labels, seconds);
      age = Math.max(age, seconds);
    }
    oldest.set(age);
    for (const state of ['pending', 'running']) open.set({ state }, counts.get(state) ?? 0);
    for (const state of ['done', 'failed', 'cancelled'])
      ended.inc({ state }, counts.get(state) ?? 0);
  };
}

function addWarehouse(
  registry: Registry,
  records: Pick<Records, 'universe' | 'compositions' | 'pendingDeletions' | 'damagedRuns'>,
  deletionHours: number,
): Refresh {
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers: [registry] });
  const foldBacklog = gauge(
    'tributary_fold_backlog_runs',
    'Added or dropped runs of attributes that are not yet folded into the universe.',
  );
  const outdated = gauge(
    'tributary_outdated_reports',
    'Audiences whose matched devices or composition will be counted again.',
  );
  const damaged = gauge(
    'tributary_damaged_runs',
    'Runs that cannot be read. The universe and reports leave them out.',
  );
  const toRewrite = gauge(
    'tributary_deletion_pending_files',
    'Files, or batches of rows in ClickHouse, that hold deleted or replaced devices.',
  );
  const removals = gauge(
    'tributary_deletion_pending_removals',
    'Removed partners and customers whose data is not deleted yet.',
  );
  const slack = gauge(
    'tributary_deletion_slack_seconds',
    'Time left to remove the oldest deleted data from disk. Negative if the time limit has passed; the whole limit if there is none.',
  );
  const limit = gauge(
    'tributary_deletion_limit_seconds',
    'Time limit for removing deleted data from disk.',
  );
  const limitSeconds = deletionHours * 60 * 60;

  return async () => {
    foldBacklog.set((await records.universe.state()).backlog);
    outdated.set((await records.compositions.backlog()).audiences);
    damaged.set(await records.damagedRuns.count());
    const pending = await records.pendingDeletions();
    toRewrite.set(pending.files);
    removals.set(pending.removals);
    limit.set(limitSeconds);
    slack.set(limitSeconds - pending.oldestSeconds);
  };
}

/** Compaction merges the runs of a segment that has more. */
const crowdedAbove = 10;

function addCounts(
  registry: Registry,
  records: Pick<Records, 'objectIndex' | 'manifest'>,
): Refresh {
  const gauge = (name: string, help: string) =>
    new Gauge({ name, help: `${help} Counted once a minute.`, registers: [registry] });
  const objects = gauge('tributary_objects', 'Objects in the embedded object store.');
  const objectBytes = gauge('tributary_object_bytes', 'Their size.');
  const runs = gauge('tributary_runs', 'Runs in the warehouse.');
  const runBytes = gauge('tributary_run_bytes', 'Their size.');
  const debt = gauge(
    'tributary_compaction_debt_runs',
    'Runs beyond ten in a segment, which compaction will merge.',
  );
  return async () => {
    const stored = await records.objectIndex.totals();
    objects.set(stored.objects);
    objectBytes.set(stored.bytes);
    const held = await records.manifest.totals();
    runs.set(held.runs);
    runBytes.set(held.bytes);
    debt.set(await records.manifest.crowdedBy(crowdedAbove));
  };
}

function addBackups(
  registry: Registry,
  backups: Records['backups'],
  target: string | null,
): Refresh {
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers: [registry] });
  const age = gauge(
    'tributary_backup_age_seconds',
    'Age of the newest backup. If there is none: infinite, or NaN without a target and without an attempt.',
  );
  const bytes = gauge(
    'tributary_backup_bytes',
    'Size of the newest backup, with the files that it shares with others.',
  );
  const failed = gauge(
    'tributary_backup_failed',
    '1 if the last attempt to make a backup failed, otherwise 0.',
  );
  return async () => {
    const { success, attempt } = await backups.latest(target);
    // Without a target and without an attempt, the operator has other tools, and no alert must fire.
    const isExpected = target !== null || attempt !== undefined;
    const never = isExpected ? Number.NEGATIVE_INFINITY : Number.NaN;
    const startedAt = success?.startedAt?.getTime() ?? never;
    age.set(Math.max(0, Date.now() - startedAt) / 1000);
    bytes.set(success?.bytes ?? 0);
    failed.set(attempt?.state === 'failed' ? 1 : 0);
  };
}

function addDrop(
  registry: Registry,
  schedule: Records['dropSchedule'],
  deadlineDays: number,
): Refresh {
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers: [registry] });
  const limitSeconds = deadlineDays * 24 * 60 * 60;
  const slack = gauge(
    'tributary_drop_slack_seconds',
    'Time left until DROP must be accessed again, or until the oldest list must be answered. Infinite if DROP is not used.',
  );
  const limit = gauge('tributary_drop_limit_seconds', 'TRIBUTARY_DROP_DEADLINE_DAYS.');
  const failed = gauge(
    'tributary_drop_failed',
    '1 if a cycle of DROP, or the last call of its API, has a problem, otherwise 0.',
  );
  limit.set(limitSeconds);
  return async () => {
    const { accessedAt, oldestOpenAt, hasProblem } = await schedule.standing();
    const times = [accessedAt, oldestOpenAt].filter((time) => time !== null);
    const oldest = Math.min(...times.map((time) => time.getTime()));
    slack.set(limitSeconds - (Date.now() - oldest) / 1000);
    failed.set(hasProblem ? 1 : 0);
  };
}

function addPrivacy(registry: Registry, requests: Records['privacyRequests']): Refresh {
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers: [registry] });
  const open = gauge('tributary_privacy_requests', 'Privacy requests that are not done.');
  const oldest = gauge(
    'tributary_privacy_oldest_request_seconds',
    'Age of the oldest privacy request that is not done; 0 if there is none.',
  );
  return async () => {
    const backlog = await requests.backlog();
    open.set(backlog.requests);
    oldest.set(backlog.oldestSeconds);
  };
}

function addWebhooks(registry: Registry, deliveries: Records['webhookDeliveries']): Refresh {
  const registers = [registry];
  const pending = new Gauge({
    name: 'tributary_webhook_pending_events',
    help: 'Events that are not delivered yet, counted once for each webhook.',
    registers,
  });
  const overdue = new Gauge({
    name: 'tributary_webhook_overdue_seconds',
    help: 'How long the oldest due event has waited, except for webhooks that are disabled or paused after a failure; 0 if none is due.',
    registers,
  });
  const givenUp = new Gauge({
    name: 'tributary_webhooks_disabled',
    help: 'Webhooks that the service disabled, because their receiver failed for days or answered 410.',
    registers,
  });
  return async () => {
    const standing = await deliveries.standing();
    pending.set(standing.pending);
    overdue.set(standing.oldestDueSeconds);
    givenUp.set(standing.givenUp);
  };
}
