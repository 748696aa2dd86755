-- Partners' apps that act for customers' users, by OAuth 2.0. Of a confidential app's secret only a
-- hash is kept; a public app has none. Redirect addresses are compared letter by letter.
create table oauth_app (
  client_id text primary key,
  partner_id bigint not null references partner,
  name text not null,
  secret_hash bytea,
  redirect_uris text[] not null,
  is_disabled boolean not null default false,
  created_at timestamptz not null default now()
);
create index oauth_app_by_partner on oauth_app (partner_id, created_at);

-- A user lets an app act for them. Everything issued under a grant goes with its row, in the same
-- moment. It expires when the last of what was issued under it does.
create table oauth_grant (
  grant_id bigint generated always as identity primary key,
  id_hash bytea not null unique,
  client_id text not null references oauth_app on delete cascade,
  user_id bigint not null references customer_user on delete cascade,
  sealed_payload bytea not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  expires_at timestamptz not null
);
create index oauth_grant_by_client on oauth_grant (client_id);
create index oauth_grant_by_user on oauth_grant (user_id);
create index oauth_grant_by_expiry on oauth_grant (expires_at);

-- What the authorization server must remember: requests that wait for their user, codes, and tokens.
-- Each is found by a hash of the code or token. The payload repeats it, and so is sealed. A refresh
-- token that was used stays until it expires, so that its second use is noticed.
create table oauth_state (
  id_hash bytea not null,
  model text not null check (model in ('Interaction', 'AuthorizationCode', 'AccessToken', 'RefreshToken')),
  grant_id bigint references oauth_grant on delete cascade,
  sealed_payload bytea not null,
  expires_at timestamptz not null,
  consumed_at timestamptz,
  primary key (id_hash, model),
  check ((grant_id is null) = (model = 'Interaction'))
);
create index oauth_state_by_grant on oauth_state (grant_id);
create index oauth_state_by_expiry on oauth_state (expires_at);

-- What the authorization server signs with: a private JWK, and a key for its cookies, both sealed.
-- One that was replaced verifies what it has signed for as long as that is valid.
create table oauth_key (
  kid text primary key,
  sealed_keys bytea not null,
  created_at timestamptz not null default now(),
  retired_at timestamptz
);
