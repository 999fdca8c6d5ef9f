-- Servers of builds since 034_token_sources.sql can go on.

-- Conversions: measures times a rate of a lookup, row by row.
ALTER TABLE pf.lookup ADD COLUMN conversions jsonb NOT NULL DEFAULT '[]';
