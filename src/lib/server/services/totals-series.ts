/** The key under which the totals of a version's entries are cached. */
import { measureColumns, measureKind } from '../sql/forecast-columns';
import type { ForecastVersion } from './forecast-version';

/**
 * The series of a version's entry totals in the cache. Operations and the log fill it; the log and undo use it.
 *
 * @param timeline history of the database that is read
 * @returns null if the totals must not be cached: the sum of floating-point numbers depends on their order
 */
export function totalsSeries(
  timeline: string | null,
  { version, table, columns, revision }: ForecastVersion,
): string | null {
  const measures = measureColumns(columns);
  if (!measures.every((column) => measureKind(column).exact)) return null;
  const shape = measures.map(({ name, type, role }) => [name, type, role]);
  return JSON.stringify([timeline, revision, version.id, table, shape]);
}
