-- Partners' apps that act for customers' users, by OAuth 2.0. Only a hash of a confidential app's
-- secret is stored; a public app has none. Redirect URIs must match exactly.
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

-- A user's permission for an app to act for them. Deleting a grant deletes everything issued under it.
-- A grant expires with the last token issued under it.
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

-- The authorization server's state: requests that wait for their user, codes, and tokens, each found
-- by the hash of its code or token. The payload contains the token itself, so it is encrypted. A used
-- refresh token stays until it expires, so that a second use is detected.
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

-- The authorization server's signing keys: a private JWK and a cookie key, both encrypted. A retired
-- key still verifies its signatures until they have expired.
create table oauth_key (
  kid text primary key,
  sealed_keys bytea not null,
  created_at timestamptz not null default now(),
  retired_at timestamptz
);
