/** The column whose sums a column is shown in relation to. */
import type { ShowAs } from '../../../contract/stored-layout';
import { valueKey } from '../../values/cell-value';
import type { CellValue } from '../../values/engine-types';
import { pathKey } from '../../slice/cell';
import type { DrawnColumn } from '../cells/grid-columns';

/** The columns of a view. */
export interface ViewColumns {
  /** The measures of the view; the engine's columns are ordered by groups, and inside them by measure. */
  measures: readonly string[];
  /** The typed split values of each group; null where they are ambiguous. */
  groups: readonly (readonly CellValue[] | null)[];
  /** For each split column whether it is a date or a period of one; empty if the view has none. */
  areTimes: readonly boolean[];
}

/**
 * Returns the column whose sums are needed beside those of a column: the total of all columns, the parent column, or
 * all columns up to it. Null if the values of the columns are ambiguous.
 *
 * Running totals begin again in each parent of the date: years with months begin again each year. Columns without a
 * day come first.
 */
export function relatedColumn(
  column: DrawnColumn,
  as: ShowAs,
  { measures, groups, areTimes }: ViewColumns,
): DrawnColumn | null {
  const { path, measure } = column;
  const m = measures.indexOf(measure);
  const of = (path: readonly CellValue[], holds: (group: readonly CellValue[]) => boolean) => {
    const leaves = groups.flatMap((group, i) =>
      group && holds(group) ? [i * measures.length + m] : [],
    );
    return { path, measure, leaves, isClosed: false };
  };
  const within = (path: readonly CellValue[]) => {
    const key = pathKey(path);
    return (group: readonly CellValue[]) => pathKey(group.slice(0, path.length)) === key;
  };
  if (areTimes.length === 0 || as === 'rank' || as === 'share_of_row') return column;
  const parent = as === 'share_of_total' ? [] : path?.slice(0, -1);
  if (parent?.length === 0 && as !== 'running_total') {
    const leaves = groups.map((_, i) => i * measures.length + m);
    return { path: parent, measure, leaves, isClosed: false };
  }
  if (!path || !parent || groups.includes(null)) return null;
  if (as !== 'running_total') return of(parent, within(parent));
  const level = areTimes.slice(0, path.length).lastIndexOf(true);
  const time = path[level];
  if (time === undefined) return column;
  const isInParent = within(path.slice(0, level));
  const times = groups.flatMap((group) =>
    group && isInParent(group) ? [group[level] ?? null] : [],
  );
  const earlier = new Set(untilTime(times, time).map(valueKey));
  const below = pathKey(path.slice(level + 1));
  return of(
    path,
    (group) =>
      isInParent(group) &&
      earlier.has(valueKey(group[level] ?? null)) &&
      pathKey(group.slice(level + 1, path.length)) === below,
  );
}

/** Returns the times up to one: days and numbers by their size, texts such as "P10" in the order of the columns. */
function untilTime(times: readonly CellValue[], last: CellValue): CellValue[] {
  const known = times.filter((time) => time !== null);
  const empty = times.filter((time) => time === null);
  if (last === null) return empty;
  if (typeof last === 'number')
    return [...empty, ...known.filter((time) => typeof time === 'number' && time <= last)];
  const keys = known.map(valueKey);
  return [...empty, ...known.slice(0, keys.lastIndexOf(valueKey(last)) + 1)];
}
