import { sql } from 'kysely';
import type { LoadState } from '../../domain/job.ts';

/**
 * The state of an `audience_file as file` with its `job`. A file counts as pending or running only
 * while the attempt that wrote this still holds the job.
 */
export const fileState = sql<LoadState>`
  case when file.state not in ('pending', 'running') then file.state
    when job.state = 'running' and job.attempt = file.attempt then file.state
    when job.state in ('pending', 'running') then 'pending'
    else 'failed' end
`;

/** Each audience with its device count and a summary of its loads since the last clear. */
export const audiences = sql`
  audience
  cross join lateral (
    select coalesce(sum(devices), 0)::bigint as unique_devices from run
    where run.segment_id = audience.segment_id
  ) as contents
  cross join lateral (
    select max(job.updated_at) as updated_at,
      coalesce(bool_or(job.state = 'running'), false) as is_running,
      coalesce(bool_or(job.state = 'pending'), false) as is_pending,
      coalesce((array_agg(job.state order by job_id desc))[1] = 'failed', false) as has_failed
    from audience_load join job using (job_id)
    where audience_load.audience_id = audience.audience_id
      and audience_load.generation = audience.generation
  ) as loads
`;

/** The columns of an `Audience`, from `audiences`. */
export const audienceColumns = sql`
  audience.audience_id as "audienceId", audience.segment_id as "segmentId",
  audience.name,
  case when loads.is_running then 'running'
    when loads.is_pending then 'pending'
    when loads.has_failed or exists (
      select from audience_file
      where audience_file.audience_id = audience.audience_id and audience_file.state <> 'done'
    ) then 'failed'
    else 'done' end as state,
  uploaded_devices as "uploadedDevices", contents.unique_devices as "uniqueDevices",
  matched_devices as "matchedDevices", audience.created_at as "createdAt",
  greatest(audience.updated_at, loads.updated_at) as "updatedAt"
`;
