import { type RawBuilder, sql } from 'kysely';
import type { ImportProblem } from '../../domain/import-problems.ts';
import { type JobKind, type JobState, logType } from '../../domain/job.ts';
import { limits } from '../../domain/limits.ts';
import { atomically, type Database } from '../database/connection.ts';
import { hasText } from '../database/has-text.ts';
import { onlyOf } from '../database/only-of.ts';
import { type JobProgress, joinCurrentProgress, progressColumns } from './job-progress.ts';
import { fileProblems, summaryOf } from './load-problems.ts';

export interface RecentJob extends JobProgress {
  readonly jobId: number;
  readonly kind: JobKind | 'dry_run' | 'erasure';
  /** The path of its files as submitted, with the prefix for an audience; null for a deletion. */
  readonly path: string | null;
  /** The first keys of a deletion, and how many there are in total. */
  readonly keys: string[] | null;
  readonly keyCount: number | null;
  readonly audience: {
    readonly audienceId: number;
    readonly segmentId: number;
    readonly name: string;
  } | null;
  /** For an audience's load: the valid rows of the files that it has loaded. */
  readonly totalRows: number;
  readonly uniqueDevices: number | null;
  /** The problem that made the job or one of its files fail, or else its first problem. */
  readonly problem: Pick<ImportProblem, 'code' | 'message'> | null;
  readonly problemCount: number;
  readonly createdAt: Date;
}

interface JobFilter {
  readonly state: JobState | null;
  readonly kind: RecentJob['kind'] | null;
  /** In the path or the name of the audience, or the id. Empty: any job. */
  readonly search: string;
}

interface JobChoice extends JobFilter {
  readonly limit: number;
  /** Only jobs with a lower id. */
  readonly after: number | null;
}

export interface JobPage<T, Next> {
  readonly jobs: T[];
  /** Where the next page begins. Null on the last page. */
  readonly next: Next | null;
}

export type RecentJobs = ReturnType<typeof createRecentJobs>;

/** A deletion may have ten thousand keys, and this list is read often. */
const shownKeys = 20;

const searchTimeoutMs = 2_000;

/** A partner's jobs of every kind. */
export function createRecentJobs(db: Database) {
  return {
    /**
     * The latest jobs that match, newest first. With a filter, a page ends after a limited number of jobs,
     * matching or not, because a filter that nothing matches would read all jobs of the partner.
     */
    async latest(partnerId: number, choice: JobChoice): Promise<JobPage<RecentJob, number>> {
      const { limit, after, ...filter } = choice;
      const condition = matches(filter);
      if (condition === null) {
        const jobs = await read(db, partnerId, earlierJobs(partnerId, after, limit + 1), limit);
        return { jobs: jobs.slice(0, limit), next: nextAfter(jobs, limit) };
      }
      const most = limits.searchedJobs.most;
      const searched = earlierJobs(partnerId, after, most);
      return atomically(db, async (tx) => {
        await sql`set local statement_timeout = ${sql.lit(searchTimeoutMs)}`.execute(tx);
        const matching = sql`select * from (${searched}) as job where ${condition}`;
        const jobs = await read(tx, partnerId, matching, limit);
        const next = nextAfter(jobs, limit) ?? (await lastSearched(tx, searched, most));
        return { jobs: jobs.slice(0, limit), next };
      });
    },
  };
}

/** The last job of a page, if there is a job beyond the limit. */
function nextAfter(jobs: readonly RecentJob[], limit: number): number | null {
  return jobs.length > limit ? jobs[limit - 1]!.jobId : null;
}

/**
 * Reads one more than the limit, from one snapshot. The places in the queue come from one window over the
 * unfinished jobs, because a count for each listed job reads them again and again.
 */
async function read(
  db: Database,
  partnerId: number,
  matching: RawBuilder<unknown>,
  limit: number,
): Promise<RecentJob[]> {
  const { rows } = await sql<RecentJob>`
        with latest as (
          select * from (${matching}) as job
          order by partner_id desc, job_id desc
          limit ${limit + 1}
        ), ahead as (
          select job_id, count(*) filter (where state = 'pending') over earlier as pending,
            max(job_id) over earlier as next
          from job
          where partner_id = ${partnerId} and state in ('pending', 'running')
          window earlier as (order by job_id rows between unbounded preceding and 1 preceding)
        )
        select job.job_id as "jobId", job.created_at as "createdAt", ${progressColumns},
          ${subjectColumns},
          case when job.kind = 'audience' then jsonb_build_object(
            'audienceId', audience.audience_id, 'segmentId', segment_id, 'name', name
          ) end as audience,
          coalesce(total_rows, loaded_rows, 0) as "totalRows", unique_devices as "uniqueDevices",
          summary.problem, summary.problems as "problemCount"
        from latest as job
        left join ahead using (job_id)
        ${joinCurrentProgress}
        left join import_log on import_log.job_id = job.job_id
        left join audience_load on audience_load.job_id = job.job_id
        left join audience using (audience_id)
        ${problemsOfJobs}
        order by job.job_id desc
      `.execute(db);
  return rows;
}

/** The partner's jobs before the one with that id, newest first. */
function earlierJobs(partnerId: number, before: number | null, most: number): RawBuilder<unknown> {
  const partner = sql`${partnerId}::bigint`;
  return sql`
    select * from job
    where ${onlyOf(sql`partner_id`, partner, sql`job_id`)}
      and (partner_id, job_id) < (${partner}, ${before ?? Number.MAX_SAFE_INTEGER}::bigint)
    order by partner_id desc, job_id desc
    limit ${most}
  `;
}

/** The last of the jobs that a search looked at; null if there are no others, queued since a time if given. */
export async function lastSearched(
  db: Database,
  searched: RawBuilder<unknown>,
  most: number,
  since: Date | null = null,
): Promise<number | null> {
  const { rows } = await sql<{ last: number }>`
    select min(job_id) as last from (${searched}) as job
    having count(*) = ${most} and coalesce(min(created_at) >= ${since}::timestamptz, true)
  `.execute(db);
  return rows[0]?.last ?? null;
}

const kindOfJob = sql`
  case log_type when ${logType.dryRun} then 'dry_run' when ${logType.erasure} then 'erasure'
    else job.kind end
`;

/** Null if every job matches. Reads the log of a job only if the filter needs it. */
function matches({ state, kind, search }: JobFilter): RawBuilder<boolean> | null {
  const conditions = [
    ...(state === null ? [] : [sql<boolean>`state = ${state}`]),
    ...(kind === null
      ? []
      : [
          sql<boolean>`${kind} = (
            select ${kindOfJob} from (select 1) as one
            left join import_log on import_log.job_id = job.job_id
          )`,
        ]),
    ...(search === ''
      ? []
      : [
          sql<boolean>`(
            job.job_id::text = ${search}
            or exists (
              select from import_log
              where import_log.job_id = job.job_id and ${hasText(sql`file_path`, search)}
            )
            or exists (
              select from audience_load join audience using (audience_id)
              where audience_load.job_id = job.job_id
                and (${hasText(sql`name`, search)} or ${hasText(sql`path`, search)})
            )
          )`,
        ]),
  ];
  return conditions.length === 0 ? null : sql`${sql.join(conditions, sql` and `)}`;
}

/** What a job does, and to what. Needs `job`, its `import_log` and its `audience_load`. */
export const subjectColumns = sql`
  ${kindOfJob} as kind,
  case job.kind when 'import' then file_path when 'audience' then path end as path,
  jsonb_path_query_array(keys, ${`$[0 to ${shownKeys - 1}]`}) as keys,
  jsonb_array_length(keys) as "keyCount"
`;

/** The problems of a job. A load that has ended keeps those of its files, which later loads and a clear change. */
export const problemsOfJobs = sql`
  cross join lateral (${summaryOf(sql`
    select 0 as nth, import_log.errors as problems, jsonb_array_length(import_log.errors) as count
    union all
    select 0, jsonb_build_array(audience_load.problem), 1
    where audience_load.problem is not null
    union all
    select 1, jsonb_build_array(first_file_problem), file_problems
    where audience_load.file_problems > 0
    union all
    select * from (${fileProblems}) as files
    where audience_load.file_problems is null
  `)}) as summary
`;
