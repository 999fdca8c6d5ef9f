-- Servers of builds since 027_audit.sql can go on.

-- Names that stay: which version a name of a source stands for now. The audit has their moves.
CREATE TABLE pf.current (
  source_id  integer NOT NULL REFERENCES pf.source (id) ON DELETE CASCADE,
  name       text NOT NULL,
  -- A version with a name cannot be deleted.
  version_id integer NOT NULL REFERENCES pf.version (id),
  PRIMARY KEY (source_id, name)
);

CREATE INDEX current_version_id ON pf.current (version_id);
