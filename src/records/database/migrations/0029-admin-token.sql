-- Which admin token replaced which, by hash, and how long the old one stays valid. A row is kept for ever:
-- without it, a process that is still configured with the old token would accept it again.
create table admin_token_rotation (
  old_hash bytea primary key,
  new_hash bytea not null unique,
  old_valid_until timestamptz not null,
  rotated_at timestamptz not null default now()
);
