-- What reports may reveal. The key draws the noise of protected counts, so the same contents give the same
-- figure.
create table disclosure_key (
  is_only boolean primary key default true check (is_only),
  key bytea not null
);
insert into disclosure_key (key)
values (decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex'));

-- Null: as the service does by default.
alter table partner add column disclosure text check (disclosure in ('exact', 'protected'));

-- The contents of a partner's audiences that were reported on, by day. `foreign_state` identifies the
-- attributes of other partners; while it stays, so do the counts, even if the partner's own attributes
-- change. `releases` is how often they changed on that day. `is_charged`: the partner made these contents on
-- that day, so they count towards its budget.
create table reported_content (
  partner_id bigint not null references partner,
  day date not null,
  fingerprint text not null,
  is_charged boolean not null,
  releases integer not null default 1,
  foreign_state text not null,
  universe_version bigint not null,
  matched_devices bigint not null,
  universe_devices bigint not null,
  primary key (partner_id, day, fingerprint)
);

-- `fingerprint` identifies the audience's devices. `generation` and `uploaded_devices` tell whether the
-- partner has changed the audience since. The released counts are those of `reported_content`. `is_own`: no
-- other partner had any devices. `own_matched`: the most devices that it has of one own attribute. `erasures`
-- is the version of the suppressed devices that were removed.
alter table composition
  add column fingerprint text,
  add column generation integer,
  add column uploaded_devices bigint,
  add column released_version bigint,
  add column released_matched bigint,
  add column released_universe bigint,
  add column is_own boolean not null default false,
  add column own_matched bigint,
  add column erasures bigint;

-- Until then the report is not computed, because too many contents were reported on.
alter table audience add column report_held_until timestamptz;

-- Reports that exist have no fingerprint yet.
update audience set report_version = -1 where report_version is not null;
