-- Comments on slices of a version, and replies to them.

CREATE TABLE pf.comment (
  id          serial PRIMARY KEY,
  version_id  integer NOT NULL REFERENCES pf.version (id) ON DELETE CASCADE,
  slice       jsonb NOT NULL,
  parent      integer,
  text        text NOT NULL,
  mentions    text[] NOT NULL DEFAULT '{}',
  created_by  text NOT NULL,
  created_at  timestamptz NOT NULL DEFAULT now(),
  edited_at   timestamptz,
  resolved_at timestamptz,
  resolved_by text,
  CONSTRAINT comment_slice_check CHECK (jsonb_typeof(slice) = 'object'),
  CONSTRAINT comment_resolved_check CHECK ((resolved_at IS NULL) = (resolved_by IS NULL)),
  -- The list of a version's comments, and the reference below.
  CONSTRAINT comment_version_id_id_key UNIQUE (version_id, id),
  -- A reply belongs to the version of its comment.
  CONSTRAINT comment_parent_fkey FOREIGN KEY (version_id, parent) REFERENCES pf.comment (version_id, id)
);

CREATE INDEX comment_parent ON pf.comment (parent);
CREATE INDEX comment_mentions ON pf.comment USING gin (mentions);
