-- Reviews of slices: who plans a slice, who approves it, and each step until it is approved.

CREATE TABLE pf.review (
  id         serial PRIMARY KEY,
  version_id integer NOT NULL REFERENCES pf.version (id) ON DELETE CASCADE,
  slice      jsonb NOT NULL,
  owner      text NOT NULL,
  reviewers  text[] NOT NULL,
  due        date,
  state      text NOT NULL DEFAULT 'open',
  CONSTRAINT review_slice_check CHECK (jsonb_typeof(slice) = 'object'),
  CONSTRAINT review_reviewers_check CHECK (cardinality(reviewers) > 0 AND NOT owner = ANY (reviewers)),
  CONSTRAINT review_state_check CHECK (state IN ('open', 'submitted', 'returned', 'approved', 'reopened'))
);

CREATE INDEX review_version_id ON pf.review (version_id);
-- What waits for whom.
CREATE INDEX review_owner ON pf.review (owner) WHERE state = 'returned';
CREATE INDEX review_reviewers ON pf.review USING gin (reviewers) WHERE state = 'submitted';

CREATE TABLE pf.review_step (
  id           serial PRIMARY KEY,
  review_id    integer NOT NULL REFERENCES pf.review (id) ON DELETE CASCADE,
  step         text NOT NULL,
  pf_user      text NOT NULL,
  stamp        timestamptz NOT NULL DEFAULT clock_timestamp(),
  comment      text,
  -- The newest entry of the version at this step; 0 without one. The entry may be undone later.
  newest_entry bigint NOT NULL,
  -- The totals of the slice when it was submitted or approved, as text with all digits.
  totals       jsonb,
  -- Who owns and reviews it, and until when, from this step on.
  owner        text,
  reviewers    text[],
  due          date,
  CONSTRAINT review_step_check CHECK (step IN ('open', 'change', 'submit', 'return', 'approve', 'reopen'))
);

CREATE INDEX review_step_review_id ON pf.review_step (review_id);
