-- Makes lists and looks independent of how many jobs, audiences and files there are. It reads every job
-- and every file of an audience once and builds indexes: up to 30 seconds for each million of them,
-- during which nothing else writes to these tables.

-- `updated_at` of an audience is now the time of the last change, including changes of its loads.
-- `report_version` is the version of the universe at which both `matched_devices` and the composition
-- were counted: -1 if the audience has changed since, null if its first load has not begun.
alter table audience add column report_version bigint;
update audience
set updated_at = greatest(audience.updated_at, loads.updated_at), report_version = loads.report_version
from (
  select audience_id, max(job.updated_at) as updated_at,
    case
      when composition.segment_version = segment.version
        then least(composition.universe_version, matched_version)
      when composition.audience_id is null
        and bool_or(job.state = 'pending') and not bool_or(job.state in ('done', 'failed')) then null
      else -1 end as report_version
  from audience join segment using (segment_id)
  left join composition using (audience_id)
  left join audience_load using (audience_id)
  left join job using (job_id)
  group by audience_id, composition.audience_id, segment.segment_id
) as loads
where audience.audience_id = loads.audience_id;

create index audience_by_activity on audience (partner_id, updated_at, audience_id);
create index audience_of_customer_by_activity on audience (customer_id, updated_at, audience_id)
  where customer_id is not null;
create index audience_by_partner_and_customer on audience (partner_id, customer_id, audience_id)
  where customer_id is not null;
create index audience_by_report on audience (report_version, audience_id);

-- The valid rows of the files that the load committed.
alter table audience_load add column loaded_rows bigint not null default 0;
update audience_load set loaded_rows = files.loaded_rows
from (
  select job_id, sum(rows_uploaded) as loaded_rows from audience_file where state = 'done'
  group by job_id
) as files
where audience_load.job_id = files.job_id;

-- Nearly all files are done and have no problems, so the partial indexes are small.
create index audience_file_in_order on audience_file (audience_id, entry_id);
create index audience_file_not_done on audience_file (audience_id, job_id) where state <> 'done';
create index audience_file_with_problems on audience_file (audience_id, job_id, entry_id)
  where problems is not null;
drop index audience_file_by_job;

-- Imports and deletions, without the loads of audiences.
create index job_log_by_partner on job (partner_id, job_id) where kind <> 'audience';

-- How many jobs of each lane have ended, by outcome. A job that was pruned still counts.
create table ended_jobs (
  partner_id bigint not null references lane,
  state text not null check (state in ('done', 'failed', 'cancelled')),
  jobs bigint not null,
  primary key (partner_id, state)
);
insert into ended_jobs
select partner_id, state, count(*) from job where state not in ('pending', 'running')
group by partner_id, state;
