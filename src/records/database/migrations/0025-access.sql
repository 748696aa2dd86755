-- While a partner or customer is disabled, its credentials and sessions are refused and it has no open
-- jobs. A removed one is also disabled, and a worker deletes its data.
alter table partner add column disabled_at timestamptz;
alter table partner add column removed_at timestamptz;
alter table partner add check (removed_at is null or disabled_at is not null);
alter table customer add column disabled_at timestamptz;
alter table customer add column removed_at timestamptz;
alter table customer add check (removed_at is null or disabled_at is not null);
-- When a removed partner's data was deleted. Its name and usage stay; the row of a customer is deleted.
alter table partner add column deleted_at timestamptz;
