alter table job drop constraint job_kind_check;
alter table job add constraint job_kind_check check (kind in ('import', 'deletion', 'audience'));
-- A job whose audience was cleared before it ended is cancelled.
alter table job drop constraint job_state_check;
alter table job add constraint job_state_check
  check (state in ('pending', 'running', 'done', 'failed', 'cancelled'));

-- Counts the changes of what a segment holds; that its runs are rewritten is none.
alter table segment add column version bigint not null default 0;

create table customer (
  customer_id bigint generated always as identity primary key,
  name text not null,
  created_at timestamptz not null default now()
);

-- A token is `trib_user_<lookup>_<secret>`; only a hash of the secret is kept. It lets one partner
-- act for one customer.
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

-- Its row is locked first, and its job's after it, by whoever changes an audience. A clear raises
-- `generation`, and what an earlier generation still does cannot commit. `matched_devices` is as
-- of the universe's `matched_version`. How many devices it holds is said by the runs of its segment.
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

-- As bytes, for a label may hold a NUL, which no text can.
create table audience_label (
  segment_id bigint primary key references segment,
  audience_id bigint not null references audience,
  label bytea not null,
  unique (audience_id, label)
);

-- What a job loads into which audience. `problem` is why it failed as a whole.
create table audience_load (
  job_id bigint primary key references job,
  audience_id bigint not null references audience,
  generation integer not null,
  path text not null,
  problem jsonb
);
create index audience_load_by_audience on audience_load (audience_id, job_id);

-- The files since the last clear. What was noted last came from the attempt at a job that is named,
-- in which the file had that position. `ended_as` is how its last load ended, null if none did;
-- `etag` and `rows_uploaded` are of the last one that succeeded.
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

-- What an audience was found to be composed of, as of one version of the universe and of its own
-- segment. By attribute, in arrays: the attribute's segment, the version of it that was counted,
-- how many devices it held, and how many of those are the audience's. The same for event labels.
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
