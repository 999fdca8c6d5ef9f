/** The ways to show a sum in relation to others: texts, formats and arithmetic. */
import type { AmountStyle, ShowAs } from '../../contract/stored-layout';
import { EXACT } from '../../contract/decimals';
import type { ColumnFormat } from './column-format';
import type { CellValue } from './engine-types';
import { sumIn } from './ratios';
import { tidy } from './cell-value';

/** The ways by measure; a measure without an entry shows its amounts. */
export type ShownAs = ReadonlyMap<string, ShowAs>;

/** Whether a way shows a share, into which a percentage can be typed. */
export const isShareOf = (as: ShowAs | null | undefined): boolean =>
  as?.startsWith('share_') ?? false;

/** Returns the ways to show measures that a layout sets. */
export const shownAsIn = (amounts: Readonly<Record<string, AmountStyle>> = {}): ShownAs =>
  new Map(
    Object.entries(amounts).flatMap(([measure, { show_as }]) =>
      show_as ? [[measure, show_as] as const] : [],
    ),
  );

const SHARE = {
  style: 'percent',
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
  signDisplay: 'negative',
} as const satisfies Intl.NumberFormatOptions;

/** Returns the format of a measure that is shown in a way. @param amount the format of its amounts */
export function formatAs(amount: ColumnFormat, as: ShowAs | null | undefined): ColumnFormat {
  if (!as) return amount;
  if (as === 'running_total') return { ...amount, shown_as: as };
  const number_format = as === 'rank' ? { maximumFractionDigits: 0 } : SHARE;
  return { aggregate: amount.aggregate, number_format, shown_as: as };
}

/** A rounding error of sums, as a share of them. */
const RESIDUE = 1e-12;

/**
 * Returns a sum as a share of another one; null if one is empty or the other one is 0.
 *
 * @param decimals of their measure: a sum that rounds to zero with them is 0
 */
export function shareIn(
  sum: CellValue | undefined,
  whole: CellValue | undefined,
  decimals = EXACT,
): number | null {
  const [own, base] = [sumIn(sum, decimals), sumIn(whole, decimals)];
  if (own === null || base === null || Math.abs(base) <= RESIDUE * Math.abs(own)) return null;
  return base === 0 ? null : own / base;
}

/**
 * Returns the rank of each row among the rows with the same parent: 1 for the largest sum. Equal sums have the same
 * rank; rows without a sum have none, nor does the total row.
 */
export function ranksOf(
  paths: readonly (readonly CellValue[])[],
  sums: readonly CellValue[],
): (number | null)[] {
  const parents = paths.map((path) => JSON.stringify(path.slice(0, -1)));
  const numbers = sums.map((sum, y) =>
    typeof sum === 'number' && paths[y]?.length ? tidy(sum) : null,
  );
  const siblings = new Map<string, number[]>();
  for (const [y, parent] of parents.entries()) {
    const number = numbers[y];
    if (number == null) continue;
    const list = siblings.get(parent);
    if (list) list.push(number);
    else siblings.set(parent, [number]);
  }
  const ranks = new Map<string, Map<number, number>>();
  for (const [parent, list] of siblings) {
    const ofNumbers = new Map<number, number>();
    for (const [i, number] of list.sort((a, b) => b - a).entries())
      if (!ofNumbers.has(number)) ofNumbers.set(number, i + 1);
    ranks.set(parent, ofNumbers);
  }
  return numbers.map((number, y) =>
    number === null ? null : (ranks.get(parents[y] ?? '')?.get(number) ?? null),
  );
}
