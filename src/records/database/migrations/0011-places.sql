-- Where lies what is not in this database, so that a process which would look elsewhere is told so
-- instead of finding nothing. The mark is kept there as well; it is null where nobody has made one yet.
create table place (
  content text primary key check (content in ('device sets', 'objects')),
  kind text not null check (kind in ('folder', 'clickhouse')),
  mark uuid,
  address text not null
);

-- Until now a folder was all there was.
insert into place (content, kind, address)
select 'device sets', 'folder', 'the data dir' where exists (select from run);
