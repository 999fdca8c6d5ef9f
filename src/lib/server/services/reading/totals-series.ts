/** The keys under which the totals of a version's entries are cached. */
import type { ForecastColumn } from '../../sql/forecast-columns';
import { measureColumns, measureKind } from '../../sql/forecast-columns';
import type { ForecastVersion } from '../version/forecast-version';

/**
 * Returns the key of a series of totals: equal keys stand for equal rows of an entry.
 *
 * @param timeline history of the database that is read
 * @param columns the columns that the totals depend on
 */
export const seriesOf = (
  timeline: string | null,
  { version, entryRows, revision }: ForecastVersion,
  columns: readonly ForecastColumn[],
): string => {
  const shape = columns.map(({ name, type, role }) => [name, type, role]);
  return JSON.stringify([timeline, revision, version.id, entryRows, shape]);
};

/**
 * The series of a version's entry totals in the cache. Operations and the log fill it; the log and undo use it.
 *
 * @returns null if the totals must not be cached: the sum of floating-point numbers depends on their order
 */
export function totalsSeries(timeline: string | null, target: ForecastVersion): string | null {
  const measures = measureColumns(target.columns);
  const isExact = measures.every((column) => measureKind(column).exact);
  return isExact ? seriesOf(timeline, target, measures) : null;
}
