-- Files that the records no longer need, noted until they are deleted from disk. A file that is neither
-- recorded nor noted here is unknown, perhaps because the database was restored from an older backup.
create table removed_file (
  name text primary key,
  content text not null check (content in ('device sets', 'objects'))
);

-- One row for each commit that adds or drops files; only the newest is kept. The data dir records the
-- highest id, so that a start with an older database is noticed.
create table data_change (
  change_id bigint generated always as identity primary key,
  changed_at timestamptz not null default now()
);
