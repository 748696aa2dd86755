-- Workers send each row to the shard of its device themselves.
drop table if exists loaded;
drop table if exists all_run_device;
