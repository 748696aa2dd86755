alter table segment drop constraint segment_kind_check;
alter table segment add constraint segment_kind_check
  check (kind in ('attribute', 'audience', 'label', 'universe'));

-- Every run file that exists or is being written. Entered before the file is made, and asked for
-- again by the transaction that refers to it: once the sweep has taken the row away, no run can come
-- to lie in the file. `dropped_at` is when the file first lost a run, and so holds bytes of no use.
create table run_file (
  file text primary key,
  job_id bigint,
  attempt integer,
  created_at timestamptz not null default now(),
  dropped_at timestamptz,
  check ((job_id is null) = (attempt is null))
);
insert into run_file (file) select distinct file from run;
alter table run add foreign key (file) references run_file;

-- The universe: every device that carries an attribute. `version` counts its changes.
create table universe (
  segment_id bigint primary key references segment,
  version bigint not null default 0,
  only_one boolean not null default true unique check (only_one)
);
with made as (insert into segment (kind) values ('universe') returning segment_id)
insert into universe (segment_id) select segment_id from made;

-- Runs of attributes that came or went since the universe was last brought up to date. A dropped
-- run's row keeps its file from the sweep until its devices have been looked at.
create table universe_change (
  run_id bigint not null,
  is_drop boolean not null,
  segment_id bigint not null,
  file text not null references run_file,
  first_row_group integer not null,
  row_groups integer not null,
  devices bigint not null,
  bytes bigint not null,
  primary key (run_id, is_drop)
);
create index universe_change_by_file on universe_change (file);
insert into universe_change
select run_id, false, segment_id, file, first_row_group, row_groups, devices, bytes
from run join segment using (segment_id) where kind = 'attribute';
