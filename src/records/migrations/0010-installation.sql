-- Which service this is, so that a process with another's folder or secret key is told apart. What is
-- sealed here says nothing: it is there to be opened.
create table installation (
  is_only boolean primary key default true check (is_only),
  installation_id uuid not null default gen_random_uuid(),
  sealed_mark bytea not null
);
