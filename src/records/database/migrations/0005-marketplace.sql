alter table job drop constraint job_kind_check;
alter table job add constraint job_kind_check check (kind in ('import', 'deletion'));
-- When the latest attempt started.
alter table job add column started_at timestamptz;

-- `compressed` is null to detect it from the content. `with_definitions`: a deletion also deletes the
-- attributes themselves.
alter table import_log
  add column compressed boolean,
  add column mode text not null default 'merge' check (mode in ('merge', 'replace')),
  add column with_definitions boolean not null default false;

-- Progress, and the files and rejects below, have the attempt that wrote them; only those of the
-- job's latest attempt count. No foreign keys, because rows are inserted by the thousand, in
-- transactions that have the job's row locked.
create table job_progress (
  job_id bigint primary key,
  attempt integer not null,
  bytes_read bigint not null,
  bytes_total bigint not null,
  rows_read bigint not null,
  updated_at timestamptz not null
);

create table import_file (
  job_id bigint not null,
  attempt integer not null,
  position integer not null,
  s3_path text not null,
  state text not null default 'pending' check (state in ('pending', 'running', 'done', 'failed')),
  total_rows bigint not null default 0,
  rejected_rows bigint not null default 0,
  updated_at timestamptz not null default now(),
  primary key (job_id, attempt, position)
);

create table import_reject (
  job_id bigint not null,
  attempt integer not null,
  position integer not null,
  line bigint not null,
  code text not null,
  original bytea not null,
  primary key (job_id, attempt, position, line)
);

-- The answers to requests with an Idempotency-Key. `json` keeps the text of an answer unchanged, so
-- that it can be sent again exactly.
create table idempotency_key (
  partner_id bigint not null references partner,
  route text not null,
  key text not null,
  body_hash text not null,
  status smallint not null,
  location text,
  body json not null,
  created_at timestamptz not null default now(),
  primary key (partner_id, route, key)
);
create index idempotency_key_by_age on idempotency_key (created_at);
