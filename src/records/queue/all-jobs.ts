import { type RawBuilder, sql } from 'kysely';
import { failureCodes, type ImportProblem } from '../../domain/import-problems.ts';
import { type JobState, logType } from '../../domain/job.ts';
import { limits } from '../../domain/limits.ts';
import type { Page } from '../../domain/page.ts';
import type { Database } from '../database/connection.ts';
import { onlyOf } from '../database/only-of.ts';
import { fileProblems, rejectedRowsOf } from './load-problems.ts';
import {
  type JobPage,
  lastSearched,
  problemsOfJobs,
  type RecentJob,
  subjectColumns,
} from './recent-jobs.ts';

/** A job of any partner, as the operator sees it. */
export interface AnyJob
  extends Pick<
    RecentJob,
    | 'jobId'
    | 'kind'
    | 'path'
    | 'keys'
    | 'keyCount'
    | 'totalRows'
    | 'uniqueDevices'
    | 'problem'
    | 'problemCount'
    | 'createdAt'
  > {
  readonly partnerId: number;
  readonly partnerName: string;
  readonly state: JobState;
  readonly audience: { readonly audienceId: number; readonly name: string } | null;
  /** Rows that its problems rejected. */
  readonly rejectedRows: number;
  /** How often a worker began it, and how often it lost its worker. */
  readonly attempts: number;
  readonly losses: number;
  /** When the last attempt began. */
  readonly startedAt: Date | null;
  /** Null until it has ended. */
  readonly endedAt: Date | null;
}

export interface JobFile {
  readonly path: string;
  readonly state: 'pending' | 'running' | 'done' | 'failed';
  readonly rows: number;
  /** Null for a file of an audience, whose problems have the number. */
  readonly rejectedRows: number | null;
}

export interface JobDetails extends AnyJob {
  /** What made the job or a file fail comes first. Of an ended load, those of files that it still has. */
  readonly problems: readonly ImportProblem[];
  readonly files: readonly JobFile[];
  /** Of the call that queued the job. Null if the audit log no longer has it. */
  readonly requestId: string | null;
}

/** Which jobs to read. Without a filter, all. */
export interface JobFilter {
  readonly partnerId?: number | undefined;
  readonly kind?: AnyJob['kind'] | undefined;
  readonly state?: JobState | undefined;
  /** When it was queued. */
  readonly since?: Date | undefined;
  readonly until?: Date | undefined;
  /** Failed jobs come before others. */
  readonly failuresFirst?: boolean | undefined;
}

/** A partner with failed jobs. */
export interface LaneFailures {
  readonly partnerId: number;
  readonly name: string;
  readonly failed: number;
  readonly lastFailedAt: Date;
}

/** A job that waits for its next attempt. */
export interface Retry {
  readonly jobId: number;
  readonly attempts: number;
  readonly storageFailures: number;
  readonly retryAt: Date;
}

const shownProblems = 200;
const shownFiles = 100;

export type AllJobs = ReturnType<typeof createAllJobs>;

/** The jobs of all partners. */
export function createAllJobs(db: Database) {
  return {
    /**
     * Newest first. A page ends after a limited number of jobs, matching or not, because a filter that
     * nothing matches would read all jobs.
     */
    async list(
      filter: JobFilter,
      { after, limit }: Page<string>,
    ): Promise<JobPage<AnyJob, string>> {
      const [rank, before] = after === null ? [0, Number.MAX_SAFE_INTEGER] : parsedCursor(after);
      const jobs: AnyJob[] = [];
      for (const part of partsOf(filter).slice(rank)) {
        const first = part.rank === rank ? before : Number.MAX_SAFE_INTEGER;
        const searched = earlierJobs(filter, part, first);
        const wanted = limit - jobs.length;
        const { rows } = await sql<AnyJob>`
          with page as (
            select * from (${searched}) as job where ${part.condition} and ${matching(filter)}
            order by ${orderOf(filter)} limit ${wanted + 1}
          )
          ${jobsIn(sql`page`)} order by job.job_id desc
        `.execute(db);
        jobs.push(...rows.slice(0, wanted));
        const beyond = rows[wanted];
        const next = beyond
          ? beyond.jobId + 1
          : await lastSearched(db, searched, limits.operatorSearchedJobs.most, filter.since);
        if (next !== null) return { jobs, next: `${part.rank}-${next}` };
      }
      return { jobs, next: null };
    },

    async find(jobId: number): Promise<JobDetails | undefined> {
      const { rows } = await sql<AnyJob>`
        with page as (select * from job where job_id = ${jobId})
        ${jobsIn(sql`page`)}
      `.execute(db);
      const job = rows[0];
      if (!job) return undefined;
      return {
        ...job,
        problems: await problemsOf(jobId),
        files: await filesOf(jobId),
        requestId: await requestIdOf(jobId),
      };
    },

    /** The partner's next job, if a worker has tried it before. */
    async retrying(partnerId: number): Promise<Retry | undefined> {
      const { rows } = await sql<Retry & { state: JobState }>`
        select job_id as "jobId", attempt as attempts, storage_failures as "storageFailures",
          available_at as "retryAt", state
        from job where partner_id = ${partnerId} and state in ('pending', 'running')
        order by job_id limit 1
      `.execute(db);
      const head = rows[0];
      return head?.state === 'pending' && head.attempts > 0 ? head : undefined;
    },

    /** The partners whose jobs failed in the last hours, the latest failure first. */
    async failures(hours: number): Promise<LaneFailures[]> {
      const { rows } = await sql<LaneFailures>`
        select partner_id as "partnerId", name, count(*) as failed,
          max(job.updated_at) as "lastFailedAt"
        from job join partner using (partner_id)
        where state = 'failed' and job.updated_at > now() - ${hours} * interval '1 hour'
        group by partner_id, name
        order by max(job.updated_at) desc
      `.execute(db);
      return rows;
    },
  };

  async function problemsOf(jobId: number): Promise<ImportProblem[]> {
    const { rows } = await sql<{ problem: ImportProblem }>`
      select problem from (
        select 0::bigint as nth, errors as problems from import_log where job_id = ${jobId}
        union all
        select 0, jsonb_build_array(problem) from audience_load
        where job_id = ${jobId} and problem is not null
        union all
        select files.nth, files.problems from audience_load
        cross join lateral (${fileProblems}) as files
        where audience_load.job_id = ${jobId}
      ) as found
      cross join lateral jsonb_array_elements(problems) with ordinality as entry (problem, place)
      order by problem ->> 'code' = any(${[...failureCodes]}::text[]) desc, nth, place
      limit ${shownProblems}
    `.execute(db);
    return rows.map(({ problem }) => problem);
  }

  /** The first files that the last attempt found. */
  async function filesOf(jobId: number): Promise<JobFile[]> {
    const { rows } = await sql<JobFile>`
      (
        select s3_path as path,
          case when file.state = 'running' and job.state = 'failed' then 'failed'
            else file.state end as state,
          total_rows as rows, rejected_rows as "rejectedRows"
        from import_file as file join job using (job_id, attempt)
        where job_id = ${jobId} and job.state <> 'pending'
        order by position limit ${shownFiles}
      ) union all (
        select s3_path, state, rows_uploaded, null from audience_file
        where audience_id = (select audience_id from audience_load where job_id = ${jobId})
          and job_id = ${jobId}
        order by entry_id limit ${shownFiles}
      )
    `.execute(db);
    return rows;
  }

  /** The call is recorded in the transaction that queues the job, so both have the same time. */
  async function requestIdOf(jobId: number): Promise<string | null> {
    const { rows } = await sql<{ requestId: string }>`
      select request_id as "requestId" from job
      join audit_entry on called_at = job.created_at and audit_entry.partner_id = job.partner_id
      where job_id = ${jobId}
      limit 1
    `.execute(db);
    return rows[0]?.requestId ?? null;
  }
}

/** A part of a list, which follows the parts with a lower rank. */
interface ListPart {
  readonly rank: number;
  /** Whether it has only failed jobs, for which there are indexes. */
  readonly isFailed: boolean;
  readonly condition: RawBuilder<boolean>;
}

function partsOf({ state, failuresFirst = false }: JobFilter): ListPart[] {
  const all = { rank: 0, isFailed: state === 'failed', condition: sql<boolean>`true` };
  if (!failuresFirst || state !== undefined) return [all];
  const others = { rank: 1, isFailed: false, condition: sql<boolean>`state <> 'failed'` };
  return [{ ...all, isFailed: true }, others];
}

/** Newest first, in the order of an index. */
function orderOf({ partnerId }: JobFilter): RawBuilder<unknown> {
  return partnerId === undefined ? sql`job_id desc` : sql`partner_id desc, job_id desc`;
}

/** Jobs with a lower id, newest first. */
function earlierJobs(
  filter: JobFilter,
  { isFailed }: ListPart,
  before: number,
): RawBuilder<unknown> {
  const { partnerId } = filter;
  const isOfPartner =
    partnerId === undefined
      ? sql`true`
      : onlyOf(sql`partner_id`, sql`${partnerId}::bigint`, sql`job_id`);
  return sql`
    select * from job
    where ${isOfPartner} and ${isFailed ? sql`state = 'failed'` : sql`true`} and job_id < ${before}
    order by ${orderOf(filter)} limit ${limits.operatorSearchedJobs.most}
  `;
}

/** A rank and the id below which the next page begins. */
export const jobCursorPattern = '^[01]-[1-9]\\d{0,14}$';

function parsedCursor(cursor: string): [rank: number, jobId: number] {
  const [rank = '', jobId = ''] = cursor.split('-');
  return [Number(rank), Number(jobId)];
}

function matching(filter: JobFilter): RawBuilder<boolean> {
  const { kind, state, since, until } = filter;
  const conditions = [
    kind === undefined ? null : ofKind(kind),
    state === undefined ? null : sql`state = ${sql.lit(state)}`,
    since === undefined ? null : sql`created_at >= ${since}`,
    until === undefined ? null : sql`created_at < ${until}`,
  ].filter((condition) => condition !== null);
  if (conditions.length === 0) return sql<boolean>`true`;
  return sql<boolean>`${sql.join(conditions, sql` and `)}`;
}

function ofKind(kind: AnyJob['kind']): RawBuilder<unknown> {
  if (kind === 'audience') return sql`kind = 'audience'`;
  const type = {
    import: logType.import,
    dry_run: logType.dryRun,
    deletion: logType.deletion,
    erasure: logType.erasure,
  }[kind];
  return sql`kind <> 'audience' and exists (
    select from import_log where import_log.job_id = job.job_id and log_type = ${type}
  )`;
}

/** Reads the details of the jobs in a table expression. */
function jobsIn(jobs: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select job.job_id as "jobId", job.partner_id as "partnerId", partner.name as "partnerName",
      job.state, ${subjectColumns},
      coalesce(total_rows, loaded_rows, 0) as "totalRows", unique_devices as "uniqueDevices",
      case when job.kind = 'audience' then jsonb_build_object(
        'audienceId', audience.audience_id, 'name', audience.name
      ) end as audience,
      summary.problem, summary.problems as "problemCount", coalesce(audience_load.rejected_rows, rejects.rows) as "rejectedRows",
      job.attempt as attempts, job.losses, job.created_at as "createdAt",
      case when job.state <> 'pending' then started_at end as "startedAt",
      case when job.state not in ('pending', 'running') then job.updated_at end as "endedAt"
    from ${jobs} as job
    join partner using (partner_id)
    left join import_log on import_log.job_id = job.job_id
    left join audience_load on audience_load.job_id = job.job_id
    left join audience using (audience_id)
    ${problemsOfJobs}
    cross join lateral (${rejectedRowsOf(sql`
      select import_log.errors as problems
      union all
      select problems from (${fileProblems}) as files where audience_load.rejected_rows is null
    `)}) as rejects
  `;
}
