create table partner (
  partner_id bigint generated always as identity primary key,
  name text not null,
  created_at timestamptz not null default now()
);

-- A partner's jobs run one at a time, in the order of their ids. A claim locks the lane's row;
-- `served_at` lets lanes take turns.
create table lane (
  partner_id bigint primary key references partner,
  served_at timestamptz not null default '-infinity'
);

-- A key is `trib_key_<lookup>_<secret>`; only a hash of the secret is stored.
create table api_key (
  api_key_id bigint generated always as identity primary key,
  partner_id bigint not null references partner,
  label text not null,
  lookup text not null unique,
  secret_hash bytea not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  revoked_at timestamptz
);
create index api_key_by_partner on api_key (partner_id);

create table segment (
  segment_id bigint generated always as identity primary key,
  kind text not null check (kind in ('attribute'))
);

create table attribute (
  attribute_id bigint generated always as identity primary key,
  partner_id bigint not null references partner,
  segment_id bigint not null unique references segment,
  name text not null,
  description text not null,
  partner_foreign_key text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint attribute_foreign_key_unique unique (partner_id, partner_foreign_key)
);
create index attribute_by_partner on attribute (partner_id, attribute_id);

-- `attempt` counts claims and fences commits: only the attempt that holds the job may settle it.
-- `losses` counts the attempts whose worker died.
create table job (
  job_id bigint generated always as identity primary key,
  partner_id bigint not null references lane,
  kind text not null check (kind in ('import')),
  state text not null default 'pending' check (state in ('pending', 'running', 'done', 'failed')),
  attempt integer not null default 0,
  losses integer not null default 0,
  available_at timestamptz not null default now(),
  lease_until timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check ((state = 'running') = (lease_until is not null))
);
create index job_open_by_lane on job (partner_id, job_id) where state in ('pending', 'running');
create index job_by_partner on job (partner_id, job_id);

create table import_log (
  job_id bigint primary key references job,
  log_type smallint not null,
  file_path text not null,
  path_type smallint not null,
  key_type smallint not null,
  keys jsonb,
  unique_devices bigint not null default 0,
  total_rows bigint not null default 0,
  errors jsonb
);

-- The manifest: which runs exist. A run is a range of row groups of a file, all of one segment.
create table run (
  run_id bigint generated always as identity primary key,
  segment_id bigint not null references segment,
  file text not null,
  first_row_group integer not null,
  row_groups integer not null,
  devices bigint not null check (devices > 0),
  bytes bigint not null,
  created_at timestamptz not null default now(),
  unique (file, first_row_group)
);
create index run_by_segment on run (segment_id);

-- The embedded object store's index. S3 lists keys in byte order, hence the collation.
create table object (
  key text collate "C" primary key,
  etag text not null,
  size bigint not null,
  blob text not null unique,
  created_at timestamptz not null default now()
);

-- Every call of the operator API, recorded before it is carried out; `status` is its outcome.
create table admin_call (
  admin_call_id bigint generated always as identity primary key,
  request_id text not null,
  called_at timestamptz not null default now(),
  action text not null,
  target text not null,
  remote_address text not null,
  status integer
);
