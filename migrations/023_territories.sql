-- What each person or group may see and change of a source, as slices.

CREATE TABLE pf.territory (
  id         serial PRIMARY KEY,
  source_id  integer NOT NULL REFERENCES pf.source (id) ON DELETE CASCADE,
  member     text NOT NULL,
  read       jsonb NOT NULL,
  -- NULL: may change nothing.
  write      jsonb,
  created_by text,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- Hides the numbers of rows from people who see a part of a source.
  row_key    uuid NOT NULL DEFAULT gen_random_uuid(),
  CONSTRAINT territory_read_check CHECK (jsonb_typeof(read) = 'object'),
  CONSTRAINT territory_write_check CHECK (jsonb_typeof(write) = 'object')
);

-- Every read and write of a version asks for the territories of some members of its source.
CREATE INDEX territory_source_id_member ON pf.territory (source_id, member);
