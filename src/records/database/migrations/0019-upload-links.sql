-- The API key that asked for the links which the service signs with this key pair. The pair is refused
-- once the key is revoked. Null for credentials that the operator issues.
alter table storage_credential add column api_key_id bigint references api_key;
create index storage_credential_by_api_key on storage_credential (api_key_id)
  where api_key_id is not null;
