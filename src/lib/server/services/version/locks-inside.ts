/** The part of locks that a sender who reads a part of their version may see. */
import type { Lock } from '../../../contract/locks';
import type { Slice } from '../../../contract/slices';
import { isDateRange } from '../../../contract/slices';
import { findValues } from '../../db/people/locks';
import type { Transaction } from '../../db/connection/transaction';
import { ident } from '../../sql/quote';
import { compileSlice } from '../../sql/slice';
import type { LimitedVersion } from './forecast-version';
import { isInside } from './slices-inside';
import { ifUsable } from './stored-slice';

/** The locks on rows inside. Each names only values that these rows have, or a slice inside. */
export async function locksInside(
  tx: Transaction,
  target: LimitedVersion,
  locks: readonly Lock[],
): Promise<Lock[]> {
  const seen: Lock[] = [];
  for (const lock of locks) {
    const slice = isInside(lock.slice, target.part.read)
      ? lock.slice
      : await sliceInside(tx, target, lock.slice);
    if (slice) seen.push({ ...lock, slice });
  }
  return seen;
}

/**
 * A slice with the values that its rows inside have; undefined if it has none, if its columns no longer have the same
 * roles, or if the lookup of an attribute cannot be joined.
 */
export async function sliceInside(
  tx: Transaction,
  target: Pick<LimitedVersion, 'rows' | 'columns' | 'attributes'>,
  slice: Slice,
): Promise<Slice | undefined> {
  const lists = Object.entries(slice).flatMap(([name, value]) =>
    Array.isArray(value) ? value.map((one) => ({ name, one })) : [],
  );
  const ranges = Object.keys(slice).filter((name) => isDateRange(slice[name] ?? null));
  const found = await ifUsable(tx, () => {
    const conditionOf = (part: Slice) => compileSlice(part, target).where;
    return findValues(tx, target.rows, conditionOf(slice), {
      values: lists.map(({ name, one }) => conditionOf({ [name]: one })),
      ranges: ranges.map(ident),
    });
  });
  if (!found) return undefined;
  const trimmed = { ...slice };
  for (const [i, name] of ranges.entries()) {
    const [from, to] = found.ranges[i] ?? [];
    trimmed[name] = { from, to };
  }
  for (const { name } of lists) {
    trimmed[name] = lists.flatMap((each, i) =>
      each.name === name && found.values[i] ? [each.one] : [],
    );
  }
  return trimmed;
}
