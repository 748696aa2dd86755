-- Null for what the operator issues. Set for the key pairs that the service makes for itself, to sign
-- the links with which a browser uploads: nobody is ever told their secrets.
alter table storage_credential add column expires_at timestamptz;
