-- The devices that a supplier knows, and how many of them an audience has. Counted on demand, and kept up to
-- date while somebody asks for it. Null until it is counted.
create table supplier_baseline (
  audience_id bigint not null references audience,
  -- The supplier.
  partner_id bigint not null references partner,
  wanted_at timestamptz not null default now(),
  supplier_devices bigint,
  audience_devices bigint,
  -- What was counted: a digest of the supplier's attributes with their versions, and the versions of
  -- the audience's segment and of the universe.
  attributes_digest text,
  segment_version bigint,
  universe_version bigint,
  primary key (audience_id, partner_id)
);
