-- People who sign in to the console for a customer. Addresses with the same `email_key` are the same;
-- `password_hash` is argon2id, as a PHC string.
create table customer_user (
  user_id bigint generated always as identity primary key,
  customer_id bigint not null references customer,
  email text not null,
  email_key text not null unique,
  password_hash text not null,
  is_disabled boolean not null default false,
  created_at timestamptz not null default now(),
  last_sign_in_at timestamptz
);
create index customer_user_by_customer on customer_user (customer_id);

-- Sessions. The cookie is `trib_session_<lookup>_<secret>`; only a hash of the secret is stored. A
-- session belongs to a customer's user, an API key of a partner, or the admin token with that hash,
-- and ends with it. Ending a session deletes its row.
create table console_session (
  session_id bigint generated always as identity primary key,
  lookup text not null unique,
  secret_hash bytea not null,
  user_id bigint references customer_user on delete cascade,
  api_key_id bigint references api_key,
  admin_token_hash bytea,
  remote_address text not null,
  user_agent text not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz not null default now(),
  expires_at timestamptz not null,
  check (num_nonnulls(user_id, api_key_id, admin_token_hash) = 1)
);
create index console_session_by_user on console_session (user_id);
create index console_session_by_api_key on console_session (api_key_id);

-- Sign-in attempts that failed or have not ended yet. `subject` is a hash of the client or of the name
-- tried, because people sometimes type passwords in the e-mail field.
create table sign_in_attempt (
  attempt_id bigint generated always as identity primary key,
  subject bytea not null,
  tried_at timestamptz not null default now()
);
create index sign_in_attempt_by_subject on sign_in_attempt (subject, tried_at);
create index sign_in_attempt_by_time on sign_in_attempt (tried_at);

-- A customer's users see its audiences from every partner.
create index audience_by_customer on audience (customer_id, audience_id);
