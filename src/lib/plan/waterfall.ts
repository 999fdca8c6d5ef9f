import type { Explanation } from '../contract/log';
import { isLoad } from '../contract/operations';
import { tidy } from '../pivot/values/cell-value';
import type { Origin } from '../pivot/rows/origin-columns';

/** What one log entry has put into a slice. */
export type ExplainedEntry = Explanation['entries'][number];

/** A measure of the source by its role. */
export type MeasureRole = 'value' | 'units';

/** What a bar stands for. `fold` are the small entries together. */
type BarKind = 'baseline' | 'reference' | 'instead' | 'entry' | 'fold' | 'total';

/** One bar: it goes from one running total to the next. The bar of a total begins at 0. */
export interface Bar {
  kind: BarKind;
  /** How much the bar adds, or what a total adds up to. */
  amount: number;
  from: number;
  to: number;
  /** The entries behind it, oldest first; none for the total. */
  entries: readonly ExplainedEntry[];
}

/** The part of the axis that is drawn. It is cut if 0 is not on it. */
export interface Axis {
  from: number;
  to: number;
  isCut: boolean;
}

export interface Waterfall {
  /** From the first one to the total of now. */
  bars: readonly Bar[];
  axis: Axis;
  /** Entries that are no part of the number, oldest first. */
  beside: readonly ExplainedEntry[];
}

/** So many changes have a bar each. If there are more, the smallest share one. */
const MOST_CHANGES = 8;

/** If the changes take less of the axis than this, the axis does not begin at 0. */
const SMALL_CHANGES = 0.25;

/** What an entry has put into a measure of the slice. */
export const amountOf = (entry: ExplainedEntry, role: MeasureRole): number =>
  entry[`${role}_total`] ?? 0;

/**
 * The way from what was loaded to the number of now, a bar per log entry; for a difference, the way from
 * the reference to the plan. The last bar is the number that the cell shows.
 *
 * @param origin which part of the measure the cell shows; null for the plan
 * @param entries what each entry has put into the slice, oldest first
 */
export function waterfall(
  entries: readonly ExplainedEntry[],
  role: MeasureRole,
  origin: Origin | null,
): Waterfall {
  const isPart = partOf(origin);
  const counted = entries.filter(isPart);
  const references = entries.filter(({ operation }) => operation === 'reference');
  const isCompared = origin === 'difference' || origin === 'percent';
  const loads = counted.filter(({ operation }) => isLoad(operation));
  const changes = counted.filter(({ operation }) => !isLoad(operation));
  const bars: Bar[] = [];
  const put = (kind: BarKind, behind: readonly ExplainedEntry[], amount = sum(behind, role)) => {
    const from = bars.at(-1)?.to ?? 0;
    bars.push({ kind, amount, from, to: tidy(from + amount), entries: behind });
  };
  if (isCompared) {
    put('reference', references);
    put('instead', loads, tidy(sum(loads, role) - sum(references, role)));
  } else if (loads.length > 0) {
    put(origin === 'reference' ? 'reference' : 'baseline', loads);
  }
  const { shown, folded } = fold(changes, role);
  for (const entry of shown) put('entry', [entry]);
  if (folded.length > 0) put('fold', folded);
  const total = sum(counted, role);
  bars.push({ kind: 'total', amount: total, from: 0, to: total, entries: [] });
  const beside = entries.filter((entry) => !isPart(entry) && !(isCompared && isReference(entry)));
  return { bars, axis: axisOf(bars), beside };
}

const isReference = ({ operation }: ExplainedEntry) => operation === 'reference';

/** Which entries make the number of a cell. */
function partOf(origin: Origin | null): (entry: ExplainedEntry) => boolean {
  switch (origin) {
    case 'baseline':
      return ({ operation }) => operation === 'baseline';
    case 'changes':
      return ({ operation }) => !isLoad(operation);
    case 'reference':
      return isReference;
    default:
      return ({ excluded }) => !excluded;
  }
}

/** The biggest changes in their order, and the others, if there are too many of them. */
function fold(changes: readonly ExplainedEntry[], role: MeasureRole) {
  if (changes.length <= MOST_CHANGES) return { shown: changes, folded: [] };
  const size = (entry: ExplainedEntry) => Math.abs(amountOf(entry, role));
  const bySize = [...changes].sort((a, b) => size(b) - size(a));
  const biggest = new Set(bySize.slice(0, MOST_CHANGES - 1));
  return {
    shown: changes.filter((entry) => biggest.has(entry)),
    folded: changes.filter((entry) => !biggest.has(entry)),
  };
}

const sum = (entries: readonly ExplainedEntry[], role: MeasureRole): number =>
  tidy(entries.reduce((total, entry) => total + amountOf(entry, role), 0));

/** Small changes of a big number are only seen on an axis that leaves most of the number out. */
function axisOf(bars: readonly Bar[]): Axis {
  const ends = bars.map(({ to }) => to);
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  const span = high - low;
  const isSmall = span > 0 && span < SMALL_CHANGES * Math.max(Math.abs(low), Math.abs(high));
  if (isSmall && low > 0) return { from: low - span / 2, to: high, isCut: true };
  if (isSmall && high < 0) return { from: low, to: high + span / 2, isCut: true };
  return { from: Math.min(0, low), to: Math.max(0, high), isCut: false };
}

/** Where a bar is on its axis, both in percent of the axis. */
export function placeOf({ from, to }: Pick<Bar, 'from' | 'to'>, axis: Axis) {
  const width = axis.to - axis.from || 1;
  const at = (amount: number) =>
    ((Math.min(axis.to, Math.max(axis.from, amount)) - axis.from) / width) * 100;
  const left = Math.min(at(from), at(to));
  return { left, width: Math.max(at(from), at(to)) - left };
}
