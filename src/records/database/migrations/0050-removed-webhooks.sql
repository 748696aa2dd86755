-- A removed webhook gets nothing and is not shown. Its deliveries are deleted in batches, and then it.
alter table webhook add column removed_at timestamptz;
