-- The audit log: calls of the operator, and writes of partners, users and apps, with the record before
-- and after. Without a foreign key, because an entry outlives what it names. Builds indexes: about a
-- second per million entries.
alter table admin_call rename to audit_entry;
alter table audit_entry rename column admin_call_id to audit_entry_id;
alter table audit_entry
  add column actor text not null default 'operator' check (actor in ('operator', 'partner', 'user', 'app')),
  add column partner_id bigint,
  add column api_key_id bigint,
  add column customer_id bigint,
  add column user_id bigint,
  add column client_id text,
  add column before jsonb,
  add column after jsonb;
create index audit_entry_by_time on audit_entry (called_at);
create index audit_entry_by_action on audit_entry (action, audit_entry_id);
create index audit_entry_by_partner on audit_entry (partner_id, audit_entry_id) where partner_id is not null;
create index audit_entry_by_customer on audit_entry (customer_id, audit_entry_id)
  where customer_id is not null;
create index audit_entry_by_actor on audit_entry (actor, audit_entry_id);
create index audit_entry_of_change on audit_entry (audit_entry_id)
  where action not like 'GET %' and action not like 'HEAD %';

-- API processes of the version before this migration still record their calls, until they are restarted.
create view admin_call as
select audit_entry_id as admin_call_id, request_id, called_at, action, target, remote_address, status
from audit_entry;
