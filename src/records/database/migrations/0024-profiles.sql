-- The versions of its segment with which the devices of a run came: of the first and of the last, because
-- a merged run has devices of several. A report that counted a version later counts only the runs that
-- came after it, unless the segment has lost devices since.
alter table run add column first_version bigint not null default 0;
alter table run add column last_version bigint not null default 0;
alter table segment add column lost_version bigint not null default 0;
update segment set lost_version = version;
update run set first_version = segment.version, last_version = segment.version
from segment where run.segment_id = segment.segment_id;

-- The version of the universe's segment that `matched_devices` counted.
alter table composition add column universe_segment_version bigint;

-- How long the last pass over outdated reports took, for an estimate of the next ones.
create table refresh_pass (
  is_only boolean primary key default true check (is_only),
  reports integer not null,
  seconds double precision not null
);

-- A profile is a segment with one run: the devices of several runs of attributes, each with the list of
-- the runs that hold it, by number.
alter table segment drop constraint segment_kind_check;
alter table segment add constraint segment_kind_check
  check (kind in ('attribute', 'audience', 'label', 'universe', 'profile'));
create table profile (
  segment_id bigint primary key references segment on delete cascade,
  -- How many runs it numbers, including those that are gone.
  numbers integer not null
);
-- The runs that a profile numbers and that still exist. A run that replaces others takes over their
-- numbers, so it may have several, of several profiles.
create table profile_source (
  segment_id bigint not null references profile on delete cascade,
  number integer not null,
  run_id bigint not null references run on delete cascade,
  primary key (segment_id, number)
);
create index profile_source_by_run on profile_source (run_id);
