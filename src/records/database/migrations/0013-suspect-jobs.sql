-- Few jobs are suspects, and workers look for them every second.
create index job_suspect on job (job_id) where state in ('pending', 'running') and losses >= 2;
