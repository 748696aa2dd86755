-- Where the data outside this database is, so that a process configured for another place is refused
-- instead of finding nothing. The place contains the same mark, which is null if not yet created.
create table place (
  content text primary key check (content in ('device sets', 'objects')),
  kind text not null check (kind in ('folder', 'clickhouse')),
  mark uuid,
  address text not null
);

-- Before this migration, device sets were always in a folder.
insert into place (content, kind, address)
select 'device sets', 'folder', 'the data dir' where exists (select from run);
