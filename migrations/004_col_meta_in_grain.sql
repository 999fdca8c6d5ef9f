-- The display grain. Databases exist that were given this column by hand, hence IF NOT EXISTS.

ALTER TABLE pf.col_meta ADD COLUMN IF NOT EXISTS in_grain boolean NOT NULL DEFAULT false;
