/** The totals below the log. */
import type { LogListEntry } from '$lib/contract/log';
import { ITERS, OPERATIONS, type Iter } from '$lib/contract/operations';
import { iterName } from '../iter-name';

/** The total of some entries. */
interface LogTotal {
  label: string;
  row_count: number;
  value_total: number;
  units_total: number;
}

/**
 * Returns the totals of a log: first of the entries that are part of the plan, then of each excluded
 * iteration that has entries. No total mixes the two.
 *
 * @param excluded the iterations that are not part of the plan
 */
export function logTotals(
  entries: readonly LogListEntry[],
  excluded: readonly string[],
): [LogTotal, ...LogTotal[]] {
  const apart = ITERS.filter((iter) => excluded.includes(iter)).flatMap((iter) => {
    const written = entries.filter((entry) => iterOf(entry) === iter);
    return written.length > 0 ? [totalOf(iterName(iter), written)] : [];
  });
  const planned = entries.filter((entry) => !excluded.includes(iterOf(entry)));
  return [totalOf('Plan', planned), ...apart];
}

const iterOf = ({ operation }: LogListEntry): Iter => OPERATIONS[operation].iter;

const totalOf = (label: string, entries: readonly LogListEntry[]): LogTotal => ({
  label,
  row_count: sumOf(entries, 'row_count'),
  value_total: sumOf(entries, 'value_total'),
  units_total: sumOf(entries, 'units_total'),
});

const sumOf = (
  entries: readonly LogListEntry[],
  figure: 'row_count' | 'value_total' | 'units_total',
): number => entries.reduce((sum, entry) => sum + (entry[figure] ?? 0), 0);
