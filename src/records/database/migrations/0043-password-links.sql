-- Links with which a user chooses a password: invitations and resets. The link holds
-- `trib_link_<lookup>_<secret>`; only a hash of the secret is stored. A user has at most one link, and using
-- it deletes its row.
create table password_link (
  user_id bigint primary key references customer_user on delete cascade,
  lookup text not null unique,
  secret_hash bytea not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
