-- What a write answered, for a client that lost the answer and asks again with the same key. `answer`
-- is null only while the write runs: both are committed together.

CREATE TABLE pf.idempotency (
  path text NOT NULL,
  key text NOT NULL,
  body_digest text NOT NULL,
  version_id integer REFERENCES pf.version (id) ON DELETE CASCADE,
  answer json,
  columns bytea,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (path, key)
);

CREATE INDEX idempotency_created_at ON pf.idempotency (created_at);
CREATE INDEX idempotency_version_id ON pf.idempotency (version_id);
