/** The rows that contain those of several slices, to read no more of a version than these. */
import type { DateRange, Slice } from '../../../contract/slices';
import { isDateRange } from '../../../contract/slices';
import { dayNumber } from '../../sql/slice';

/** The smallest slice by columns that contains some slices. Without a column that all of them name, it is `{}`. */
export function boxOf(slices: readonly Slice[]): Slice {
  const names = Object.keys(slices[0] ?? {}).filter((name) =>
    slices.every((slice) => Object.hasOwn(slice, name)),
  );
  return Object.fromEntries(
    names.flatMap((name): [string, Slice[string]][] => {
      const values = slices.map((slice) => slice[name] ?? null);
      const ranges = values.filter((value) => isDateRange(value));
      if (ranges.length === 0) {
        const single = values.flatMap((value) => (isDateRange(value) ? [] : value));
        return [[name, [...new Set(single)]]];
      }
      const range = ranges.length === values.length ? around(ranges) : null;
      return range ? [[name, range]] : [];
    }),
  );
}

/** The range of days around some ranges; null if it has no end. */
function around(ranges: readonly DateRange[]): DateRange | null {
  const ends = (of: (range: DateRange) => string | undefined) => {
    const days = ranges.flatMap((range) => of(range) ?? []);
    return days.length < ranges.length ? [] : days.toSorted((a, b) => dayNumber(a) - dayNumber(b));
  };
  const from = ends((range) => range.from)[0];
  const to = ends((range) => range.to).at(-1);
  if (from === undefined && to === undefined) return null;
  return { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
}
