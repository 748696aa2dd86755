import { sql } from 'kysely';
import type { JobState } from '../../domain/job.ts';
import { atomically, type Database } from '../database/connection.ts';
import { type Claim, createJobs } from './jobs.ts';
import { unfinishedLoads } from './unfinished-loads.ts';

export interface Progress {
  /** Stored, that is compressed, bytes of the objects. */
  readonly bytesRead: number;
  readonly bytesTotal: number;
  readonly rowsRead: number;
}

export interface JobProgress extends Progress {
  readonly state: JobState;
  /** When the current or last attempt started; null while the job is pending. */
  readonly startedAt: Date | null;
  readonly updatedAt: Date;
  /** 0 while the job runs, 1 if it is next; null once it has ended. */
  readonly queuePosition: number | null;
  /** The unfinished job directly ahead of it in the lane. */
  readonly waitingFor: number | null;
}

export type JobProgressRecord = ReturnType<typeof createJobProgress>;

/** The progress of jobs and their position in the lane. */
export function createJobProgress(db: Database) {
  return {
    async save(claim: Claim, { bytesRead, bytesTotal, rowsRead }: Progress): Promise<void> {
      await atomically(db, async (tx) => {
        await createJobs(tx).lockClaim(claim);
        await sql`
          insert into job_progress (job_id, attempt, bytes_read, bytes_total, rows_read, updated_at)
          values (${claim.jobId}, ${claim.attempt}, ${bytesRead}, ${bytesTotal}, ${rowsRead},
            clock_timestamp())
          on conflict (job_id) do update
          set attempt = excluded.attempt, bytes_read = excluded.bytes_read,
            bytes_total = excluded.bytes_total, rows_read = excluded.rows_read,
            updated_at = excluded.updated_at
        `.execute(tx);
      });
    },

    async of(partnerId: number, jobId: number): Promise<JobProgress | undefined> {
      const { rows } = await sql<JobProgress>`
        ${progressOfJobs} where job.job_id = ${jobId} and job.partner_id = ${partnerId}
      `.execute(db);
      return rows[0];
    },

    /** The progress of the audience's running or next load; if all have ended, of the latest. */
    async ofAudience(audienceId: number): Promise<JobProgress | undefined> {
      const { rows } = await sql<JobProgress>`
        ${progressOfJobs} where job.job_id = (
          select coalesce(
            (select job_id from ${unfinishedLoads} limit 1),
            (
              select max(job_id) from audience_load
              where audience_load.audience_id = audience.audience_id
            )
          )
          from audience where audience_id = ${audienceId}
        )
      `.execute(db);
      return rows[0];
    },
  };
}

/** Joins the progress that the current attempt of each `job` saved. */
export const joinCurrentProgress = sql`
  left join job_progress as progress on progress.job_id = job.job_id
    and progress.attempt = job.attempt and job.state <> 'pending'
`;

/**
 * The columns of a JobProgress. Needs `job`, `joinCurrentProgress`, and `ahead` with the number of
 * `pending` jobs ahead in the lane and `next`, the last unfinished one of them.
 */
export const progressColumns = sql`
  job.state, coalesce(bytes_read, 0) as "bytesRead",
  coalesce(bytes_total, 0) as "bytesTotal", coalesce(rows_read, 0) as "rowsRead",
  case when job.state <> 'pending' then started_at end as "startedAt",
  case when job.state = 'running' then coalesce(progress.updated_at, job.updated_at)
    else job.updated_at end as "updatedAt",
  case job.state when 'running' then 0 when 'pending' then ahead.pending + 1 end
    as "queuePosition",
  case when job.state in ('running', 'pending') then ahead.next end as "waitingFor"
`;

const progressOfJobs = sql`
  select ${progressColumns}
  from job
  ${joinCurrentProgress}
  cross join lateral (
    select count(*) filter (where state = 'pending') as pending, max(job_id) as next
    from job as earlier
    where earlier.partner_id = job.partner_id and earlier.job_id < job.job_id
      and earlier.state in ('pending', 'running')
  ) as ahead
`;
