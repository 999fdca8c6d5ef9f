-- Servers of builds since 026_source_needs.sql can go on.

-- Who changed what everybody's work depends on, and what was refused. Rows are only added.
CREATE TABLE pf.audit (
  id           bigserial PRIMARY KEY,
  stamp        timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- NULL: nobody was signed in.
  pf_user      text,
  action       text NOT NULL,
  -- Without foreign keys: a row outlives what it names.
  source_id    integer,
  version_id   integer,
  territory_id integer,
  -- The fields that changed.
  before       jsonb,
  after        jsonb,
  -- Of a refused request: the method and the path of the first one, the status, and how many of its minute were alike.
  request      text,
  status       integer,
  count        integer NOT NULL DEFAULT 1
);

CREATE INDEX audit_pf_user ON pf.audit (pf_user, id);
CREATE INDEX audit_source_id ON pf.audit (source_id, id);

CREATE FUNCTION pf.refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'Rows of pf.audit are only added' USING ERRCODE = 'insufficient_privilege';
END
$$;

CREATE TRIGGER audit_only_grows BEFORE UPDATE OR DELETE OR TRUNCATE ON pf.audit
  FOR EACH STATEMENT EXECUTE FUNCTION pf.refuse_audit_change();

-- The owner could grant itself the rest again, but no statement of the service does.
REVOKE ALL ON pf.audit FROM CURRENT_USER;
GRANT SELECT, INSERT, REFERENCES, TRIGGER ON pf.audit TO CURRENT_USER;
