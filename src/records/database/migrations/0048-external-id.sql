-- The service sends it when it assumes a role of the partner. The partner cannot choose it, so it cannot make the
-- service use a role that another partner has set up.
alter table partner add column external_id uuid not null default gen_random_uuid();
