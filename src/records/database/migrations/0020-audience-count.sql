-- How many audiences a partner has, because counting them at each creation would take as long as they
-- are many. Audiences are never deleted. Reads the index of audiences once.
alter table partner add column audiences bigint not null default 0;

update partner set audiences = counted.audiences
from (select partner_id, count(*) as audiences from audience group by partner_id) as counted
where counted.partner_id = partner.partner_id;
