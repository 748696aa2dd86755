-- A user may have several valid links, so that a new one does not end one that is already in use. Using one
-- deletes all of them.
alter table password_link drop constraint password_link_pkey;
alter table password_link drop constraint password_link_lookup_key;
alter table password_link add primary key (lookup);
create index password_link_by_user on password_link (user_id);
