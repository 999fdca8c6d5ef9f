-- Formulas: sums and ratios of measures under a name, per source.

CREATE TABLE pf.formula (
  id serial PRIMARY KEY,
  source_id integer NOT NULL REFERENCES pf.source (id) ON DELETE CASCADE,
  name text NOT NULL,
  expression text NOT NULL,
  format jsonb NOT NULL,
  created_by text,
  created_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (source_id, name)
);
