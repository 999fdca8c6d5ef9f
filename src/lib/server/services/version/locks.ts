/** Locks of a version, and the writes that locks and reviews refuse. */
import type { Lock, LockRequest } from '../../../contract/locks';
import { isClose } from '../../../contract/operations';
import { holdsBack } from '../../../contract/reviews';
import type { Slice } from '../../../contract/slices';
import type { Database } from '../../db/database';
import type { Queryable } from '../../db/connection/queryable';
import { found } from '../../db/connection/queryable';
import type { Transaction } from '../../db/connection/transaction';
import { tell } from '../../db/connection/notify';
import { deleteLock, findLock, firstFulfilled, insertLock, listLocks } from '../../db/people/locks';
import { holdingReviews, type ReviewRow } from '../../db/people/reviews';
import { lockOpenVersion } from '../../db/versions/versions';
import { AppError, either } from '../../errors';
import type { SqlText } from '../../sql/quote';
import type { ForecastVersion } from './forecast-version';
import { limited, readLimited, sliceToStore, writeVersion } from './forecast-version';
import { locksInside } from './locks-inside';
import { storedCondition } from './stored-slice';

/**
 * The locks of a version, oldest first. A sender who reads a part gets those on rows inside, without the values that
 * these rows do not have. @throws AppError 404
 */
export async function locks(db: Database, versionId: number): Promise<Lock[]> {
  const limits = await readLimited(db, versionId);
  if (!limits) return listLocks(db, versionId);
  return db.versionRead(versionId, async (tx) =>
    locksInside(tx, limits, await listLocks(tx, versionId)),
  );
}

/**
 * Locks a slice of a version (docs/contract/19-planning-together.md#locks). Keys of the slice that are not
 * dimension or date columns are left out of the lock.
 * @throws AppError 400 for a slice that cannot be used, 403 if the version is closed, 404, 409 as for every
 * slice
 */
export const addLock = (
  db: Database,
  versionId: number,
  { slice, note = null, pf_user }: LockRequest,
): Promise<Lock> =>
  db.versionTransaction(versionId, async (tx) => {
    const target = await writeVersion(tx, versionId);
    const lock = { slice: sliceToStore(target, slice), note, created_by: pf_user };
    await tell(tx, versionId, { kind: 'locks' });
    return insertLock(tx, versionId, lock);
  });

/** Removes a lock. @throws AppError 403 if its version is closed, 404; 409 for a lock of an entry */
export async function removeLock(db: Database, id: number): Promise<void> {
  const { version_id: versionId, logid } = found(await findLock(db, id), `lock ${id}`);
  await db.versionTransaction(versionId, async (tx) => {
    await lockOpenVersion(tx, versionId);
    if (logid !== undefined) {
      throw new AppError(409, `Entry ${logid} has closed these months; undo it to open them again`);
    }
    // Somebody else may have removed it while this request waited.
    if ((await deleteLock(tx, id)) === 0) found(undefined, `lock ${id}`);
    await tell(tx, versionId, { kind: 'locks' });
  });
}

/** Rows of a version that a lock or a review holds, as a condition. */
export interface LockedRows {
  /** Number of the lock or the review. */
  id: number;
  slice: Slice;
  /** The lock or the review, as errors name it: `lock 3`. */
  at: string;
  where: SqlText;
  /** The entry that has closed these months, if the lock is one of an entry. */
  logid?: number | undefined;
  /** Why a write of these rows is refused. */
  refusal: string;
  /** The state of the review that holds them, as a sentence; undefined for a lock. */
  review?: string | undefined;
}

/** A slice that nobody, or nobody but a few, may change. */
interface Holding extends Omit<LockedRows, 'where'> {
  /** Who has made the slice unchangeable, and how it can be changed again, for an error about its columns. */
  cause: string;
  remedy: string;
}

/**
 * The rows of a version that a person may not change, as conditions: those of locks, of submitted reviews that
 * others review, and of approved reviews (docs/contract/22-sign-off.md#what-a-review-locks).
 *
 * @param person who writes; null if that is not known
 * @throws AppError 409 if a column of one has changed its role or type, since its rows are then unknown
 */
export async function lockedRows(
  tx: Transaction,
  target: ForecastVersion,
  person: string | null,
): Promise<LockedRows[]> {
  const { version } = target;
  const locks = await listLocks(tx, version.id);
  const reviews = await holdingReviews(tx, version.id);
  const holding = reviews.filter((review) => holdsBack(review, person));
  return [...locks.map(ofLock), ...holding.map(ofReview)].map((held) => {
    const { slice, at, cause, remedy } = held;
    const { where } = storedCondition(slice, target, at, (problem) =>
      // The slice may name values that the sender may not see.
      limited(target)
        ? 'The columns have changed since rows of this version were locked'
        : `The columns have changed since ${cause} (${problem}); change them back, or ${remedy}`,
    );
    return { ...held, where };
  });
}

function ofLock({ id, slice, created_by, note, logid }: Lock): Holding {
  const why = note ? `: ${note}` : '';
  const refusal =
    logid === undefined
      ? `${created_by} has locked some of these rows`
      : `entry ${logid} of ${created_by} has closed the months of some of these rows`;
  return {
    ...{ id, slice, at: `lock ${id}`, logid },
    refusal: `Nothing was changed, because ${refusal}${why}`,
    ...{ cause: `${created_by} locked rows of this version`, remedy: `delete lock ${id}` },
  };
}

function ofReview({ id, slice, owner, reviewers, state }: ReviewRow): Holding {
  const people = either(reviewers);
  const isSubmitted = state === 'submitted';
  const review = isSubmitted
    ? `Review ${id} of ${owner} is submitted, so only ${people} can change its rows`
    : `Review ${id} of ${owner} is approved; ${people} or an admin can reopen it`;
  return {
    ...{ id, slice, at: `review ${id}`, review },
    refusal: `Nothing was changed, because a review holds some of these rows. ${review}`,
    cause: `review ${id} of ${owner} was ${state}`,
    remedy: `${isSubmitted ? 'return' : 'reopen'} review ${id}`,
  };
}

/**
 * The locks and reviews that an entry has to respect when its rows are written or deleted. A close of months may
 * change what earlier closes have locked (docs/contract/19-planning-together.md#locks).
 *
 * @param id of the entry; infinite if it is the newest one
 */
export const locksFor = (
  locked: readonly LockedRows[],
  operation: string,
  id = Infinity,
): readonly LockedRows[] =>
  isClose(operation) ? locked.filter(({ logid }) => logid === undefined || logid > id) : locked;

/** Returns the first lock or review that holds one of some rows; undefined if none does. */
export async function holdingAny(
  db: Queryable,
  { table }: ForecastVersion,
  locked: readonly LockedRows[],
  among: SqlText,
): Promise<LockedRows | undefined> {
  if (locked.length === 0) return undefined;
  const conditions = locked.map(({ where }) => where);
  const place = await firstFulfilled(db, table, among, conditions);
  return place === undefined ? undefined : locked[place];
}

/**
 * Checks a write against the locks and reviews of its version.
 *
 * @param among the rows that it adds or removes, while they exist
 * @throws AppError 423 naming the first lock or review on any of them
 */
export async function requireUnlocked(
  db: Queryable,
  target: ForecastVersion,
  locked: readonly LockedRows[],
  among: SqlText,
): Promise<void> {
  const held = await holdingAny(db, target, locked, among);
  if (held) throw new AppError(423, held.refusal);
}
