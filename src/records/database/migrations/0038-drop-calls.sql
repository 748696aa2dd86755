-- When DROP began to deliver the archive. Null: no archive came, or it was brought by the operator.
alter table drop_cycle add column transfer_at timestamptz;
update drop_cycle set transfer_at = started_at where kind = 'api';

-- When a worker with an API key last ran.
alter table drop_schedule add column keyed_at timestamptz;
