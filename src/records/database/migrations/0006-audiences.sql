alter table job drop constraint job_kind_check;
alter table job add constraint job_kind_check check (kind in ('import', 'deletion', 'audience'));
-- Clearing an audience cancels its unfinished jobs.
alter table job drop constraint job_state_check;
alter table job add constraint job_state_check
  check (state in ('pending', 'running', 'done', 'failed', 'cancelled'));

-- Counts the changes of a segment's devices. Rewriting its runs is not a change.
alter table segment add column version bigint not null default 0;

create table customer (
  customer_id bigint generated always as identity primary key,
  name text not null,
  created_at timestamptz not null default now()
);

-- A token is `trib_user_<lookup>_<secret>`; only a hash of the secret is stored. With it, one partner
-- acts for one customer.
create table user_token (
  user_token_id bigint generated always as identity primary key,
  partner_id bigint not null references partner,
  customer_id bigint not null references customer,
  lookup text not null unique,
  secret_hash bytea not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  last_used_at timestamptz,
  revoked_at timestamptz
);
create index user_token_by_partner on user_token (partner_id);

-- To change an audience, lock its row first and then its job's row. A clear raises `generation`, and
-- loads of an earlier generation cannot commit. `matched_devices` was counted at the universe's
-- `matched_version`. The number of its devices is the sum over the runs of its segment.
create table audience (
  audience_id bigint generated always as identity primary key,
  partner_id bigint not null references partner,
  customer_id bigint references customer,
  segment_id bigint not null unique references segment,
  name text not null,
  generation integer not null default 0,
  uploaded_devices bigint not null default 0,
  matched_devices bigint not null default 0,
  matched_version bigint not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index audience_by_partner on audience (partner_id, audience_id);

-- As bytes, because a label may contain U+0000, which text cannot.
create table audience_label (
  segment_id bigint primary key references segment,
  audience_id bigint not null references audience,
  label bytea not null,
  unique (audience_id, label)
);

-- Which job loads which path into which audience. `problem` is why the load failed as a whole.
create table audience_load (
  job_id bigint primary key references job,
  audience_id bigint not null references audience,
  generation integer not null,
  path text not null,
  problem jsonb
);
create index audience_load_by_audience on audience_load (audience_id, job_id);

-- The files since the last clear. `job_id` and `attempt` are the attempt that last updated the row, in
-- which the file had that `position`. `ended_as` is the outcome of its last load, null if none has
-- ended; `etag` and `rows_uploaded` are from its last successful load.
create table audience_file (
  audience_id bigint not null references audience,
  s3_path text collate "C" not null,
  entry_id bigint generated always as identity,
  job_id bigint not null,
  attempt integer not null,
  position integer not null,
  state text not null check (state in ('pending', 'running', 'done', 'failed')),
  ended_as text check (ended_as in ('done', 'failed')),
  etag text,
  rows_uploaded bigint not null default 0,
  problems jsonb,
  updated_at timestamptz not null default now(),
  primary key (audience_id, s3_path)
);
create index audience_file_by_job on audience_file (job_id);

-- The composition of an audience at one version of the universe and of its own segment. Arrays with
-- one entry per attribute: its segment, the version counted, its devices, and how many of those are
-- in the audience. Likewise for event labels.
create table composition (
  audience_id bigint primary key references audience,
  computed_at timestamptz not null default clock_timestamp(),
  universe_version bigint not null,
  segment_version bigint not null,
  universe_devices bigint not null,
  unique_devices bigint not null,
  matched_devices bigint not null,
  attribute_segments bigint[] not null,
  attribute_versions bigint[] not null,
  baseline_devices bigint[] not null,
  audience_devices bigint[] not null,
  label_segments bigint[] not null,
  label_devices bigint[] not null
);
