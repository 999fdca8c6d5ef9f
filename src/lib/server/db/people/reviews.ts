/** Queries of `pf.review` and `pf.review_step`. */
import * as v from 'valibot';
import type { ReviewState } from '../../../contract/reviews';
import { MOST_WAITING, Review, ReviewStep, WaitingReview } from '../../../contract/reviews';
import { Slice } from '../../../contract/slices';
import type { SqlText } from '../../sql/quote';
import { sql } from '../../sql/quote';
import type { Queryable } from '../connection/queryable';
import { found, prepared } from '../connection/queryable';
import { withoutNulls } from '../connection/row-schemas';
import { limitsOf } from './territories';
import { numbersOf, SumTotals } from '../totals/totals';

/** A step as it is stored. */
const StoredStep = v.object({
  review_id: v.number(),
  step: ReviewStep.entries.step,
  pf_user: v.string(),
  stamp: v.string(),
  comment: v.nullable(v.string()),
  newest_entry: v.number(),
  totals: v.nullable(SumTotals),
  owner: v.nullable(v.string()),
  reviewers: v.nullable(v.array(v.string())),
  due: v.nullable(v.string()),
});
type StoredStep = v.InferOutput<typeof StoredStep>;

/** A review without its steps. */
const { steps: _, changed: __, beyond: ____, ...fields } = Review.entries;
const ReviewRow = v.object(fields);
export type ReviewRow = v.InferOutput<typeof ReviewRow>;

/** A review with its steps as they are stored, oldest first. */
export interface StoredReview extends ReviewRow {
  stored: readonly StoredStep[];
}

const FIELDS = sql`r.id, r.version_id, r.slice, r.owner, r.reviewers, r.due, r.state`;
const STEP_FIELDS = sql`s.review_id, s.step, s.pf_user, s.stamp, s.comment, s.newest_entry, s.totals,
  s.owner, s.reviewers, s.due`;

/** Returns a step as the API answers it. */
function answered({ review_id: _, totals, due, ...step }: StoredStep): ReviewStep {
  const terms = step.owner !== null && { due };
  return v.parse(ReviewStep, {
    ...withoutNulls({ ...step, totals: totals && numbersOf(totals) }),
    ...terms,
  });
}

/** Returns a review as the API answers it. */
export const answeredReview = ({
  stored,
  ...review
}: StoredReview & Pick<Review, 'beyond'>): Review => ({
  ...review,
  steps: stored.map(answered),
});

/** Reads the steps of some reviews. */
async function withSteps<Row extends ReviewRow>(
  db: Queryable,
  reviews: readonly Row[],
): Promise<(Row & StoredReview)[]> {
  if (reviews.length === 0) return [];
  const steps = await db.many(
    StoredStep,
    sql`SELECT ${STEP_FIELDS} FROM pf.review_step AS s WHERE review_id = ANY ($1) ORDER BY id`,
    [reviews.map(({ id }) => id)],
  );
  return reviews.map((review) => ({
    ...review,
    stored: steps.filter(({ review_id }) => review_id === review.id),
  }));
}

/** The reviews of a version with their steps, oldest first. */
export const listReviews = async (db: Queryable, versionId: number): Promise<StoredReview[]> =>
  withSteps(
    db,
    await db.many(
      ReviewRow,
      sql`SELECT ${FIELDS} FROM pf.review AS r WHERE version_id = $1 ORDER BY id`,
      [versionId],
    ),
  );

const HOLDING = prepared(
  sql`SELECT ${FIELDS} FROM pf.review AS r
     WHERE version_id = $1 AND state IN ('submitted', 'approved') ORDER BY id`,
);

/** The submitted and approved reviews of a version, oldest first: those that may hold rows. */
export const holdingReviews = (db: Queryable, versionId: number): Promise<ReviewRow[]> =>
  db.many(ReviewRow, HOLDING, [versionId]);

const { steps: ___, ...place } = WaitingReview.entries;

/**
 * The oldest reviews that wait for a user: submitted ones that they review, and returned ones that they own, in
 * versions of active sources that the sender may see. Those that are due first come first. Each has the slices of its
 * source that the sender may read; null for all of it.
 *
 * @returns at most {@link MOST_WAITING} if territories do not limit the sender
 */
export const listWaiting = async (
  db: Queryable,
  user: string,
): Promise<{ review: WaitingReview; read: Slice[] | null }[]> => {
  const limits = limitsOf(db, sql`v.source_id`, sql`$2`, MOST_WAITING);
  const rows = await db.many(
    v.object({ ...place, read: v.nullable(v.array(Slice)) }),
    sql`SELECT ${FIELDS}, v.name AS version_name, v.source_id,
       COALESCE(NULLIF(s.label, ''), s.tname) AS source_label,
       ${limits.read} AS read
     FROM pf.review AS r
     JOIN pf.version AS v ON v.id = r.version_id
     JOIN pf.source AS s ON s.id = v.source_id
     WHERE ((r.state = 'submitted' AND r.reviewers @> ARRAY[$1::text])
         OR (r.state = 'returned' AND r.owner = $1)) AND s.status = 'active'
       AND ${limits.isVisible}
     ORDER BY r.due NULLS LAST, r.id ${limits.limit}`,
    [user, ...limits.values],
  );
  return (await withSteps(db, rows)).map(({ stored, read, ...review }) => ({
    review: { ...review, steps: stored.map(answered) },
    read,
  }));
};

/** A review without its steps. @throws AppError 404 */
export const getReviewRow = async (db: Queryable, id: number): Promise<ReviewRow> =>
  found(
    await db.maybeOne(ReviewRow, sql`SELECT ${FIELDS} FROM pf.review AS r WHERE id = $1`, [id]),
    `review ${id}`,
  );

/** A review with its steps. @throws AppError 404 */
export async function getReview(db: Queryable, id: number): Promise<StoredReview> {
  const [review] = await withSteps(db, [await getReviewRow(db, id)]);
  return found(review, `review ${id}`);
}

/** Who owns and reviews a review, and until when. */
export type Terms = Pick<ReviewRow, 'owner' | 'reviewers' | 'due'>;

/** @returns the id of the new review */
export const insertReview = async (
  db: Queryable,
  versionId: number,
  slice: Slice,
  { owner, reviewers, due }: Terms,
): Promise<number> =>
  (
    await db.one(
      v.object({ id: v.number() }),
      sql`INSERT INTO pf.review (version_id, slice, owner, reviewers, due) VALUES ($1, $2, $3, $4, $5)
       RETURNING id`,
      [versionId, JSON.stringify(slice), owner, reviewers, due],
    )
  ).id;

const change = (db: Queryable, id: number, set: SqlText, values: unknown[]): Promise<number> =>
  db.run(sql`UPDATE pf.review SET ${set} WHERE id = $1`, [id, ...values]);

export const setReviewState = (db: Queryable, id: number, state: ReviewState): Promise<number> =>
  change(db, id, sql`state = $2`, [state]);

export const setTerms = (
  db: Queryable,
  id: number,
  { owner, reviewers, due }: Terms,
): Promise<number> =>
  change(db, id, sql`owner = $2, reviewers = $3, due = $4`, [owner, reviewers, due]);

/** Deletes a review with its steps. */
export const deleteReview = (db: Queryable, id: number): Promise<number> =>
  db.run(sql`DELETE FROM pf.review WHERE id = $1`, [id]);

/** Adds a step to the history of a review. */
export const insertStep = (
  db: Queryable,
  id: number,
  step: {
    step: ReviewStep['step'];
    pf_user: string;
    comment: string | null;
    newest: number;
    totals?: SumTotals | undefined;
    terms?: Terms | undefined;
  },
): Promise<number> =>
  db.run(
    sql`INSERT INTO pf.review_step
       (review_id, step, pf_user, comment, newest_entry, totals, owner, reviewers, due)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      ...[id, step.step, step.pf_user, step.comment, step.newest],
      step.totals ? JSON.stringify(step.totals) : null,
      ...[step.terms?.owner ?? null, step.terms?.reviewers ?? null, step.terms?.due ?? null],
    ],
  );
