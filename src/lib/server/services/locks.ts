/** Locks of a version, and the writes that they refuse. */
import type { Lock, LockRequest } from '../../contract/locks';
import type { Database } from '../db/database';
import type { Queryable } from '../db/queryable';
import { found } from '../db/queryable';
import type { Transaction } from '../db/transaction';
import { tell } from '../db/notify';
import { deleteLock, findLock, firstFulfilled, insertLock, listLocks } from '../db/locks';
import { getVersion, lockOpenVersion } from '../db/versions';
import type { Blame } from '../errors';
import { AppError } from '../errors';
import type { ForecastColumn } from '../sql/forecast-columns';
import type { SqlText } from '../sql/quote';
import { compileSlice } from '../sql/slice';
import type { ForecastVersion } from './forecast-version';
import { sliceToStore, writeVersion } from './forecast-version';

/** The locks of a version, oldest first. @throws AppError 404 */
export async function locks(db: Database, versionId: number): Promise<Lock[]> {
  await getVersion(db, versionId);
  return listLocks(db, versionId);
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

/** A lock as a condition on the rows of its version. */
export interface LockedRows {
  lock: Lock;
  where: SqlText;
}

/**
 * The locks of a version as conditions on its rows.
 * @throws AppError 409 if a column of one has changed its role or type, since its rows are then unknown
 */
export const lockedRows = async (
  tx: Transaction,
  { version, columns }: ForecastVersion,
): Promise<LockedRows[]> =>
  (await listLocks(tx, version.id)).map((lock) => ({ lock, where: conditionOf(lock, columns) }));

function conditionOf({ id, slice, created_by }: Lock, columns: readonly ForecastColumn[]): SqlText {
  const unusable = (problem: string, blame: Blame) =>
    new AppError(
      409,
      `The columns have changed since ${created_by} locked rows of this version (${problem}); change them back, or delete lock ${id}`,
      { column: blame.column },
    );
  try {
    const { where, skipped } = compileSlice(slice, columns, `lock ${id}`);
    const [column] = skipped;
    if (column === undefined) return where;
    throw unusable(`"${column}" is not a dimension or date`, { column });
  } catch (error) {
    if (!(error instanceof AppError) || error.status !== 400) throw error;
    throw unusable(error.message, error.blame);
  }
}

/**
 * The locks that an entry has to respect when its rows are written or deleted. A close of months may change what
 * earlier closes have locked (docs/contract/19-planning-together.md#locks).
 *
 * @param id of the entry; infinite if it is the newest one
 */
export const locksFor = (
  locked: readonly LockedRows[],
  operation: string,
  id = Infinity,
): readonly LockedRows[] =>
  operation === 'actual'
    ? locked.filter(({ lock: { logid } }) => logid === undefined || logid > id)
    : locked;

/**
 * Checks a write against the locks of its version.
 *
 * @param among the rows that it adds or removes, while they exist
 * @throws AppError 423 naming the note and the author of the first lock on any of them
 */
export async function requireUnlocked(
  db: Queryable,
  { table }: ForecastVersion,
  locked: readonly LockedRows[],
  among: SqlText,
): Promise<void> {
  if (locked.length === 0) return;
  const conditions = locked.map(({ where }) => where);
  const place = await firstFulfilled(db, table, among, conditions);
  const lock = place === undefined ? undefined : locked[place]?.lock;
  if (!lock) return;
  const note = lock.note ? `: ${lock.note}` : '';
  if (lock.logid !== undefined) {
    throw new AppError(
      423,
      `Nothing was changed, because entry ${lock.logid} of ${lock.created_by} has closed the months of some of these rows${note}`,
    );
  }
  throw new AppError(
    423,
    `Nothing was changed, because ${lock.created_by} has locked some of these rows${note}`,
  );
}
