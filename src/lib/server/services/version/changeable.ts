/** Holds writes against the sender's territories (docs/contract/20-who-is-signed-in.md#writes-of-a-part). */
import { isClose } from '../../../contract/operations';
import type { Slice } from '../../../contract/slices';
import { BLANK_LABEL, EMPTY_LABEL, isDateRange } from '../../../contract/slices';
import { hasRows } from '../../db/versions/forecast';
import { firstFulfilled } from '../../db/people/locks';
import type { Queryable } from '../../db/connection/queryable';
import { found } from '../../db/connection/queryable';
import { AppError, either } from '../../errors';
import type { SqlText } from '../../sql/quote';
import { sql } from '../../sql/quote';
import type { ForecastVersion } from './forecast-version';
import { limited, sliceOf } from './forecast-version';
import { isInside, isReadable } from './slices-inside';
import type { Part } from './territory';

/**
 * Checks that the sender may change some rows. The error names only the sender's own territories.
 *
 * @param among the rows that a write adds or removes, while they exist
 * @throws AppError 403 if they may not change one of them
 */
export async function requireInside(
  db: Queryable,
  target: ForecastVersion,
  among: SqlText,
): Promise<void> {
  const { part } = target;
  if (part && (await reachesBeyond(db, target, part, among))) {
    throw new AppError(403, `Nothing was changed, because ${reasonOf(part)}`);
  }
}

/**
 * Checks that the sender may see an entry, and may remove all of its rows.
 *
 * @throws AppError 404 for an entry without a row that they may read, as for an unknown id; 403 for one with rows that
 * they may not change
 */
export async function requireWholeInside(
  db: Queryable,
  target: ForecastVersion,
  { id, operation }: { id: number; operation: string },
): Promise<void> {
  const { part } = target;
  if (!part) return;
  await requireSeen(db, target, id);
  // The lock of a close holds its months in the whole source.
  const isBeyond =
    isClose(operation) || (await reachesBeyond(db, target, part, sql`pf_logid = ${id}`));
  if (!isBeyond) return;
  const remedy = part.write.length > 0 ? '; take back your part of it instead' : '';
  throw new AppError(403, `Entry ${id} stays, because ${reasonOf(part)}${remedy}`);
}

/** @throws AppError 404 for an entry without a row that the sender may read, as for an unknown id */
export async function requireSeen(
  db: Queryable,
  { part, rows }: ForecastVersion,
  logid: number,
): Promise<void> {
  if (!part || (await hasRows(db, rows, sql`pf_logid = ${logid}`))) return;
  found(undefined, `log entry ${logid}`);
}

/**
 * Checks that the sender may change all rows of a slice; of a slice without rows, the values decide.
 *
 * @param what would happen to the slice, as the error says it: `Review 3 was not submitted`
 * @throws AppError 403; 409 as for every slice
 */
export async function requireAllChangeable(
  db: Queryable,
  target: ForecastVersion,
  slice: Slice,
  what: string,
): Promise<void> {
  const { part, rows } = target;
  if (!part || (part.write.length > 0 && isInside(slice, part.write))) return;
  const { where } = sliceOf(target, slice);
  const isEmpty = part.write.length === 0 || !(await hasRows(db, rows, where));
  if (isEmpty || (await reachesBeyond(db, target, part, where))) {
    throw new AppError(403, `${what}, because ${reasonOf(part)}`);
  }
}

/** @throws AppError 403 if the sender may change no row of the source */
export function requireChanging({ part }: ForecastVersion): void {
  if (part?.write.length === 0) {
    throw new AppError(403, `Nothing was changed, because ${reasonOf(part)}`);
  }
}

/**
 * Checks that a slice lies inside what the sender may read, by its values alone. The error names only the sender's own
 * territories. @throws AppError 403
 */
export function requireReadable(target: ForecastVersion, slice: Slice): void {
  const read = limited(target)?.part.read;
  if (!read || isReadable(slice, read)) return;
  const own = either(read.map(wordsOf));
  throw new AppError(
    403,
    `slice: it is not inside the part of the source that you may read: ${own}`,
    { field: 'slice' },
  );
}

const reachesBeyond = async (
  db: Queryable,
  { table }: ForecastVersion,
  { changeable }: Part,
  among: SqlText,
): Promise<boolean> =>
  (await firstFulfilled(db, table, among, [sql`(${changeable}) IS NOT TRUE`])) !== undefined;

const reasonOf = ({ write }: Part): string =>
  write.length === 0
    ? 'your territories let you read this source, but not change it'
    : `some of its rows are outside the part of the source that you may change: ${either(write.map(wordsOf))}`;

/** Maximum number of values that a sentence names. */
const MOST_NAMED = 5;

const wordsOf = (slice: Slice): string =>
  Object.entries(slice)
    .map(([name, value]) => `"${name}" ${valueWords(value)}`)
    .join(' and ') || 'all rows that you may read';

function valueWords(value: Slice[string]): string {
  if (isDateRange(value)) {
    const { from, to } = value;
    return [...(from ? [`from ${from}`] : []), ...(to ? [`to ${to}`] : [])].join(' ');
  }
  const values = Array.isArray(value) ? value : [value];
  const more = values.length - MOST_NAMED;
  return either([
    ...values.slice(0, MOST_NAMED).map(labelOf),
    ...(more > 0 ? [`${more} more`] : []),
  ]);
}

/** A value as the pivot writes it. */
const labelOf = (value: string | number | boolean | null): string =>
  value === null ? EMPTY_LABEL : value === '' ? BLANK_LABEL : String(value);
