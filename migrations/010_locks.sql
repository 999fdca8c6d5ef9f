-- Slices of a version whose rows nobody may change.

CREATE TABLE pf.lock (
  id         serial PRIMARY KEY,
  version_id integer NOT NULL REFERENCES pf.version (id) ON DELETE CASCADE,
  slice      jsonb NOT NULL,
  note       text,
  created_by text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT lock_slice_check CHECK (jsonb_typeof(slice) = 'object')
);

CREATE INDEX lock_version_id ON pf.lock (version_id);
