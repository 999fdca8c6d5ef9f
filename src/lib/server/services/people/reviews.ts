/** Reviews of slices, and the steps by which they are approved (docs/contract/22-sign-off.md). */
import type { Me } from '../../../contract/me';
import { looksAlike } from '../../../contract/names';
import type {
  EditReviewRequest,
  Person,
  ReviewRequest,
  ReviewStepName,
  WaitingReview,
} from '../../../contract/reviews';
import {
  isHeld,
  isPossible,
  isUnsubmitted,
  mayChange,
  MOST_WAITING,
  mayTake,
  Review,
  REVIEW_STEPS,
} from '../../../contract/reviews';
import type { Database } from '../../db/database';
import type { WriteKey } from '../../db/log/idempotency';
import { newestEntry } from '../../db/log/log';
import { tell } from '../../db/connection/notify';
import type { Queryable } from '../../db/connection/queryable';
import { found } from '../../db/connection/queryable';
import type { ReviewRow, StoredReview, Terms } from '../../db/people/reviews';
import {
  answeredReview,
  deleteReview,
  getReview,
  getReviewRow,
  insertReview,
  insertStep,
  listReviews,
  listWaiting,
  setReviewState,
  setTerms,
} from '../../db/people/reviews';
import { entryTotals, negated, sumTotals, type SumTotals } from '../../db/totals/totals';
import type { Transaction } from '../../db/connection/transaction';
import { lockVersion } from '../../db/versions/versions';
import { AppError, either } from '../../errors';
import { requireAllChangeable, requireReadable } from '../version/changeable';
import type { Resources } from '../entries/writer';
import type { ForecastVersion, LimitedVersion } from '../version/forecast-version';
import {
  limited,
  readLimited,
  readVersion,
  seenByOperations,
  sliceOf,
  sliceToStore,
} from '../version/forecast-version';
import { once } from '../entries/idempotency';
import { sliceInside } from '../version/locks-inside';
import { isReadable } from '../version/slices-inside';
import { ifUsable } from '../version/stored-slice';

/** Who sends a request. Without sign-in the body names them, and nobody is an admin. */
export const personOf = (me: Me, { pf_user: name }: { pf_user: string }): Person => ({
  name,
  isAdmin: me.user !== null && me.roles.includes('admin'),
});

/**
 * The reviews of a version, oldest first. A sender who reads a part gets those of slices inside, each step with the
 * newest entry that has rows inside, and those that lock rows inside, without their history. @throws AppError 404
 */
export const reviews = (db: Database, versionId: number): Promise<Review[]> =>
  db.versionRead(versionId, async (tx) => {
    const target = await readVersion(tx, versionId);
    const limits = limited(target);
    const answer: Review[] = [];
    for (const review of await listReviews(tx, versionId)) {
      if (isReadable(review.slice, limits?.part.read)) {
        answer.push(await withChanges(tx, target, review));
      } else if (isHeld(review.state)) {
        const slice = await sliceInside(tx, target, review.slice);
        if (slice) answer.push(answeredReview({ ...review, slice, stored: [], beyond: true }));
      }
    }
    return answer.length === 0 ? [] : answer.map(await stepsFor(tx, limits));
  });

/**
 * Returns a function that replaces the newest entry of each step of a review by the newest one up to it that has rows
 * inside.
 *
 * @param limits undefined if the sender reads all of the version: then reviews stay as they are
 */
async function stepsFor(
  db: Queryable,
  limits: LimitedVersion | undefined,
): Promise<<Shown extends Pick<Review, 'steps'>>(review: Shown) => Shown> {
  if (!limits) return (review) => review;
  const { byEntry } = await entryTotals(db, limits.rows, []);
  const newest = (upTo: number) => Math.max(0, ...[...byEntry.keys()].filter((id) => id <= upTo));
  return (review) => ({
    ...review,
    steps: review.steps.map((step) => ({ ...step, newest_entry: newest(step.newest_entry) })),
  });
}

/**
 * The reviews that wait for a user in all versions, of slices that the sender may read. Those of a version whose part
 * cannot be read now are left out.
 */
export async function waitingReviews(db: Database, user: string): Promise<WaitingReview[]> {
  const waiting = (await listWaiting(db, user))
    .filter(({ review, read }) => isReadable(review.slice, read))
    .slice(0, MOST_WAITING);
  const forVersion = new Map<number, Awaited<ReturnType<typeof stepsFor>>>();
  for (const { review, read } of waiting) {
    const { version_id: id } = review;
    if (forVersion.has(id)) continue;
    try {
      forVersion.set(id, await stepsFor(db, read ? await readLimited(db, id) : undefined));
    } catch (error) {
      if (!(error instanceof AppError) || error.status !== 409) throw error;
    }
  }
  return waiting.flatMap(({ review }) => forVersion.get(review.version_id)?.(review) ?? []);
}

/** Returns a review for the API. A reopened one gets the changes since its last approval. */
async function withChanges(
  tx: Transaction,
  target: ForecastVersion,
  review: StoredReview,
): Promise<Review> {
  const answer = answeredReview(review);
  const approved = review.stored.findLast(({ step }) => step === 'approve');
  if (review.state === 'approved' || !approved?.totals) return answer;
  const { rows, columns } = target;
  // The totals of then are subtracted from those of now as if they were one more entry, so the sum is exact.
  const then = { logid: 0, ...negated(approved.totals) };
  const now = await ifUsable(tx, () =>
    entryTotals(tx, rows, columns, conditionOf(target, review), [then]),
  );
  if (!now) return answer;
  const { overall, byEntry } = now;
  const entries = [...byEntry.keys()].filter((id) => id > approved.newest_entry).length;
  return { ...answer, changed: { entries, ...overall } };
}

/** The rows of a review that operations see. @throws AppError 409 if its slice cannot be used any more */
const conditionOf = (target: ForecastVersion, { slice }: { slice: Review['slice'] }) =>
  seenByOperations(target, sliceOf(target, slice).where);

/**
 * Makes a review of a slice, also on a closed version.
 * @throws AppError 400 for a slice that cannot be used, and for an owner among the reviewers; 403 for a slice beyond
 * what the sender may read; 404, 409 as for every slice
 */
export const addReview = (
  resources: Resources,
  versionId: number,
  request: ReviewRequest,
  key?: WriteKey,
): Promise<Review> =>
  inVersion(resources, versionId, key, async (tx) => {
    const { slice, reviewers, due = null, comment = null, pf_user } = request;
    const terms = { owner: request.owner ?? pf_user, reviewers, due };
    requireOthers(terms);
    const target = await readVersion(tx, versionId);
    const stored = sliceToStore(target, slice);
    requireReadable(target, stored);
    const id = await insertReview(tx, versionId, stored, terms);
    return stepped(tx, target, id, { step: 'open', pf_user, comment, terms });
  });

/** Checks that nobody approves their own plan. @throws AppError 400 */
function requireOthers({ owner, reviewers }: Terms): void {
  const own = reviewers.find((name) => looksAlike(name, owner));
  if (own === undefined) return;
  const alike = own === owner ? '' : `, and ${own} looks like the same person`;
  throw new AppError(
    400,
    `reviewers: ${owner} owns the review${alike}, so somebody else has to review it`,
    { field: 'reviewers' },
  );
}

/** A step that somebody wants to take. */
interface AskedStep {
  step: ReviewStepName;
  comment?: string | null | undefined;
  person: Person;
}

/**
 * Takes a step of a review. A submit and an approval hold the version, so a write is either before them or
 * judged by them.
 * @throws AppError 403 for somebody who may not, and for a submit of rows that the sender may not change; 404; 409 if
 * the step does not lead from its state, or if a
 * column of its slice has changed its role
 */
export async function takeStep(
  resources: Resources,
  id: number,
  { step, comment = null, person }: AskedStep,
  key?: WriteKey,
): Promise<Review> {
  const { version_id: versionId } = await getReviewRow(resources.db, id);
  return inVersion(resources, versionId, key, async (tx) => {
    const { review, target } = await shownReview(tx, id);
    if (!isPossible(review, step)) {
      throw new AppError(
        409,
        `Review ${id} is ${review.state}; only ${FROM[step]} can be ${REVIEW_STEPS[step].to}`,
      );
    }
    if (!mayTake(review, step, person)) throw notAllowed(review, step);
    if (step === 'submit') {
      await requireAllChangeable(tx, target, review.slice, `Review ${id} was not submitted`);
    }
    const { to } = REVIEW_STEPS[step];
    const totals = isHeld(to) ? await totalsOf(tx, target, review.slice) : undefined;
    await setReviewState(tx, id, to);
    return stepped(tx, target, id, { step, pf_user: person.name, comment, totals });
  });
}

const FROM: Record<ReviewStepName, string> = {
  submit: 'an open, returned or reopened one',
  return: 'a submitted one',
  approve: 'a submitted one',
  reopen: 'an approved one',
};

function notAllowed({ id, owner, reviewers }: Terms & { id: number }, step: ReviewStepName) {
  const people = { owner: [owner], reviewer: reviewers, admin: ['an admin'] };
  const allowed = REVIEW_STEPS[step].by.flatMap((part) => people[part]);
  return new AppError(403, `Only ${either(allowed)} may ${step} review ${id}`);
}

/** Exact totals of the rows of a slice that operations see. @throws AppError 409 as for every slice */
const totalsOf = (tx: Transaction, target: ForecastVersion, slice: Review['slice']) =>
  sumTotals(tx, target.rows, target.columns, conditionOf(target, { slice }));

/**
 * Changes owner, reviewers and due day of a review; a missing field keeps its value.
 * @throws AppError 400 for an owner among the reviewers, 403 for somebody who may not, 404
 */
export async function editReview(
  db: Database,
  id: number,
  { owner, reviewers, due, comment = null, pf_user }: EditReviewRequest,
  person: Person,
): Promise<Review> {
  return changing(db, id, async (tx, { review, target }) => {
    if (!mayChange(review, person)) throw notChangeable(review, 'change');
    const terms = {
      owner: owner ?? review.owner,
      reviewers: reviewers ?? review.reviewers,
      due: due === undefined ? review.due : due,
    };
    requireOthers(terms);
    const isSame = JSON.stringify(terms) === JSON.stringify(termsOf(review));
    if (isSame && comment === null) return answerOf(tx, target, id);
    await setTerms(tx, id, terms);
    return stepped(tx, target, id, { step: 'change', pf_user, comment, terms });
  });
}

const termsOf = ({ owner, reviewers, due }: Terms): Terms => ({ owner, reviewers, due });

/**
 * Deletes a review that was never submitted.
 * @throws AppError 403 for somebody who may not, 404; 409 for one with a history
 */
export async function removeReview(db: Database, id: number, person: Person): Promise<void> {
  await changing(db, id, async (tx, { review }) => {
    if (!isUnsubmitted(answeredReview(await getReview(tx, id)))) {
      throw new AppError(409, `Review ${id} has been submitted, so its history stays`);
    }
    if (!mayChange(review, person)) throw notChangeable(review, 'delete');
    await deleteReview(tx, id);
    await tell(tx, review.version_id, { kind: 'review', id });
  });
}

function notChangeable({ id, owner, state }: Pick<Review, 'id' | 'owner' | 'state'>, what: string) {
  const people = isHeld(state) ? ['an admin'] : [owner, 'an admin'];
  const while_ = isHeld(state) ? ` while it is ${state}` : '';
  return new AppError(403, `Only ${either(people)} may ${what} review ${id}${while_}`);
}

/** Gives `work` a review while nobody else writes into its version. @throws AppError 404 */
async function changing<Result>(
  db: Database,
  id: number,
  work: (tx: Transaction, shown: { review: ReviewRow; target: ForecastVersion }) => Promise<Result>,
): Promise<Result> {
  const { version_id: versionId } = await getReviewRow(db, id);
  return db.versionTransaction(versionId, async (tx) => {
    await lockVersion(tx, versionId, 'UPDATE');
    return work(tx, await shownReview(tx, id));
  });
}

/** A review with its version. @throws AppError 404, also for one that the sender may not see */
async function shownReview(
  tx: Transaction,
  id: number,
): Promise<{ review: ReviewRow; target: ForecastVersion }> {
  const review = await getReviewRow(tx, id);
  const target = await readVersion(tx, review.version_id);
  const isShown = isReadable(review.slice, limited(target)?.part.read);
  return { review: found(isShown ? review : undefined, `review ${id}`), target };
}

/** Runs `write` once for its key, while nobody else writes into the version. @throws AppError 404, 409 */
const inVersion = (
  { db, budget }: Resources,
  versionId: number,
  key: WriteKey | undefined,
  write: (tx: Transaction) => Promise<Review>,
): Promise<Review> =>
  budget.run(async (memory) => {
    const answer = await db.versionTransaction(versionId, async (tx) => {
      await lockVersion(tx, versionId, 'UPDATE');
      return once(tx, versionId, key, Review, memory, () => write(tx));
    });
    memory.release();
    return answer;
  });

/** Records a step, and sends its event. */
async function stepped(
  tx: Transaction,
  target: ForecastVersion,
  id: number,
  step: {
    step: 'open' | 'change' | ReviewStepName;
    pf_user: string;
    comment: string | null;
    totals?: SumTotals | undefined;
    terms?: Terms;
  },
): Promise<Review> {
  const { id: versionId } = target.version;
  await insertStep(tx, id, { ...step, newest: await newestEntry(tx, versionId) });
  await tell(tx, versionId, { kind: 'review', id });
  return answerOf(tx, target, id);
}

/** Returns a review for the API, as its sender may see it. */
async function answerOf(tx: Transaction, target: ForecastVersion, id: number): Promise<Review> {
  const review = await withChanges(tx, target, await getReview(tx, id));
  return (await stepsFor(tx, limited(target)))(review);
}
