import { sql } from 'kysely';
import type { Database } from '../database/connection.ts';

/** What the jobs of a day (UTC) did. */
export interface JobDay {
  /** Such as `2026-01-31`. */
  readonly day: string;
  readonly done: number;
  readonly failed: number;
  readonly cancelled: number;
  readonly rows: number;
  /** The longest time in seconds that a job waited. Today, also of jobs that are still waiting. */
  readonly longestWait: number;
}

const today = sql`(now() at time zone 'UTC')::date`;

export type JobDays = ReturnType<typeof createJobDays>;

/** Counts of jobs by day. The transaction that ends a job counts it. */
export function createJobDays(db: Database) {
  return {
    /** The last `days` days up to today, of one partner or of all, the oldest first. */
    async list(days: number, partnerId: number | null = null): Promise<JobDay[]> {
      const ofPartner = partnerId === null ? sql`true` : sql`partner_id = ${partnerId}`;
      const jobs = (state: string) =>
        sql`coalesce(sum(jobs) filter (where state = ${state}), 0)::bigint`;
      const { rows } = await sql<JobDay>`
        select to_char(day, 'YYYY-MM-DD') as day, ${jobs('done')} as done,
          ${jobs('failed')} as failed, ${jobs('cancelled')} as cancelled,
          coalesce(sum(loaded_rows), 0)::bigint as rows,
          greatest(max(longest_wait), case when day = ${today} then (
            select extract(epoch from now() - min(created_at)) from job
            where state = 'pending' and ${ofPartner}
          ) end, 0)::double precision as "longestWait"
        from (
          select generate_series(${today} - ${days - 1}::integer, ${today}, interval '1 day')::date as day
        ) as given
        left join (select * from job_day where ${ofPartner}) as counted using (day)
        group by day
        order by day
      `.execute(db);
      return rows;
    },

    /** Deletes counts of more than `days` days ago, and returns how many. */
    async prune(days: number): Promise<number> {
      const { numAffectedRows } = await sql`
        delete from job_day where day <= ${today} - ${days}::integer
      `.execute(db);
      return Number(numAffectedRows ?? 0n);
    },
  };
}
