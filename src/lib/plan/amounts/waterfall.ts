/** The bars of a waterfall that explains a number by log entries. */
import type { Explanation } from '../../contract/log';
import { isLoad, OPERATIONS } from '../../contract/operations';
import { tidy } from '../../pivot/values/cell-value';
import { type Origin, START } from '../../pivot/rows/origin-columns';
import { totalOf } from '../../contract/measures';

/** The contribution of one log entry to a slice. */
export type ExplainedEntry = Explanation['entries'][number];

/** The meaning of a bar. `fold` stands for the small entries together. */
type BarKind = 'baseline' | 'reference' | 'instead' | 'entry' | 'fold' | 'total';

/** One bar: it goes from one running total to the next. The bar of a total starts at 0. */
export interface Bar {
  kind: BarKind;
  /** The amount that the bar adds, or the sum that a total shows. */
  amount: number;
  from: number;
  to: number;
  /** The entries behind it, oldest first; none for the total. */
  entries: readonly ExplainedEntry[];
}

/** The visible part of the axis. It is cut if it does not contain 0. */
export interface Axis {
  from: number;
  to: number;
  isCut: boolean;
}

export interface Waterfall {
  /** From the first bar to the current total. */
  bars: readonly Bar[];
  axis: Axis;
  /** Entries that are not part of the number, oldest first. */
  beside: readonly ExplainedEntry[];
}

/** Maximum number of changes with a bar of their own. If there are more, the smallest share one. */
const MOST_CHANGES = 8;

/** Share of the axis. If the changes take less than this, the axis does not start at 0. */
const SMALL_CHANGES = 0.25;

/** Returns the contribution of an entry to a measure or conversion of the slice. */
export const amountOf = (entry: ExplainedEntry, key: string): number =>
  entry.conversions?.[key]?.total ?? totalOf(entry, key) ?? 0;

/**
 * Returns the bars from the loaded amount to the current number, one per log entry; for a difference, from
 * the reference to the plan. The last bar is the number that the cell shows.
 *
 * @param key of the measure, or the name of a conversion
 * @param origin which part of the measure the cell shows; null for the plan
 * @param entries the contribution of each entry to the slice, oldest first
 */
export function waterfall(
  entries: readonly ExplainedEntry[],
  key: string,
  origin: Origin | null,
): Waterfall {
  const isPart = partOf(origin);
  const counted = entries.filter(isPart);
  const references = entries.filter(isOfReference);
  const isCompared = origin === 'difference' || origin === 'percent';
  const loads = counted.filter(({ operation }) => isLoad(operation));
  const changes = counted.filter(({ operation }) => !isLoad(operation));
  const bars: Bar[] = [];
  const put = (kind: BarKind, behind: readonly ExplainedEntry[], amount = sum(behind, key)) => {
    const from = bars.at(-1)?.to ?? 0;
    bars.push({ kind, amount, from, to: tidy(from + amount), entries: behind });
  };
  if (isCompared) {
    put('reference', references);
    put('instead', loads, tidy(sum(loads, key) - sum(references, key)));
  } else if (loads.length > 0) {
    put(origin === 'reference' ? 'reference' : 'baseline', loads);
  }
  const { shown, folded } = fold(changes, key);
  for (const entry of shown) put('entry', [entry]);
  if (folded.length > 0) put('fold', folded);
  const total = sum(counted, key);
  bars.push({ kind: 'total', amount: total, from: 0, to: total, entries: [] });
  const beside = entries.filter((entry) => !isPart(entry) && !(isCompared && isOfReference(entry)));
  return { bars, axis: axisOf(bars), beside };
}

/** The iteration of the rows of an entry; those of a refresh have the one of their load. */
const iterOf = ({ operation, iter }: ExplainedEntry) => iter ?? OPERATIONS[operation].iter ?? '';

const isOfReference = (entry: ExplainedEntry) => iterOf(entry) === OPERATIONS.reference.iter;

const isOfStart = (entry: ExplainedEntry) => START.includes(iterOf(entry));

/** Returns a filter for the entries that make up the number of a cell. */
function partOf(origin: Origin | null): (entry: ExplainedEntry) => boolean {
  switch (origin) {
    case 'baseline':
      return isOfStart;
    case 'changes':
      return (entry) => !isOfStart(entry) && !isOfReference(entry);
    case 'reference':
      return isOfReference;
    default:
      return ({ excluded }) => !excluded;
  }
}

/** Returns the biggest changes in their order, and the others if there are too many. */
function fold(changes: readonly ExplainedEntry[], key: string) {
  if (changes.length <= MOST_CHANGES) return { shown: changes, folded: [] };
  const size = (entry: ExplainedEntry) => Math.abs(amountOf(entry, key));
  const bySize = [...changes].sort((a, b) => size(b) - size(a));
  const biggest = new Set(bySize.slice(0, MOST_CHANGES - 1));
  return {
    shown: changes.filter((entry) => biggest.has(entry)),
    folded: changes.filter((entry) => !biggest.has(entry)),
  };
}

const sum = (entries: readonly ExplainedEntry[], key: string): number =>
  tidy(entries.reduce((total, entry) => total + amountOf(entry, key), 0));

/** Small changes of a big number are visible only on an axis that omits most of the number. */
function axisOf(bars: readonly Bar[]): Axis {
  const ends = bars.map(({ to }) => to);
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  const span = high - low;
  const isSmall = span > 0 && span < SMALL_CHANGES * Math.max(Math.abs(low), Math.abs(high));
  if (isSmall && low > 0) return { from: low - span / 2, to: high, isCut: true };
  if (isSmall && high < 0) return { from: low, to: high + span / 2, isCut: true };
  return { from: Math.min(0, low), to: Math.max(0, high), isCut: false };
}

/** Returns the place of a bar on its axis, in percent of the axis. */
export function placeOf({ from, to }: Pick<Bar, 'from' | 'to'>, axis: Axis) {
  const width = axis.to - axis.from || 1;
  const at = (amount: number) =>
    ((Math.min(axis.to, Math.max(axis.from, amount)) - axis.from) / width) * 100;
  const left = Math.min(at(from), at(to));
  return { left, width: Math.max(at(from), at(to)) - left };
}
