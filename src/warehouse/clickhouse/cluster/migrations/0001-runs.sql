-- The devices of runs. Which runs count is said by the manifest alone; a run's id is its batch's
-- number, shifted by 20 bits, and its own in the batch.
create table if not exists run_device (
  run_id UInt64,
  device FixedString(16)
) engine = MergeTree order by (run_id, device) {durable};

-- The rows of loads under way. The partition of a load is dropped when it ends.
create table if not exists loaded_row (
  batch UInt64,
  removes UInt8,
  list UInt32,
  device FixedString(16)
) engine = MergeTree partition by batch order by (removes, list);

-- Every batch that has rows here or may get some. Entered before its first row is written, and
-- forgotten after its last one was deleted.
create table if not exists batch (
  batch UInt64,
  begun DateTime default now()
) engine = MergeTree order by batch;

-- Written to, to see whether writing is possible.
create table if not exists probe (
  one UInt8
) engine = ReplacingMergeTree order by one;

-- Only on a cluster: sends each row to the shard that holds its device.
create table if not exists loaded as loaded_row
engine = Distributed({cluster}, {database}, loaded_row, sipHash64(device));
