-- Runs of attributes that could not be read, because their file is damaged or lost. Folds and reports
-- leave them out, so that they stop nobody else's, until maintenance finds them readable again.
create table damaged_run (
  run_id bigint primary key,
  reason text not null,
  found_at timestamptz not null default now()
);

-- The changes that the next fold applies. An added run that cannot be read waits until it is dropped
-- or readable.
create view pending_change as
select * from universe_change
where is_drop or not exists (
  select from damaged_run join run using (run_id) where run.run_id = universe_change.run_id
);
