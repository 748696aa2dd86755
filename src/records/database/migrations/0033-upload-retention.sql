-- For how many days the partner's uploads are kept after they were last loaded. 0: for good. Null: as the
-- setting of the service says.
alter table partner add column upload_retention_days integer check (upload_retention_days >= 0);

-- When files of the shared bucket were last loaded.
create table loaded_file (
  key text collate "C" primary key,
  loaded_at timestamptz not null
);

-- Reads the lists of all files once: up to 10 seconds per million.
insert into loaded_file (key, loaded_at)
select key, max(loaded_at)
from (
  select s3_path collate "C" as key, job.updated_at as loaded_at
  from import_file join job using (job_id, attempt) join import_log using (job_id)
  where job.state = 'done' and log_type = 0 and path_type = 0
  union all
  select s3_path, updated_at from audience_file where ended_as = 'done'
) as loaded
group by key;
