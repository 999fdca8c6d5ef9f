-- Tokens for some sources. Servers of earlier builds would let such a token reach all sources.

ALTER TABLE pf.token
  -- Ids of the sources that the token reaches; NULL: all. Without foreign keys: a deleted source has no successor.
  ADD COLUMN sources integer[],
  ADD CONSTRAINT token_sources_check CHECK (cardinality(sources) > 0);
