-- `dropped_at` is when the first run of the file was dropped, from which the deadline for its deleted
-- bytes counts. Readers may use a run for a grace period after it was dropped, so the sweep counts
-- from the last one.
alter table run_file add column last_dropped_at timestamptz;
update run_file set last_dropped_at = now() where dropped_at is not null;
