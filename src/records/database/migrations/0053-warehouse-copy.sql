-- A copy of all device sets to another place, in which the service then uses them.
-- copying: runs are written in the new place. done: all processes use the new place, and the old one is
-- still there. forgotten: the old place is deleted. aborted: the new place is deleted.
-- The addresses of ClickHouse have passwords, so they are encrypted. Null: the place is a folder.
create table warehouse_copy (
  copy_id bigint generated always as identity primary key,
  state text not null default 'copying'
    check (state in ('copying', 'done', 'aborting', 'aborted', 'forgetting', 'forgotten')),
  requested_at timestamptz not null default now(),
  ended_at timestamptz,
  to_kind text not null check (to_kind in ('folder', 'clickhouse')),
  to_address text not null,
  sealed_to bytea,
  -- The mark in the new place. Null until it is claimed.
  to_mark uuid,
  from_kind text check (from_kind in ('folder', 'clickhouse')),
  from_address text,
  sealed_from bytea,
  from_mark uuid,
  -- What was read from both places and found equal before the switch.
  compared_segments integer,
  compared_devices bigint,
  copied_devices bigint,
  problem text
);
-- One place is left at a time.
create unique index warehouse_copy_open on warehouse_copy ((true))
  where state in ('copying', 'done', 'aborting', 'forgetting');

-- The copy that brought the device sets to their place. Null: they have never been moved.
alter table place add column copy_id bigint references warehouse_copy;

-- The place of a file. A commit refuses files of another place than the current one.
alter table run_file add column copy_id bigint references warehouse_copy;

-- Where the copy of a run is. The run may be gone by now.
create table copied_run (
  run_id bigint primary key,
  file text not null references run_file on delete cascade,
  first_row_group integer not null,
  row_groups integer not null,
  devices bigint not null,
  bytes bigint not null
);
create index copied_run_by_file on copied_run (file);
