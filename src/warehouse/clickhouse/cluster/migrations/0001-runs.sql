-- The devices of runs. Only the manifest says which runs exist. A run's id is its batch number,
-- shifted by 20 bits, plus its number in the batch.
create table if not exists run_device (
  run_id UInt64,
  device FixedString(16)
) engine = {copied MergeTree} order by (run_id, device) {durable};

-- The rows of running loads. A load's partition is dropped when the load ends.
create table if not exists loaded_row (
  batch UInt64,
  removes UInt8,
  list UInt32,
  device FixedString(16)
) engine = MergeTree partition by batch order by (removes, list);

-- Every batch that has or may get rows on this shard. Entered before its first row is written and
-- deleted after its last row.
create table if not exists batch (
  batch UInt64,
  begun DateTime default now()
) engine = {copied MergeTree} order by batch;

-- Readiness checks insert here to test whether the shard is writable.
create table if not exists probe (
  one UInt8
) engine = {copied ReplacingMergeTree} order by one;

-- Only on a cluster: sends each row to the shard of its device.
create table if not exists loaded as loaded_row
engine = Distributed({cluster}, {database}, loaded_row, sipHash64(device));
