-- When the audience was last cleared; null if never.
alter table audience add column cleared_at timestamptz;
-- Nothing was loaded into these audiences after the clear, so it was their last change.
update audience set cleared_at = updated_at
where generation > 0 and not exists (
  select from audience_load
  where audience_load.audience_id = audience.audience_id
    and audience_load.generation = audience.generation
);

-- The problems of a load's files when it ended: how many, and the first one, as code and message. A clear
-- deletes the files, and a later load of the same file replaces its problems. Null until the load ends.
alter table audience_load add column file_problems bigint;
alter table audience_load add column first_file_problem jsonb;
update audience_load
set file_problems = found.problems, first_file_problem = found.first
from (
  select job_id, sum(jsonb_array_length(problems)) as problems,
    -- The problem that failed a file was the last of its problems.
    (array_agg(
      case state when 'failed' then problems -> -1 else problems -> 0 end - '{file,line,column,value,count}'::text[]
      order by state = 'failed' desc, entry_id
    ))[1] as first
  from audience_file where problems is not null and state in ('done', 'failed')
  group by job_id
) as found
where audience_load.job_id = found.job_id and exists (
  select from job where job.job_id = audience_load.job_id and job.state in ('done', 'failed')
);
