-- Entries that were undone or cleared, without their rows: who took them out, and what a redo runs
-- again. There is no reference to pf.log, since the entry is no longer there.

CREATE TABLE pf.undone (
  logid       bigint PRIMARY KEY,
  version_id  integer NOT NULL REFERENCES pf.version (id) ON DELETE CASCADE,
  entry       jsonb NOT NULL,
  row_count   bigint NOT NULL,
  value_total numeric,
  units_total numeric,
  undone_at   timestamptz NOT NULL DEFAULT statement_timestamp(),
  undone_by   text
);

CREATE INDEX undone_version_id ON pf.undone (version_id, undone_at);
