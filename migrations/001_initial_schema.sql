-- The five tables of the service. The schema pf itself and pf.schema_version belong to the runner.

CREATE TABLE pf.source (
  id         serial PRIMARY KEY,
  schema     text NOT NULL,
  tname      text NOT NULL,
  label      text,
  status     text NOT NULL DEFAULT 'active',
  created_at timestamptz NOT NULL DEFAULT now(),
  created_by text,
  CONSTRAINT source_schema_tname_key UNIQUE (schema, tname),
  CONSTRAINT source_status_check CHECK (status IN ('active', 'archived'))
);

CREATE TABLE pf.col_meta (
  id        serial PRIMARY KEY,
  source_id integer NOT NULL REFERENCES pf.source (id) ON DELETE CASCADE,
  cname     text NOT NULL,
  label     text,
  role      text NOT NULL DEFAULT 'ignore',
  is_key    boolean NOT NULL DEFAULT false,
  opos      integer,
  CONSTRAINT col_meta_source_id_cname_key UNIQUE (source_id, cname),
  CONSTRAINT col_meta_role_check
    CHECK (role IN ('dimension', 'value', 'units', 'date', 'filter', 'ignore'))
);

CREATE TABLE pf.version (
  id            serial PRIMARY KEY,
  source_id     integer NOT NULL REFERENCES pf.source (id) ON DELETE RESTRICT,
  name          text NOT NULL,
  description   text,
  status        text NOT NULL DEFAULT 'open',
  exclude_iters jsonb NOT NULL DEFAULT '["reference"]',
  created_at    timestamptz NOT NULL DEFAULT now(),
  created_by    text,
  closed_at     timestamptz,
  closed_by     text,
  CONSTRAINT version_source_id_name_key UNIQUE (source_id, name),
  CONSTRAINT version_status_check CHECK (status IN ('open', 'closed')),
  CONSTRAINT version_exclude_iters_check CHECK (jsonb_typeof(exclude_iters) = 'array')
);

CREATE TABLE pf.log (
  id         bigserial PRIMARY KEY,
  version_id integer NOT NULL REFERENCES pf.version (id) ON DELETE CASCADE,
  pf_user    text NOT NULL,
  stamp      timestamptz NOT NULL DEFAULT now(),
  operation  text NOT NULL,
  slice      jsonb,
  params     jsonb,
  note       text,
  CONSTRAINT log_operation_check
    CHECK (operation IN ('baseline', 'reference', 'scale', 'recode', 'clone'))
);

CREATE INDEX log_version_id_idx ON pf.log (version_id);

CREATE TABLE pf.sql (
  id           serial PRIMARY KEY,
  source_id    integer NOT NULL REFERENCES pf.source (id) ON DELETE CASCADE,
  operation    text NOT NULL,
  sql          text NOT NULL,
  generated_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT sql_source_id_operation_key UNIQUE (source_id, operation),
  CONSTRAINT sql_operation_check CHECK (
    operation IN
      ('get_data', 'get_agg', 'baseline', 'reference', 'scale', 'recode', 'clone', 'undo')
  )
);
