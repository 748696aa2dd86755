-- Which service this is, so that a process with another's folder or secret key is told apart. The check
-- says nothing: it is sealed, and there to be opened.
create table installation (
  is_only boolean primary key default true check (is_only),
  installation_id uuid not null default gen_random_uuid(),
  key_check bytea not null
);
