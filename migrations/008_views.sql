-- Arrangements of the pivot that people keep under a name, per source. `layout` is in the form of
-- `pf.source.default_layout`.

CREATE TABLE pf.view (
  id serial PRIMARY KEY,
  source_id integer NOT NULL REFERENCES pf.source (id) ON DELETE CASCADE,
  name text NOT NULL,
  layout jsonb NOT NULL CHECK (jsonb_typeof(layout) = 'object'),
  created_by text,
  created_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (source_id, name)
);
