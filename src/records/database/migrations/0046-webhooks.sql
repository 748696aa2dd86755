-- Addresses of partners to which events are sent. `events` is null for all types. After failures, nothing
-- is sent before `resume_at`.
create table webhook (
  webhook_id bigint generated always as identity primary key,
  partner_id bigint not null references partner,
  url text not null,
  description text not null,
  events text[],
  disabled_at timestamptz,
  disabled_by text check (disabled_by in ('partner', 'operator', 'gone', 'failing')),
  failures integer not null default 0,
  failing_since timestamptz,
  resume_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check ((disabled_at is null) = (disabled_by is null))
);
create index webhook_of_partner on webhook (partner_id, webhook_id);

-- The newest secret has no end. Those before it are valid until theirs.
create table webhook_secret (
  secret_id uuid primary key,
  webhook_id bigint not null references webhook on delete cascade,
  sealed_secret bytea not null,
  created_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz
);
create index webhook_secret_of_webhook on webhook_secret (webhook_id, created_at);

-- The outbox. `message_id` is random, because a restored database gives ids a second time.
create table webhook_event (
  event_id bigint generated always as identity primary key,
  message_id text not null unique,
  partner_id bigint not null references partner,
  type text not null,
  body text not null,
  created_at timestamptz not null default now()
);
create index webhook_event_of_partner on webhook_event (partner_id);

-- An event for one webhook. `attempts` are those since it was queued or replayed. A claim moves `due_at` ahead.
create table webhook_delivery (
  delivery_id bigint generated always as identity primary key,
  webhook_id bigint not null references webhook on delete cascade,
  event_id bigint not null references webhook_event on delete cascade,
  state text not null default 'pending' check (state in ('pending', 'delivered', 'failed')),
  attempts integer not null default 0,
  due_at timestamptz not null default now(),
  created_at timestamptz not null default now()
);
create index webhook_delivery_of_webhook on webhook_delivery (webhook_id, delivery_id);
create index webhook_delivery_of_event on webhook_delivery (event_id);
create index webhook_delivery_due on webhook_delivery (webhook_id, due_at) where state = 'pending';

create table webhook_attempt (
  attempt_id bigint generated always as identity primary key,
  delivery_id bigint not null references webhook_delivery on delete cascade,
  attempted_at timestamptz not null,
  status integer,
  duration_ms integer not null,
  error text,
  answer text
);
create index webhook_attempt_of_delivery on webhook_attempt (delivery_id, attempt_id);
