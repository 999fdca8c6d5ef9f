-- Rows that an entry wrote, kept when it is written: counting forecast tables takes seconds each. Null
-- for entries that are older than this column; the service counts those once, when somebody asks.

ALTER TABLE pf.log ADD COLUMN row_count bigint;
