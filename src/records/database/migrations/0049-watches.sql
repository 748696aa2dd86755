-- A prefix whose files are loaded by themselves: imported, or appended to an audience. `key_prefix` is the whole
-- prefix of the keys, in the shared bucket with the partner's prefix. `bucket` is null for the shared bucket. A
-- worker lists the files at `next_poll_at` and holds the watch until `polling_until`. `listed_at` is when the last
-- complete listing began. `failed_in_row` and `polls_failed` count failures since the last success. A removed watch
-- stays until its ledger is deleted.
create table watch (
  watch_id bigint generated always as identity primary key,
  partner_id bigint not null references partner,
  audience_id bigint references audience,
  bucket text,
  key_prefix text collate "C" not null,
  key_type smallint,
  mode text check (mode in ('merge', 'replace')),
  compressed boolean,
  sealed_credentials bytea,
  settle_seconds integer not null,
  marker text,
  poll_seconds integer not null,
  skips_existing boolean not null,
  state text not null default 'active' check (state in ('active', 'paused')),
  paused_reason text,
  files_loaded bigint not null default 0,
  files_failed bigint not null default 0,
  failed_in_row integer not null default 0,
  polls_failed integer not null default 0,
  poll_error text,
  next_poll_at timestamptz not null default now(),
  polling_until timestamptz,
  listed_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  removed_at timestamptz,
  check ((audience_id is null) = (key_type is not null)),
  check ((audience_id is null) = (mode is not null))
);
create index watch_by_partner on watch (partner_id, watch_id);
create index watch_by_audience on watch (audience_id, watch_id) where audience_id is not null;

-- The ledger: every version of a file that a watch has seen, each loaded at most once. `seen_at` is when it was last
-- listed or uploaded, accurate to the day.
create table watch_file (
  file_id bigint generated always as identity,
  watch_id bigint not null references watch,
  key text collate "C" not null,
  etag text not null,
  size bigint not null,
  modified_at timestamptz not null,
  found_at timestamptz not null default now(),
  seen_at timestamptz not null default now(),
  state text not null check (
    state in ('waiting', 'queued', 'loaded', 'failed', 'cancelled', 'replaced', 'skipped', 'hidden')
  ),
  job_id bigint,
  updated_at timestamptz not null default now(),
  primary key (watch_id, key, etag)
);
create index watch_file_by_id on watch_file (watch_id, file_id);
create index watch_file_waiting on watch_file (watch_id, modified_at, key) where state = 'waiting';
create index watch_file_queued on watch_file (watch_id, key) where state = 'queued';
create index watch_file_seen on watch_file (watch_id, seen_at);

-- Whether the path is the key of one file, so that it is never taken for a prefix.
alter table import_log add column is_exact boolean not null default false;
alter table audience_load add column is_exact boolean not null default false;
-- The version that was read.
alter table import_file add column etag text;
