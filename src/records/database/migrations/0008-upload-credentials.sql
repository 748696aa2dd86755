-- Null for credentials that the operator issues. Set for the service's own key pairs, which sign links
-- for browser uploads; their secrets never leave the service.
alter table storage_credential add column expires_at timestamptz;
