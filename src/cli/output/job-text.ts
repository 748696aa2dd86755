import type { paths } from '../../client/openapi.ts';
import { card, count, table, time } from './print.ts';

/** Any job of a partner. Unlike an import log, it can also be the load of an audience. */
export type Job =
  paths['/v1/console/jobs']['get']['responses'][200]['content']['application/json'][number];

const kinds: Readonly<Record<Job['kind'], string>> = {
  import: 'import',
  dry_run: 'dry run',
  deletion: 'deletion',
  erasure: 'erasure',
  audience: 'audience load',
};

export function jobTable(jobs: readonly Job[]): string {
  const rows = jobs.map((job) => ({
    id: String(job.job_id),
    kind: kinds[job.kind],
    status: job.state,
    path: subjectOf(job),
    rows: job.total_rows,
    devices: job.unique_devices,
    problems: job.problem_count,
    updated: time(job.updated_at),
  }));
  return table(rows, 'There are no jobs yet.', ['devices']);
}

/** The load of an audience, which has no import log. */
export function loadCard(job: Job): string {
  const members = card({
    id: String(job.job_id),
    kind: kinds[job.kind],
    status: job.state,
    audience: job.audience && `${job.audience.audience_id} (${job.audience.name})`,
    path: job.path,
    rows: job.total_rows,
    problems: job.problem_count,
    created: time(job.created_at),
    updated: time(job.updated_at),
  });
  if (job.problem === null) return members;
  const rest = job.audience && `All problems: tributary audience show ${job.audience.audience_id}`;
  return [members, `${job.problem.code}\n  ${job.problem.message}`, rest].join('\n\n');
}

function subjectOf({ path, keys, key_count, audience }: Job): string | null {
  if (audience) return `${audience.name}, from ${path}`;
  if (keys === null || key_count === null) return path;
  const [first = ''] = keys;
  return key_count === 1 ? first : `${first} and ${count(key_count - 1)} more`;
}
