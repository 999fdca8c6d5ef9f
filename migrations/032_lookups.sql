-- Lookups: tables that are joined by key, or by a range of days, when rows are shown.

CREATE TABLE pf.lookup (
  id serial PRIMARY KEY,
  source_id integer NOT NULL REFERENCES pf.source (id) ON DELETE CASCADE,
  name text NOT NULL,
  schema text NOT NULL,
  tname text NOT NULL,
  keys jsonb NOT NULL,
  -- The JSON value null if it has keys only.
  range jsonb NOT NULL,
  attributes jsonb NOT NULL,
  created_by text,
  created_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (source_id, name)
);

-- Names of attributes that are gone. Slices that name one are refused, since skipping it would widen them.
CREATE TABLE pf.former_attribute (
  source_id integer NOT NULL REFERENCES pf.source (id) ON DELETE CASCADE,
  name text NOT NULL,
  PRIMARY KEY (source_id, name)
);

-- Ends a statement whose condition needs a lookup that has several rows for a key.
CREATE FUNCTION pf.refuse_lookup(why text) RETURNS boolean LANGUAGE plpgsql PARALLEL SAFE AS $$
BEGIN
  RAISE EXCEPTION USING MESSAGE = why, ERRCODE = 'PF001';
END
$$;
