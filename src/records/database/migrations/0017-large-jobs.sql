-- Set when an attempt finds that the job is too large to run beside large jobs.
alter table job add column is_large boolean not null default false;
