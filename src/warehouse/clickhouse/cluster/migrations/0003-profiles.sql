-- The devices of profiles. Each has the numbers of the runs that hold it.
create table if not exists profile_device (
  run_id UInt64,
  device FixedString(16),
  numbers Array(UInt16)
) engine = {copied MergeTree} order by (run_id, device) {durable};
