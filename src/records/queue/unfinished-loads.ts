import { sql } from 'kysely';
import { onlyOf } from '../database/only-of.ts';

/** The first unfinished job of the lane of `audience`. */
const laneHead = sql`(
  select job_id from job
  where ${onlyOf(sql`job.partner_id`, sql`audience.partner_id`, sql`job.job_id`)}
    and job.state in ('pending', 'running')
  order by job.partner_id, job_id
  limit 1
)`;

/**
 * The unfinished loads of `audience`, in order. A lane's jobs end in order, so none of them is before
 * the lane's head, and the many loads that have ended are not read. The first one may be running.
 */
export const unfinishedLoads = sql`
  audience_load join job using (job_id)
  where audience_load.audience_id = audience.audience_id
    and audience_load.job_id >= ${laneHead}
    and job.state in ('pending', 'running')
  order by job_id
`;
