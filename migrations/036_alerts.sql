-- Servers of builds since 034_token_sources.sql can go on.

-- Alerts: what people want to know about the sums of a version, and the groups of rows for which it holds.
CREATE TABLE pf.alert (
  -- Of the sequence of entries, comments and reviews, so that a gap does not tell what was made.
  id               integer PRIMARY KEY DEFAULT nextval('pf.log_id_seq'),
  version_id       integer NOT NULL REFERENCES pf.version (id) ON DELETE CASCADE,
  name             text NOT NULL,
  measure          text NOT NULL,
  of               text NOT NULL,
  condition        jsonb NOT NULL,
  level            jsonb NOT NULL,
  slice            jsonb NOT NULL,
  owner            text NOT NULL,
  asks_for_reason  boolean NOT NULL,
  created_by       text NOT NULL,
  created_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- Why the alert cannot be evaluated now.
  problem          text,
  CONSTRAINT alert_of_check CHECK (of IN ('amount', 'difference', 'difference_pct')),
  CONSTRAINT alert_condition_check CHECK (jsonb_typeof(condition) = 'object'),
  CONSTRAINT alert_level_check CHECK (jsonb_typeof(level) = 'array'),
  CONSTRAINT alert_slice_check CHECK (jsonb_typeof(slice) = 'object')
);

CREATE INDEX alert_version_id ON pf.alert (version_id);
CREATE INDEX alert_owner ON pf.alert (owner);

CREATE TABLE pf.alert_group (
  alert_id   integer NOT NULL REFERENCES pf.alert (id) ON DELETE CASCADE,
  -- SHA-256 of the values: an index has no room for long ones.
  digest     text NOT NULL,
  -- The members of the level; the slice of the alert is not repeated in each group.
  slice      jsonb NOT NULL,
  amount     numeric NOT NULL,
  began_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- NULL: the condition holds.
  ended_at   timestamptz,
  -- Whether a thread has asked for a reason, or need not: the group was told in the original of a copy.
  is_asked   boolean NOT NULL DEFAULT false,
  -- This thread; NULL also after it was deleted.
  comment_id integer REFERENCES pf.comment (id) ON DELETE SET NULL,
  PRIMARY KEY (alert_id, digest)
);

CREATE INDEX alert_group_comment_id ON pf.alert_group (comment_id);
