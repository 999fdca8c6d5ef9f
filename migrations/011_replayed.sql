-- What came of each entry when a version was replayed, beside what the entry had been.

CREATE TABLE pf.replayed (
  version_id integer NOT NULL REFERENCES pf.version (id) ON DELETE CASCADE,
  place      integer NOT NULL,
  entry      jsonb NOT NULL,
  before     jsonb NOT NULL,
  logid      bigint,
  after      jsonb NOT NULL,
  reason     text,
  PRIMARY KEY (version_id, place),
  CONSTRAINT replayed_entry_check CHECK (jsonb_typeof(entry) = 'object'),
  CONSTRAINT replayed_reason_check CHECK ((logid IS NULL) = (reason IS NOT NULL))
);
