-- The pivot layout that a source opens with.

ALTER TABLE pf.source ADD COLUMN default_layout jsonb;
