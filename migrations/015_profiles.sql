-- Seasonalities under a name, per source: the weights of the twelve months of a year, January first.

CREATE TABLE pf.profile (
  id serial PRIMARY KEY,
  source_id integer NOT NULL REFERENCES pf.source (id) ON DELETE CASCADE,
  name text NOT NULL,
  weights double precision[] NOT NULL
    CHECK (cardinality(weights) = 12 AND 0 <= ALL (weights) AND 0 < ANY (weights)),
  created_by text,
  created_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (source_id, name)
);
