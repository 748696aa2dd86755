-- Devices that must not be stored: a segment with the digests of all of them, one with the digests of which a
-- device was stored, and one with devices that may still be stored. A digest is the first 128 bits of a SHA-256, so it has the size of a device.
-- Checks the kind of every segment once.
alter table segment drop constraint segment_kind_check;
alter table segment add constraint segment_kind_check
  check (kind in ('attribute', 'audience', 'label', 'universe', 'profile', 'suppression', 'digest'));

-- `applied_version` is the version of the devices' segment that was taken out of all other segments. Devices
-- that were taken out leave it.
-- `resolved_version` is the version of the digests against which everything stored was checked.
-- `has_masked_values`: values that name a device were removed from reports, and their bytes may still be in the
-- files of the database.
-- `only_marketplace`: suppressed devices are kept out of attributes only. If not, audiences and labels count as well.
create table suppression (
  is_only boolean primary key default true check (is_only),
  segment_id bigint not null unique references segment,
  digest_segment_id bigint not null unique references segment,
  matched_segment_id bigint not null unique references segment,
  applied_version bigint not null default 0,
  resolved_version bigint not null default 0,
  has_masked_values boolean not null default false,
  only_marketplace boolean not null default false
);
with plain as (insert into segment (kind) values ('suppression') returning segment_id),
digests as (insert into segment (kind) values ('digest') returning segment_id),
matched as (insert into segment (kind) values ('digest') returning segment_id)
insert into suppression (segment_id, digest_segment_id, matched_segment_id)
select plain.segment_id, digests.segment_id, matched.segment_id from plain, digests, matched;

-- How many devices the pass that is under way has taken out of each attribute and audience. Without a foreign
-- key, because an attribute may be deleted before the pass ends.
create table suppression_removal (
  segment_id bigint primary key,
  partner_id bigint not null,
  devices bigint not null
);
