-- What was done, is being done or shall be done with backups. The worker, or the command, does one thing
-- at a time, under a lock. `set_name` is null until the set has a name.
create table backup (
  backup_id bigint generated always as identity primary key,
  action text not null check (action in ('create', 'verify', 'remove')),
  target text not null,
  set_name text,
  state text not null default 'pending' check (state in ('pending', 'running', 'done', 'failed')),
  requested_at timestamptz not null default now(),
  started_at timestamptz,
  ended_at timestamptz,
  bytes_done bigint not null default 0,
  bytes_total bigint not null default 0,
  files bigint,
  bytes bigint,
  new_bytes bigint,
  problem text
);
create index backup_by_state on backup (state, backup_id);
