-- The trace that the submission of a job belongs to, if it is traced (W3C traceparent). Adding a column
-- without a default takes no time, however many jobs there are.
alter table job add column traceparent text;
