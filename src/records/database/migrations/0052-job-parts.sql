-- The input of a large job in parts, which several workers read. The worker that has the job publishes its parts, reads
-- them in the order of `position`, and takes over what others stored. `keys` is a digest of the attributes that it uses.
-- Parts that it reads itself have no lease. `reader` is an ID of the worker's turn, `stored` the object with the rows.
-- If `for_owner`, no other worker may take the part.
create table job_part (
  job_id bigint not null,
  attempt integer not null,
  position integer not null,
  input json not null,
  keys text not null,
  state text not null default 'free' check (state in ('free', 'taken', 'done')),
  for_owner boolean not null default false,
  reader uuid,
  lease_until timestamptz,
  stored json,
  created_at timestamptz not null default now(),
  primary key (job_id, attempt, position)
);
