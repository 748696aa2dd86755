-- How many bytes the rejects of each job take, each with 100 bytes besides its line. No foreign keys, like
-- the rejects. Reads all rejects once: about a second per GB.
create table reject_use (
  job_id bigint primary key,
  partner_id bigint not null,
  bytes bigint not null
);
create index reject_use_by_partner on reject_use (partner_id, job_id) include (bytes);

insert into reject_use (job_id, partner_id, bytes)
select job_id, partner_id, sum(octet_length(original) + 100)
from import_reject join job using (job_id)
group by job_id, partner_id;
