-- What somebody who reads a part of a source has saved can name only values of that part, and others who read
-- them may see it. NULL: saved by somebody who read all of the source.

ALTER TABLE pf.view ADD COLUMN within jsonb CHECK (jsonb_typeof(within) = 'array');
ALTER TABLE pf.profile ADD COLUMN within jsonb CHECK (jsonb_typeof(within) = 'array');

-- A name that is taken would tell of a row that the sender does not see: names of people who read a part are unique
-- among their own.
ALTER TABLE pf.view DROP CONSTRAINT IF EXISTS view_source_id_name_key;
CREATE UNIQUE INDEX view_source_id_name_key ON pf.view
  (source_id, name, (CASE WHEN within IS NOT NULL THEN created_by END)) NULLS NOT DISTINCT;
ALTER TABLE pf.profile DROP CONSTRAINT IF EXISTS profile_source_id_name_key;
CREATE UNIQUE INDEX profile_source_id_name_key ON pf.profile
  (source_id, name, (CASE WHEN within IS NOT NULL THEN created_by END)) NULLS NOT DISTINCT;

-- One sequence numbers log entries and what people add to a plan. A preview takes a number too, so a gap does not
-- tell that somebody has commented on rows that the reader does not see.
SELECT setval('pf.log_id_seq', GREATEST(nextval('pf.log_id_seq'),
  (SELECT max(id) + 1 FROM pf.comment), (SELECT max(id) + 1 FROM pf.review), (SELECT max(id) + 1 FROM pf.lock),
  (SELECT max(id) + 1 FROM pf.view), (SELECT max(id) + 1 FROM pf.profile)), false);
ALTER TABLE pf.comment ALTER COLUMN id SET DEFAULT nextval('pf.log_id_seq');
ALTER TABLE pf.review ALTER COLUMN id SET DEFAULT nextval('pf.log_id_seq');
ALTER TABLE pf.lock ALTER COLUMN id SET DEFAULT nextval('pf.log_id_seq');
ALTER TABLE pf.view ALTER COLUMN id SET DEFAULT nextval('pf.log_id_seq');
ALTER TABLE pf.profile ALTER COLUMN id SET DEFAULT nextval('pf.log_id_seq');
DROP SEQUENCE IF EXISTS pf.comment_id_seq, pf.review_id_seq, pf.lock_id_seq, pf.view_id_seq, pf.profile_id_seq;
