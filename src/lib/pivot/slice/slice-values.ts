/** Compares and merges the values of slices. */
import type { DateRange, Slice } from '../../contract/slices';
import { isDateRange } from '../../contract/slices';
import type { Scalar } from '../../contract/primitives';
import { parseDay, valueKey } from '../values/cell-value';
import type { SliceColumn } from './slice';

/**
 * Returns the dimensions of a slice that are not keys, if the source has keys: then only keys may select rows
 * (docs/contract/14-what-the-operations-compute.md#is_key).
 */
export function unmarkedDimensions(slice: Slice, columns: readonly SliceColumn[]): string[] {
  const dimensions = columns.filter((c) => c.role === 'dimension');
  if (!dimensions.some((c) => c.is_key)) return [];
  return dimensions.filter((c) => !c.is_key && Object.hasOwn(slice, c.cname)).map((c) => c.cname);
}

/**
 * Merges the slices of several cells; null if they differ in more than one column, because no single slice
 * selects exactly their rows.
 */
export function mergeSlices(slices: readonly Slice[]): Slice | null {
  const [first, ...rest] = slices;
  if (!first) return null;
  const names = Object.keys(first);
  const lists = new Map(names.map((name) => [name, keyed(first[name])]));
  let differing: string | null = null;
  for (const slice of rest) {
    if (Object.keys(slice).length !== names.length) return null;
    for (const name of names) {
      if (!Object.hasOwn(slice, name)) return null;
      const [one, other] = [first[name], slice[name]];
      // A list of values cannot contain the days of a range.
      if (isRange(one) || isRange(other)) {
        if (JSON.stringify(one) === JSON.stringify(other)) continue;
        return null;
      }
      const have = lists.get(name) ?? new Map();
      const more = keyed(other);
      const isSame = more.size === have.size && [...more.keys()].every((key) => have.has(key));
      if (isSame) continue;
      if (differing !== null && differing !== name) return null;
      differing = name;
      for (const [key, value] of more) have.set(key, value);
    }
  }
  const merged = differing === null ? undefined : lists.get(differing);
  return differing === null || !merged ? first : { ...first, [differing]: [...merged.values()] };
}

/** Returns the values of a slice by key; empty for a range of dates. */
const keyed = (value: Slice[string] | undefined): Map<string, Scalar | null> =>
  new Map(listOf(value).map((each) => [valueKey(each), each]));

const isRange = (value: Slice[string] | undefined): value is DateRange =>
  value !== undefined && isDateRange(value);

/** Returns a slice value as a list; empty for a range of dates, which only {@link admits} can test. */
export function listOf(value: Slice[string] | undefined): (Scalar | null)[] {
  if (value === undefined || isDateRange(value)) return [];
  return Array.isArray(value) ? value : [value];
}

/** Checks whether a slice value selects the rows that have `value`. */
export function admits(wanted: Slice[string], value: Scalar | null): boolean {
  if (!isDateRange(wanted)) {
    return listOf(wanted).some((one) => valueKey(one) === valueKey(value));
  }
  const { from, to } = wanted;
  const day = typeof value === 'string' ? parseDay(value) : NaN;
  const first = from === undefined ? -Infinity : parseDay(from);
  const last = to === undefined ? Infinity : parseDay(to);
  return first <= day && day <= last;
}
