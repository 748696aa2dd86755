import type { Config } from '../config/config.ts';
import { type Finding, failure, ok, warning } from '../domain/finding.ts';
import type { PendingDeletions } from '../records/pending-deletions.ts';
import type { Records } from '../records/records.ts';
import type { WebhookStanding } from '../records/webhooks/webhook-deliveries.ts';
import { countText, daysText, hoursText, namesText } from './text.ts';

const oldJobSeconds = 3_600;
const manyRuns = 1_000;
const lateWebhookSeconds = 600;

/** Jobs, folds, deletions and damaged runs: what waits, and what will be late. */
export async function checkWork(config: Config, records: Records): Promise<Finding[]> {
  const { deletionHours } = config;
  const { damagedRuns, universe, manifest } = records;
  const lanes = await records.jobs.depths();
  const ages = lanes.map(({ name, oldestSubmittedAt }) => ({
    name,
    seconds: (Date.now() - oldestSubmittedAt.getTime()) / 1000,
  }));
  const old = ages.filter(({ seconds }) => seconds > oldJobSeconds).map(({ name }) => name);
  const waiting = lanes.reduce((sum, lane) => sum + lane.pending, 0);
  const running = lanes.reduce((sum, lane) => sum + lane.running, 0);
  const queue = `pending: ${waiting}, running: ${running}`;
  const findings = [
    old.length === 0
      ? ok('queue', queue)
      : warning(
          'queue',
          `${queue}; jobs of ${namesText(old)} are older than an hour`,
          'See docs/operating.md, "TributaryQueueOld".',
        ),
  ];
  if (await records.jobs.haveSuspects()) {
    const advice = 'See docs/operating.md, "TributaryJobsLost".';
    findings.push(warning('jobs', 'a job has lost its worker twice or more', advice));
  }
  findings.push(
    checkDeletions(deletionHours * 3_600, await records.pendingDeletions()),
    checkDebt((await universe.state()).backlog, await manifest.crowdedBy(10)),
  );
  findings.push(checkBackup(config, await records.backups.latest(config.backup.target)));
  findings.push(...checkDrop(config, await records.dropSchedule.standing()));
  findings.push(...checkWebhooks(await records.webhookDeliveries.standing()));
  const damaged = await damagedRuns.count();
  if (damaged > 0) {
    const found = `${countText(damaged, 'run')} cannot be read`;
    findings.push(failure('damage', found, 'See docs/operating.md, "TributaryDamagedRuns".'));
  }
  return findings;
}

function checkDeletions(
  limitSeconds: number,
  { files, removals, oldestSeconds }: PendingDeletions,
): Finding {
  const slack = limitSeconds - oldestSeconds;
  if (files + removals === 0) return ok('deletions', 'no deleted data is on disk');
  const advice = 'See docs/operating.md, "TributaryDeletionLate".';
  if (slack < 0) {
    const found = `deleted data should have left the disk ${hoursText(-slack)} ago`;
    return failure('deletions', found, advice);
  }
  const found = `deleted data: ${files} files, ${removals} removed partners and customers; ${hoursText(slack)} left`;
  return slack < limitSeconds / 4 ? warning('deletions', found, advice) : ok('deletions', found);
}

function checkDebt(foldBacklog: number, crowdedBy: number): Finding {
  const found = `runs to fold: ${foldBacklog}, to merge: ${crowdedBy}`;
  if (foldBacklog <= manyRuns && crowdedBy <= manyRuns) return ok('maintenance', found);
  const advice = 'See docs/operating.md, "TributaryFoldBehind" and "TributaryCompactionBehind".';
  return warning('maintenance', found, advice);
}

type DropStanding = Awaited<ReturnType<Records['dropSchedule']['standing']>>;

/** Nothing if DROP is not used. */
function checkDrop({ drop }: Config, standing: DropStanding): Finding[] {
  const { accessedAt, oldestOpenAt, hasProblem } = standing;
  const times = [accessedAt, oldestOpenAt].filter((time) => time !== null);
  if (times.length === 0) return [];
  const oldest = Math.min(...times.map((time) => time.getTime()));
  const ageSeconds = Math.max(0, Date.now() - oldest) / 1000;
  const slack = drop.deadlineDays * 24 * 3_600 - ageSeconds;
  const advice = 'See docs/operating.md, "TributaryDropLate" and "TributaryDropFailed".';
  if (slack < 0) {
    const found = `the time limit of DROP passed ${daysText(-slack)} ago`;
    return [failure('drop', found, advice)];
  }
  const open = oldestOpenAt === null ? 'every list is answered' : 'a list is not answered yet';
  const found = `${open}; ${daysText(slack)} left${hasProblem ? '; there is a problem' : ''}`;
  const isLate = hasProblem || slack < ageSeconds;
  return [isLate ? warning('drop', found, advice) : ok('drop', found)];
}

/** Nothing if no webhook needs attention. */
function checkWebhooks({ oldestDueSeconds, givenUp }: WebhookStanding): Finding[] {
  const found = [];
  if (oldestDueSeconds > lateWebhookSeconds) {
    found.push(`an event should have been sent ${hoursText(oldestDueSeconds)} ago`);
  }
  if (givenUp > 0) found.push(`the service disabled ${countText(givenUp, 'webhook')}`);
  if (found.length === 0) return [];
  return [warning('webhooks', found.join('; '), 'See docs/operating.md, "Webhooks".')];
}

type LatestBackups = Awaited<ReturnType<Records['backups']['latest']>>;

function checkBackup({ backup }: Config, { success, attempt }: LatestBackups): Finding {
  const ageSeconds = (Date.now() - (success?.startedAt?.getTime() ?? 0)) / 1000;
  const found = success ? `the newest is ${hoursText(ageSeconds)} old` : 'there is none';
  const advice = 'See docs/operating.md, "TributaryBackupOld" and "TributaryBackupFailed".';
  if (attempt?.state === 'failed') {
    return warning('backup', `${found}; the last attempt failed`, advice);
  }
  // Without a target, the operator has other tools.
  const isLate = backup.target !== null && ageSeconds > 2 * backup.hours * 3_600;
  return isLate ? warning('backup', found, advice) : ok('backup', found);
}
