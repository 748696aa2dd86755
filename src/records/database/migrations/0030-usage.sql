-- What each partner used in each month (UTC). Requests and rows add up; bytes and devices are the most
-- at one time, as sampled.
create table usage (
  partner_id bigint not null references partner,
  month date not null,
  requests bigint not null default 0,
  loaded_rows bigint not null default 0,
  object_bytes bigint not null default 0,
  set_bytes bigint not null default 0,
  devices bigint not null default 0,
  primary key (partner_id, month)
);

-- Null: no quota. Requests and rows are per month.
alter table partner add column request_quota bigint check (request_quota >= 0);
alter table partner add column row_quota bigint check (row_quota >= 0);
alter table partner add column device_quota bigint check (device_quota >= 0);
