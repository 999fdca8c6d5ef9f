-- Servers of builds since 027_audit.sql can go on.

-- Versions that other programs read as views of the schema pf_plans. The views are made with the first of these rows.
CREATE TABLE pf.published (
  id         serial PRIMARY KEY,
  -- A published version cannot be deleted.
  version_id integer NOT NULL REFERENCES pf.version (id),
  -- The name of the view; that of its changes ends with " changes".
  name       text NOT NULL UNIQUE,
  -- The current name that the view follows; NULL: it stays on the version.
  current    text,
  created_by text,
  created_at timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX published_version_id ON pf.published (version_id);
