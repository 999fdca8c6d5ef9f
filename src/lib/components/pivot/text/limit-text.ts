/** The text of a limit on the groups of a field. */
import { isRanked } from '$lib/contract/stored-layout';
import type { LimitProblem } from '$lib/pivot/grid/shown/computed-sort';
import type { LimitFact } from '$lib/pivot/grid/shown/shown';
import { formatCount } from '../../format';

/** How names and numbers of a limit are written. */
interface LimitWords {
  labelOf(name: string): string;
  /** Writes a number of a measure. */
  numberOf(number: number, measure: string): string;
}

/**
 * Returns the text of a limit and of the number of groups that it leaves out, such as "Customer: top 10 by Sales, 37 in
 * Others" and "Customer: Δ % below −5 %, 12 of 40 hidden, totals include them". While these numbers are unknown, the
 * text names the limit alone. The text of a limit that cannot apply says why: "Customer: top 10 by Sales does not apply,
 * because Sales is not shown".
 */
export function limitText(
  { field, limit, hidden, all, problem }: LimitFact,
  { labelOf, numberOf }: LimitWords,
): string {
  const { keep, number, by } = limit;
  const name = labelOf(field);
  const text = isRanked(limit)
    ? `${name}: ${keep} ${formatCount(number)} by ${labelOf(by)}`
    : `${name}: ${labelOf(by)} ${keep} ${numberOf(number, by)}`;
  if (problem) return `${text} does not apply, because ${REASONS[problem](name, labelOf(by))}`;
  if (hidden === undefined || all === undefined) return text;
  if (isRanked(limit)) return `${text}, ${formatCount(hidden)} in Others`;
  const left = `${formatCount(hidden)} of ${formatCount(all)} hidden`;
  const included = hidden > 0 ? ', totals include them' : '';
  return `${text}, ${left}${included}`;
}

const REASONS: Record<LimitProblem, (field: string, measure: string) => string> = {
  not_in_rows: (field) => `${field} is not in the rows`,
  not_shown: (_, measure) => `${measure} is not shown`,
  no_total: (_, measure) => `${measure} has no total of several columns`,
};
