/** The measures of the log, and the totals below it. */
import type { LogAnswer, LogListEntry } from '$lib/contract/log';
import { ITERS, OPERATIONS } from '$lib/contract/operations';
import type { Totals } from '$lib/contract/primitives';
import { SINGLE_ROLES } from '$lib/contract/columns';
import { addedUp } from '$lib/plan/amounts/entry-totals';
import {
  namedMeasure,
  type MeasureWords,
  type NamedMeasure,
} from '$lib/plan/amounts/measure-words';
import { iterName } from '../../iter-name';

/** The total of some entries. */
interface LogTotal extends Totals {
  label: string;
}

/**
 * Returns the measures that a log has totals of, each under the label of its column.
 *
 * @param words decide the decimals
 */
export function loggedMeasures(
  { value_col, units_col, measures }: LogAnswer,
  words: MeasureWords,
): NamedMeasure[] {
  const further = Object.keys(measures ?? {}).map((name) => [name, name] as const);
  const named = [['value', value_col] as const, ['units', units_col] as const, ...further];
  return named.flatMap(([key, name]) =>
    name === null ? [] : [{ ...namedMeasure(key, words), name: words.labelOf(name) }],
  );
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
  const parts = entries.flatMap(byOrigin);
  const apart = ITERS.filter((iter) => excluded.includes(iter)).flatMap((iter) => {
    const written = parts.filter((part) => part.iter === iter);
    return written.length > 0 ? [totalOf(iterName(iter), written)] : [];
  });
  const planned = parts.filter(({ iter }) => !excluded.includes(iter));
  return [totalOf('Plan', planned), ...apart];
}

/**
 * Returns the totals of a line of the log: of its rows in the plan, or of all if none of them is part of the plan.
 *
 * @param excluded the iterations that are not part of the plan
 */
export function lineTotals(entries: readonly LogListEntry[], excluded: readonly string[]): Totals {
  const parts = entries.flatMap(byOrigin);
  const planned = parts.filter(({ iter }) => !excluded.includes(iter));
  return addedUp(planned.length > 0 ? planned : parts);
}

/** Returns the totals of an entry by origin: one element, except for a refresh of a reference. */
const byOrigin = (entry: LogListEntry): readonly ({ iter: string } & Totals)[] =>
  entry.origins ?? [
    { ...entry, iter: OPERATIONS[entry.operation].iter ?? OPERATIONS.baseline.iter },
  ];

const totalOf = (label: string, entries: readonly Totals[]): LogTotal => ({
  label,
  ...addedUp(entries, SINGLE_ROLES),
});
