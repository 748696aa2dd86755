-- Uploads and deletions of objects are in the audit log, with the credentials that signed them.
alter table audit_entry add column access_key_id text;
