-- The id of this service, so that a process with another service's folder or secret key is refused.
-- `key_check` is an encrypted value that only a process with the right secret key can decrypt.
create table installation (
  is_only boolean primary key default true check (is_only),
  installation_id uuid not null default gen_random_uuid(),
  key_check bytea not null
);
