-- What partners sign their uploads with. The secret is needed again to verify a signature, so it is
-- sealed and not hashed.
create table storage_credential (
  access_key_id text primary key,
  partner_id bigint not null references partner,
  sealed_secret bytea not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  revoked_at timestamptz
);
create index storage_credential_by_partner on storage_credential (partner_id);

-- The credentials that came with a queued import of a partner's own bucket; gone when it ends.
create table job_secret (
  job_id bigint primary key references job,
  sealed_credentials bytea not null
);

-- How often a job was tried again because somebody else's storage failed in a way that may pass.
alter table job add column storage_failures integer not null default 0;
