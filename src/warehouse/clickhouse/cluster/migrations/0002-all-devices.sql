-- Only on a cluster: the devices of all shards. Digests are looked up here, because the digest of a device is
-- not on the shard of the device.
create table if not exists all_run_device as run_device
engine = Distributed({cluster}, {database}, run_device, sipHash64(device));
