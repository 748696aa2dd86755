import { type RawBuilder, sql } from 'kysely';
import type { LoadState } from '../../domain/job.ts';
import { onlyOf } from '../database/only-of.ts';
import { unfinishedLoads } from '../queue/unfinished-loads.ts';

/**
 * The state of an `audience_file as file` with its `job`, if that is not pruned. A file counts as
 * pending or running only while the attempt that wrote this still holds the job.
 */
export const fileState = sql<LoadState>`
  case when file.state not in ('pending', 'running') then file.state
    when job.state = 'running' and job.attempt = file.attempt then file.state
    when job.state in ('pending', 'running') then 'pending'
    else 'failed' end
`;

/** The device count of each `audience`, its first unfinished load and its latest load. */
const contentsAndLoads = sql`
  cross join lateral (
    select coalesce(sum(devices), 0)::bigint as unique_devices from run
    where run.segment_id = audience.segment_id
  ) as contents
  left join lateral (
    select job.state from ${unfinishedLoads} limit 1
  ) as unfinished on true
  left join lateral (
    select job_id, job.state, generation, load.problem from (
      select * from audience_load
      where ${onlyOf(sql`audience_load.audience_id`, sql`audience.audience_id`, sql`job_id`)}
      order by audience_load.audience_id desc, job_id desc
      limit 1
    ) as load
    join job using (job_id)
  ) as latest on true
`;

/**
 * A page of audiences, with what `audienceColumns` needs of each. The page is chosen first, so that
 * only its audiences are looked up.
 */
export function audiencesOf(choice: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(select * from audience where ${choice}) as audience ${contentsAndLoads}`;
}

/** The columns of an `Audience`, from `audiencesOf`. */
export const audienceColumns = sql`
  audience.audience_id as "audienceId", audience.segment_id as "segmentId",
  audience.name,
  case when unfinished.state is not null then unfinished.state
    when latest.state in ('failed', 'cancelled') and latest.generation = audience.generation
      and latest.problem @> '{"code": "file_changed"}' is not true or exists (
      select from audience_file
      where audience_file.audience_id = audience.audience_id and audience_file.state <> 'done'
    ) then 'failed'
    else 'done' end as state,
  audience.uploaded_devices as "uploadedDevices", contents.unique_devices as "uniqueDevices",
  audience.matched_devices as "matchedDevices",
  (select disclosure from partner where partner.partner_id = audience.partner_id) as disclosure,
  (
    select ${released()} from composition
    where composition.audience_id = audience.audience_id and fingerprint is not null
  ) as released,
  report_held_until as "heldUntil",
  case when latest.generation is distinct from audience.generation then cleared_at end as "clearedAt",
  case when latest.generation = audience.generation then latest.job_id end as "latestLoadId",
  audience.created_at as "createdAt",
  audience.updated_at as "updatedAt"
`;

/** What the report of a `composition` released, with further members. */
export function released(more: RawBuilder<unknown> = sql``): RawBuilder<unknown> {
  return sql`json_build_object(
    'fingerprint', fingerprint, 'universeVersion', released_version,
    'matchedDevices', released_matched, 'uniqueDevices', unique_devices,
    'ownMatched', own_matched, 'isOwn', is_own, 'erasures', erasures${more}
  )`;
}
