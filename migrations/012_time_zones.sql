-- Servers of builds since 011_replayed.sql can go on.
-- The time zone in which a load takes the day of a timestamp with time zone; null is UTC. The second table
-- has the zone that the stored templates were generated with.

ALTER TABLE pf.col_meta ADD COLUMN time_zone text;
ALTER TABLE pf.sql_column ADD COLUMN time_zone text;
