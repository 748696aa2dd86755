-- By cause, the last version of the segment that it led to: {"import": 3, "privacy": 5}. Changes before
-- this migration have no cause.
alter table segment add column changed_by jsonb not null default '{}';

-- What changed in the report of an audience, and why. The figures are those that a reader may see.
-- `top` is the attributes with the most devices of the audience: their segments, those devices, and
-- all devices of the attribute.
create table audience_history (
  audience_id bigint not null references audience,
  number bigint not null,
  changed_at timestamptz not null default clock_timestamp(),
  reasons text[] not null,
  unique_devices bigint not null,
  matched_devices bigint not null,
  universe_devices bigint not null,
  top_segments bigint[] not null,
  top_devices bigint[] not null,
  top_baselines bigint[] not null,
  primary key (audience_id, number)
);

-- The devices of an attribute after each change. No foreign key, because an import inserts thousands
-- of rows, and has the segments locked.
create table attribute_history (
  segment_id bigint not null,
  version bigint not null,
  changed_at timestamptz not null default clock_timestamp(),
  cause text not null,
  devices bigint not null,
  primary key (segment_id, version)
);
