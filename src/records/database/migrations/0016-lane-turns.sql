-- Lanes take turns by a number, because the clock may be set back.
create sequence lane_turn;
alter table lane add column turn bigint not null default 0;
update lane set turn = served.turn
from (select partner_id, row_number() over (order by served_at) as turn from lane) as served
where lane.partner_id = served.partner_id;
select setval('lane_turn', (select count(*) + 1 from lane));
alter table lane drop column served_at;
