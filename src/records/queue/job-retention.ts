import { sql } from 'kysely';
import type { Database } from '../database/connection.ts';
import { deleteInBatches } from '../database/delete-in-batches.ts';
import { onlyOf } from '../database/only-of.ts';
import { pruneInOrder } from '../database/prune-in-order.ts';
import { deleteRejects } from './rejects.ts';

/** Jobs whose rows are deleted in one transaction. */
const jobsPerTransaction = 1_000;

export type JobRetention = ReturnType<typeof createJobRetention>;

/** Deletes jobs that ended long ago, with everything that nobody needs any more. */
export function createJobRetention(db: Database) {
  return {
    /** Deletes the progress of jobs that ended more than `days` ago. Returns how many. */
    async pruneProgress(days: number): Promise<number> {
      const since = sql`now() - ${days} * interval '1 day'`;
      return pruneInOrder(db, 'job_progress', sql`job_progress.job_id`, {
        storedAt: sql`job_progress.updated_at`,
        since,
        isExpired: sql`not exists (
          select from job where job.job_id = job_progress.job_id
            and (state in ('pending', 'running') or job.updated_at >= ${since})
        )`,
      });
    },

    /**
     * Deletes jobs that ended more than `days` ago, with their logs, the lists of their files and their
     * loads. Keeps the last `logsKept` logs of each partner, the last load of each audience since its
     * last clear, which its status needs, and jobs that still have rejects. Returns how many.
     */
    async pruneJobs(days: number, logsKept: number): Promise<number> {
      let pruned = 0;
      for (let last = 0; ; ) {
        const { rows: page } = await jobsAfter(last, days, logsKept).execute(db);
        const expired = page.filter(({ isExpired }) => isExpired).map(({ jobId }) => jobId);
        pruned += await remove(db, expired);
        // A job that was created later has not ended before.
        if (!page.some(({ isOldOrAhead }) => isOldOrAhead)) return pruned;
        last = page.at(-1)!.jobId;
      }
    },

    /** Deletes ended jobs with everything about them, also their rejects. */
    async remove(jobIds: readonly number[]): Promise<void> {
      await deleteRejects(db, sql`job_id = any(${jobIds}::bigint[])`);
      await remove(db, jobIds);
    },
  };
}

interface OldJob {
  readonly jobId: number;
  /** Whether it was created long ago, or while the clock was ahead. */
  readonly isOldOrAhead: boolean;
  readonly isExpired: boolean;
}

/** The jobs after this one, a page in the order of ids. */
function jobsAfter(after: number, days: number, logsKept: number) {
  const since = sql`now() - ${days} * interval '1 day'`;
  const ofPartner = onlyOf(sql`log.partner_id`, sql`partner.partner_id`, sql`log.job_id`);
  return sql<OldJob>`
    with page as (
      select * from job where job_id > ${after} order by job_id limit ${jobsPerTransaction}
    ), kept as (
      select partner_id, (
        select log.job_id from job as log
        where ${ofPartner} and log.kind <> 'audience'
        order by log.partner_id desc, log.job_id desc
        offset ${logsKept - 1} limit 1
      ) as first_log
      from (select distinct partner_id from page) as partner
    )
    select job_id as "jobId", page.created_at not between ${since} and now() as "isOldOrAhead",
      page.state not in ('pending', 'running') and page.updated_at < ${since}
      and not exists (select from import_reject where import_reject.job_id = page.job_id)
      and case when page.kind <> 'audience' then coalesce(job_id < first_log, false)
        else exists (
          select from audience_load as load join audience using (audience_id)
          where load.job_id = page.job_id and (
            load.generation < audience.generation or exists (
              select from audience_load as later join job using (job_id)
              where later.audience_id = load.audience_id and later.job_id > load.job_id
                and job.state in ('done', 'failed')
            )
          )
        )
      end as "isExpired"
    from page join kept using (partner_id)
    order by job_id
  `;
}

/** Deletes ended jobs. What another process is deleting is skipped. */
async function remove(db: Database, jobIds: readonly number[]): Promise<number> {
  if (jobIds.length === 0) return 0;
  // First and by itself, because a job may have a million files.
  await deleteInBatches(db, 'import_file', sql`job_id = any(${jobIds}::bigint[])`);
  return db.transaction().execute(async (tx) => {
    const { rows } = await sql<{ jobId: number }>`
      select job_id as "jobId" from job where job_id = any(${jobIds}::bigint[])
      order by job_id for update skip locked
    `.execute(tx);
    const locked = rows.map(({ jobId }) => jobId);
    const tables = [
      'job_progress',
      'job_part',
      'job_secret',
      'import_log',
      'audience_load',
      'job',
    ] as const;
    for (const table of tables) {
      await sql`
        delete from ${sql.table(table)} where job_id = any(${locked}::bigint[])
      `.execute(tx);
    }
    return locked.length;
  });
}
