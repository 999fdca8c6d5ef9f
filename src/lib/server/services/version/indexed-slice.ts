/** Slices as conditions whose rows PostgreSQL finds by the indexes for slices. */
import type { AskedSlice } from '../../../contract/slices';
import type { Queryable } from '../../db/connection/queryable';
import { keysIn } from '../../db/setup/lookups';
import { type MatchedRows, selectKeys } from '../../sql/lookups';
import type { CompiledSlice } from '../../sql/slice';
import { compileSlice } from '../../sql/slice';
import { type ForecastVersion, sliceOf } from './forecast-version';

/** The number of keys up to which a condition lists them. With more, most of the version is read in any case. */
const MOST_KEYS = 1000;
/** The number of characters up to which a condition lists keys. */
const MOST_TEXT = 100_000;

/**
 * Compiles a slice as {@link sliceOf} does. If the version has indexes for slices, the few keys of an attribute are
 * listed in the condition, as they are at this moment (docs/decisions/0055-indexes-for-small-slices.md).
 *
 * @throws AppError as sliceOf; DatabaseError if the table of a lookup cannot be read
 */
export async function indexedSlice(
  db: Queryable,
  target: ForecastVersion,
  slice: AskedSlice,
  at?: string,
): Promise<CompiledSlice> {
  const compiled = sliceOf(target, slice, at);
  if (target.indexedTo === null) return compiled;
  const known = new Map<string, string[]>();
  for (const rows of compiled.matched) {
    const select = selectKeys(rows, MOST_KEYS + 1);
    const keys = select && (await keysIn(db, select));
    if (keys && keys.length <= MOST_KEYS && keys.join('').length <= MOST_TEXT)
      known.set(nameOf(rows), keys);
  }
  if (known.size === 0) return compiled;
  return compileSlice(slice, { ...target, keysOf: (rows) => known.get(nameOf(rows)) }, at);
}

const nameOf = ({ attribute, where }: MatchedRows): string => `${attribute.lookup.id} ${where}`;
