alter table segment drop constraint segment_kind_check;
alter table segment add constraint segment_kind_check
  check (kind in ('attribute', 'audience', 'label', 'universe'));

-- Every run file that exists or is being written. The row is inserted before the file is created and
-- checked by the transaction that references it, so no run can reference a file that was swept.
-- `dropped_at` is when the first run of the file was dropped; since then it has unused bytes.
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

-- The universe: every device that has an attribute. `version` counts its changes.
create table universe (
  segment_id bigint primary key references segment,
  version bigint not null default 0,
  only_one boolean not null default true unique check (only_one)
);
with made as (insert into segment (kind) values ('universe') returning segment_id)
insert into universe (segment_id) select segment_id from made;

-- Runs of attributes that were added or dropped since the last fold. The row of a dropped run
-- protects its file from the sweep until the fold has read its devices.
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
