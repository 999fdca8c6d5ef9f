-- Servers of builds since 032_lookups.sql can go on.

-- When a refresh last found that its loads equal the source, so that it wrote no entry. NULL: never.
ALTER TABLE pf.version ADD COLUMN checked_at timestamptz;
