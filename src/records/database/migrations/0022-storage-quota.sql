-- Bytes that a partner may keep in the embedded object store. Null: any number.
alter table partner add column storage_quota bigint check (storage_quota >= 0);

-- The bytes that partners keep there: of objects and of parts of open uploads. A partner's number is the
-- sum of its rows, so that its uploads need not wait for each other; one row alone may be negative.
-- Reads all blobs once: about a second per million.
create table storage_use (
  partner_id bigint,
  stripe smallint,
  bytes bigint not null,
  primary key (partner_id, stripe)
);

insert into storage_use (partner_id, stripe, bytes)
select substring(coalesce(upload.key, blob.key) from '^partner-([0-9]{1,15})/')::bigint as partner_id, 0, sum(size)
from blob left join upload using (upload_id)
where coalesce(upload.key, blob.key) ~ '^partner-[0-9]{1,15}/'
group by 1;
