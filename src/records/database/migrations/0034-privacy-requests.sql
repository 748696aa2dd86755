-- Requests to delete devices, to leave them out, or to tell what is stored about them. The identifiers are
-- encrypted in `sealed_devices` until the request is done; then only their digests are left. A request is
-- removed when the suppressed sets are applied up to `plain_version` and checked up to `digest_version`.
create table privacy_request (
  request_id bigint generated always as identity primary key,
  kind text not null check (kind in ('delete', 'opt_out', 'access')),
  reference text not null,
  state text not null default 'received' check (state in ('received', 'suppressed', 'removed', 'done')),
  identifiers integer not null,
  sealed_devices bytea,
  found integer,
  attributes integer,
  audiences integer,
  partners integer,
  memberships bigint,
  is_complete boolean,
  plain_version bigint,
  digest_version bigint,
  received_at timestamptz not null default now(),
  suppressed_at timestamptz,
  removed_at timestamptz,
  done_at timestamptz
);
create index privacy_request_open on privacy_request (request_id) where state <> 'done';
create index privacy_request_by_reference on privacy_request (reference, request_id);

-- `digest` is the SHA-256 of the identifier's 32 digits.
create table privacy_identifier (
  request_id bigint not null references privacy_request,
  position integer not null,
  digest bytea not null,
  is_found boolean,
  primary key (request_id, position)
);
create index privacy_identifier_by_digest on privacy_identifier ((substring(digest from 1 for 16)));

-- What holds the devices of an access request. Without foreign keys, because the answer outlives it.
create table privacy_finding (
  finding_id bigint generated always as identity primary key,
  request_id bigint not null,
  position integer not null,
  attribute_id bigint,
  audience_id bigint,
  name text not null,
  partner_id bigint not null,
  held_since timestamptz,
  is_exact boolean not null
);
create index privacy_finding_of_request on privacy_finding (request_id, finding_id);

-- Statistics would keep some of the values, which may name devices. To set the type deletes those that exist.
alter table import_reject alter column original set statistics 0, alter column original type bytea;
alter table import_log alter column errors set statistics 0, alter column errors type jsonb;
alter table audience_file alter column problems set statistics 0, alter column problems type jsonb;

-- Segments that hold the devices or digests of a lookup while it runs.
create table privacy_lookup (segment_id bigint primary key references segment);

-- The operator's requests have idempotency keys, too, under the number 0.
alter table idempotency_key drop constraint idempotency_key_partner_id_fkey;

-- How far the files are applied that keep suppressions outside the database. If a file is longer, the
-- database was restored from an older backup.
create table suppression_journal (
  journal_id text primary key,
  bytes bigint not null
);
