-- The key pairs with which partners sign uploads. Verifying a signature needs the secret, so it is
-- encrypted instead of hashed.
create table storage_credential (
  access_key_id text primary key,
  partner_id bigint not null references partner,
  sealed_secret bytea not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  revoked_at timestamptz
);
create index storage_credential_by_partner on storage_credential (partner_id);

-- The credentials of an import from a partner's own bucket; deleted when the import ends.
create table job_secret (
  job_id bigint primary key references job,
  sealed_credentials bytea not null
);

-- How often a job was retried because of a temporary failure of the partner's storage.
alter table job add column storage_failures integer not null default 0;
