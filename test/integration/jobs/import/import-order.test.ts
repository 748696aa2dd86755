import { afterAll, beforeAll, expect, test } from 'vitest';
import { apiOf } from '../../../acceptance/api.ts';
import { until } from '../../../acceptance/service.ts';
import { deviceRows } from '../../../support/devices.ts';
import {
  type ServiceProcesses,
  startServiceProcesses,
} from '../../../support/service-processes.ts';

const partners = 3;
const connections = 4;
const jobsPerConnection = process.env.TRIBUTARY_SOAK === '1' ? 50 : 12;
const workers = 2;
const files = 7;

let service: ServiceProcesses;
let api: ReturnType<typeof apiOf>;
beforeAll(async () => {
  service = await startServiceProcesses(workers);
  api = apiOf({ url: service.apiUrl });
});
afterAll(() => service?.[Symbol.asyncDispose]());

interface Submitted {
  readonly jobId: number;
  /** The attribute's device count after the job; undefined if the job does not change it. */
  readonly leaves: number | undefined;
}

/** A partner with one attribute and files of 1, 2, 3 … devices. */
async function startPartner(): Promise<{ partnerId: number; apiKey: string }> {
  const { partner_id, apiKey } = await api.createPartner(service.adminToken, 'acme');
  await api.createAttribute(apiKey, { name: 'k', partner_foreign_key: 'k' });
  for (let devices = 1; devices <= files; devices++) {
    const content = deviceRows(0, devices, 'k');
    await api.putObject(service.adminToken, partner_id, `${devices}.csv`, content);
  }
  return { partnerId: partner_id, apiKey };
}

/** Submits jobs of every kind, one after the other. */
async function submitJobs(apiKey: string): Promise<Submitted[]> {
  const submitted: Submitted[] = [];
  for (let i = 0; i < jobsPerConnection; i++) {
    const devices = (i % files) + 1;
    switch (i % 5) {
      case 0: {
        const body = { key_type: 1, keys: ['k'] };
        const answer = await api.call('DELETE', '/v1/marketplace/import', apiKey, body);
        const { import_log_id } = (await answer.json()) as { import_log_id: number };
        submitted.push({ jobId: import_log_id, leaves: 0 });
        break;
      }
      case 1:
        submitted.push({ jobId: await queue('missing.csv', {}), leaves: undefined });
        break;
      case 2:
        submitted.push({ jobId: await queue('1.csv', { dry_run: true }), leaves: undefined });
        break;
      default:
        submitted.push({
          jobId: await queue(`${devices}.csv`, { mode: 'replace' }),
          leaves: devices,
        });
    }
  }
  return submitted;

  async function queue(path: string, more: object): Promise<number> {
    return (await api.queueImport(apiKey, path, 1, more)).import_log_id;
  }
}

test(`two workers run ${connections * jobsPerConnection} jobs of each of ${partners} partners in the order of their ids, each exactly once`, async () => {
  const all = await Promise.all(Array.from({ length: partners }, startPartner));
  const submissions = await Promise.all(
    all.map(async ({ apiKey }) => {
      const parts = Array.from({ length: connections }, () => submitJobs(apiKey));
      return (await Promise.all(parts)).flat().toSorted((a, b) => a.jobId - b.jobId);
    }),
  );
  await until('all jobs to end', async () => (await service.openJobs()) === 0, 300_000);

  const [, ...ofWorkers] = service.logged();
  const starts = startTimes(ofWorkers);
  for (const [index, { partnerId, apiKey }] of all.entries()) {
    const submitted = submissions[index] ?? [];
    const rows = await jobsOf(partnerId);
    expect(rows.map(({ jobId }) => jobId)).toEqual(submitted.map(({ jobId }) => jobId));
    expect(rows).toHaveLength(connections * jobsPerConnection);
    for (const row of rows) expect(row).toMatchObject({ attempt: 1, losses: 0 });
    const times = rows.flatMap(({ jobId, endedAt }) => [
      starts.get(jobId) ?? Number.NaN,
      endedAt.getTime(),
    ]);
    expect(times.toSorted((a, b) => a - b)).toEqual(times);
    const last = submitted.findLast(({ leaves }) => leaves !== undefined);
    expect((await api.attributes(apiKey))[0]?.unique_devices).toBe(last?.leaves);
  }
  // Both workers ran some of the jobs.
  for (const logged of ofWorkers) expect(logged).toContain('job ended');
  // Each job has one line that says how it ended.
  const ends = linesOf(ofWorkers).filter(({ outcome }) => outcome !== undefined);
  expect(ends).toHaveLength(partners * connections * jobsPerConnection);
  expect(ends.find(({ msg }) => msg === 'job failed')).toMatchObject({
    level: 'warn',
    kind: 'import',
    outcome: 'failed',
    rows: 0,
    seconds: expect.any(Number),
    error_code: 'no_files',
  });
}, 360_000);

async function jobsOf(partnerId: number) {
  const rows = await service.db
    .selectFrom('job')
    .select(['job_id', 'attempt', 'losses', 'updated_at'])
    .where('partner_id', '=', partnerId)
    .orderBy('job_id')
    .execute();
  return rows.map(({ job_id, attempt, losses, updated_at }) => ({
    jobId: job_id,
    attempt,
    losses,
    endedAt: updated_at,
  }));
}

/** When each job started, according to the workers' logs. */
function startTimes(logged: readonly string[]): Map<number, number> {
  const started = linesOf(logged).filter(({ msg }) => msg === 'job started');
  return new Map(started.map(({ job, time }) => [job, Date.parse(time)]));
}

interface LoggedLine {
  readonly msg: string;
  readonly job: number;
  readonly time: string;
  readonly outcome?: string;
}

function linesOf(logged: readonly string[]): LoggedLine[] {
  const lines = logged.flatMap((text) => text.split('\n')).filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as LoggedLine);
}
