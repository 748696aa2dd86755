-- Failed jobs are listed before others, of all partners or of one.
create index job_failed_by_id on job (job_id) where state = 'failed';
create index job_failed_by_partner on job (partner_id, job_id) where state = 'failed';

-- The rows that a load rejected, kept when it ends, like the problems of its files.
alter table audience_load add column rejected_rows bigint;
update audience_load
set rejected_rows = (
  select coalesce(sum((entry ->> 'count')::bigint), 0)
  from audience_file as file cross join lateral jsonb_array_elements(file.problems) as entry
  where file.audience_id = audience_load.audience_id and file.job_id = audience_load.job_id
    and file.state in ('done', 'failed') and entry ->> 'code' in (
      'malformed_id', 'hashed_id', 'zeroed_id', 'unknown_key', 'no_keys', 'bad_id_type', 'bad_operation',
      'bad_country'
    )
)
where file_problems is not null;
