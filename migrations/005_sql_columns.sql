-- The columns that the stored templates of a source were generated from, as they were then: the
-- metadata may change before the next generation. A source whose templates are older than this table
-- has no row in it until its SQL is generated again.

CREATE TABLE pf.sql_column (
  source_id integer NOT NULL REFERENCES pf.source (id) ON DELETE CASCADE,
  cname     text NOT NULL,
  position  integer NOT NULL,
  role      text NOT NULL,
  type      text NOT NULL,
  in_grain  boolean NOT NULL,
  PRIMARY KEY (source_id, cname),
  CONSTRAINT sql_column_role_check CHECK (role IN ('dimension', 'value', 'units', 'date'))
);
