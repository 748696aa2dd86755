-- One row for each archive that came from DROP, California's deletion platform. A cycle goes through its
-- states in this order, and each state is set when its step is complete. `folder` is where its archive,
-- its responses and its bitmaps are in the object store. `version` is that of the suppressed digests,
-- `found_version` that of the devices that they match.
create table drop_cycle (
  cycle_id bigint generated always as identity primary key,
  kind text not null check (kind in ('api', 'manual')),
  state text not null check (state in (
    'downloading', 'downloaded', 'suppressed', 'matched', 'removed', 'deleted', 'answered', 'lifted',
    'accepted', 'refused'
  )),
  folder text not null unique,
  archive_name text not null,
  archive_bytes bigint,
  archive_sha256 bytea,
  version bigint,
  found_version bigint,
  matches_key text,
  lists jsonb not null default '[]',
  item_rows bigint not null default 0,
  malformed_rows bigint not null default 0,
  repeated_rows bigint not null default 0,
  removed_rows bigint not null default 0,
  lifted_rows bigint not null default 0,
  problem text,
  -- A step that failed is repeated then.
  retry_at timestamptz,
  started_at timestamptz not null default now(),
  downloaded_at timestamptz,
  suppressed_at timestamptz,
  matched_at timestamptz,
  removed_at timestamptz,
  deleted_at timestamptz,
  answered_at timestamptz,
  lifted_at timestamptz,
  ended_at timestamptz
);
-- DROP has one open download at a time.
create unique index drop_cycle_open_download on drop_cycle (kind)
  where kind = 'api' and state not in ('accepted', 'refused');

-- A file for DROP: of the response (batch 0), or of an amendment. It exists in the object store before its
-- row, and never changes.
create table drop_file (
  cycle_id bigint not null references drop_cycle,
  batch integer not null,
  position integer not null,
  name text not null,
  object_key text not null,
  bytes bigint not null,
  sha256 bytea not null,
  deleted_rows bigint not null,
  not_found_rows bigint not null,
  state text not null default 'ready' check (state in ('held', 'ready', 'accepted', 'rejected')),
  -- An amendment is held until the devices of this version are deleted. They were removed then.
  found_version bigint,
  removed_at timestamptz,
  created_at timestamptz not null default now(),
  sent_at timestamptz,
  -- An answer was lost, so DROP may have the file.
  may_have_arrived boolean not null default false,
  answered_at timestamptz,
  status integer,
  answer text,
  primary key (cycle_id, batch, position),
  unique (cycle_id, name)
);
create index drop_file_open on drop_file (cycle_id) where state <> 'accepted';

-- The calls of DROP's API. Calls in a row with the same outcome share a row.
create table drop_call (
  call_id bigint generated always as identity primary key,
  cycle_id bigint references drop_cycle on delete set null,
  operation text not null check (operation in ('download', 'upload', 'amend')),
  calls bigint not null default 1,
  first_at timestamptz not null default now(),
  last_at timestamptz not null default now(),
  status integer,
  message text not null
);
create index drop_call_of_cycle on drop_call (cycle_id, call_id);

-- When DROP is called next. There is no row until DROP is used.
create table drop_schedule (
  is_only boolean primary key default true check (is_only),
  since timestamptz not null default now(),
  -- When the next session is due.
  session_at timestamptz not null default now(),
  -- DROP is not called before this time.
  call_at timestamptz not null default now(),
  is_requested boolean not null default false,
  -- Whether the workers have an API key.
  is_automatic boolean not null default false,
  -- Whether this session has looked for later matches.
  is_amended boolean not null default false,
  failures integer not null default 0,
  accessed_at timestamptz,
  problem text,
  problem_at timestamptz
);
