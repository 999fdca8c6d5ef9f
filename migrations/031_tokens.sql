-- Servers of builds since 027_audit.sql can go on.

-- How programs sign in. A secret is shown once and not stored.
CREATE TABLE pf.token (
  id           serial PRIMARY KEY,
  -- The acting user. Two tokens may have the same name, so that one can replace the other.
  name         text NOT NULL,
  -- SHA-256 of the secret.
  hash         bytea NOT NULL UNIQUE,
  roles        text[] NOT NULL,
  groups       text[] NOT NULL DEFAULT '{}',
  -- NULL: never.
  expires_at   timestamptz,
  created_by   text NOT NULL,
  created_at   timestamptz NOT NULL DEFAULT now(),
  -- To a few minutes. NULL: never used.
  last_used_at timestamptz,
  CONSTRAINT token_hash_check CHECK (octet_length(hash) = 32),
  CONSTRAINT token_roles_check CHECK (roles <@ '{reader,planner,admin}' AND cardinality(roles) > 0)
);

ALTER TABLE pf.audit ADD COLUMN token_id integer;
