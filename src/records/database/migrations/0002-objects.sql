alter table object rename column created_at to modified_at;
alter table object
  add column content_type text not null default 'binary/octet-stream',
  add column metadata jsonb not null default '{}';
alter table object
  alter column content_type drop default,
  alter column metadata drop default;

-- Multipart uploads that are neither completed nor aborted.
create table upload (
  upload_id text collate "C" primary key,
  key text collate "C" not null,
  content_type text not null,
  metadata jsonb not null,
  started_at timestamptz not null default now()
);
create index upload_by_key on upload (key, upload_id);

-- The files of the embedded object store. Each has exactly one owner, an object or an upload. An
-- object's bytes are its blobs in order of position. A part's position is its part number, which it
-- keeps when the upload becomes an object.
create table blob (
  name text collate "C" primary key,
  key text collate "C" references object,
  upload_id text collate "C" references upload,
  position integer not null,
  size bigint not null,
  etag text not null,
  created_at timestamptz not null default now(),
  check ((key is null) <> (upload_id is null)),
  constraint blob_of_object unique (key, position),
  constraint blob_of_upload unique (upload_id, position)
);

insert into blob (name, key, position, size, etag, created_at)
select blob, key, 1, size, etag, modified_at from object;
alter table object drop column blob;
