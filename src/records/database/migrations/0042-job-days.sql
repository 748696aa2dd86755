-- How many jobs of each lane ended on each day (UTC), by outcome, the rows that they loaded, and the
-- longest time in seconds that one of them waited for its last start. A job that was pruned still
-- counts. Reads every job once: some seconds per million.
create table job_day (
  day date not null,
  partner_id bigint not null references lane,
  state text not null check (state in ('done', 'failed', 'cancelled')),
  jobs bigint not null default 0,
  loaded_rows bigint not null default 0,
  longest_wait double precision not null default 0,
  primary key (day, partner_id, state)
);
insert into job_day
select (job.updated_at at time zone 'UTC')::date, partner_id, state, count(*),
  coalesce(sum(coalesce(total_rows, loaded_rows)) filter (
    where state = 'done' and (job.kind = 'audience' or log_type = 0)
  ), 0),
  coalesce(max(extract(epoch from started_at - job.created_at)), 0)
from job
left join import_log using (job_id)
left join audience_load using (job_id)
where state in ('done', 'failed', 'cancelled') and job.updated_at > now() - interval '90 days'
group by 1, 2, 3;

-- Few jobs fail, and the status counts those of the last day.
create index job_failed on job (updated_at) where state = 'failed';

-- Calls that only read are deleted earlier than others.
create index audit_entry_of_read on audit_entry (audit_entry_id)
  where action like 'GET %' or action like 'HEAD %';
