/** Results typed into cells of formulas: the measure that changes, and by how much. */
import { evaluate, measuresIn, solve } from '../../contract/formula-expression';
import type { PivotFormula } from '../../pivot/rows/formula-columns';
import { tidy } from '../../pivot/values/cell-value';
import { sumIn } from '../../pivot/values/ratios';
import type { MeasureDraft, MeasureEdit } from './scale-draft';

/** Returns the sum of a measure of a formula by its column; null if there is none. */
type SumOf = (column: string) => number | null;

/** Returns the result of a formula on some sums; null if it has none. */
export const resultOf = ({ expression }: PivotFormula, sumOf: SumOf): number | null =>
  evaluate(expression, (column) => sumIn(sumOf(column)));

/** Largest difference of equal results from sums that were added in another order, as a share of the larger one. */
const SAME_SHARE = 1e-9;
/** The same of results near 0, whose sums may cancel each other out. */
const SAME_NEAR_0 = 1e-6;

/**
 * Checks whether two results of a formula are the same except for errors of floating-point sums. A result can be far
 * smaller than the amounts that it is made of, such as a share or a conversion, so their decimals do not matter.
 */
export const isSameResult = (one: number, other: number): boolean =>
  Math.abs(one - other) <=
  Math.max(SAME_NEAR_0, SAME_SHARE * Math.max(Math.abs(one), Math.abs(other)));

/** Returns the columns of the measures that may change for a typed result: of a price, only the value. */
export const usedBy = ({ origin, measure, expression }: PivotFormula): string[] =>
  origin === 'price' ? [measure] : measuresIn(expression);

/**
 * Returns the edit of a measure that gives a formula the typed result, while the other measures stay; null if no
 * amount of the measure does. If the result is a multiple of the measure, a percentage of one is that of the other.
 *
 * @param column of the measure that changes
 * @param edit of the result
 */
export function solvedEdit(
  formula: PivotFormula,
  column: string,
  { by, amount }: MeasureEdit,
  sumOf: SumOf,
): MeasureEdit | null {
  const { expression } = formula;
  const solved = (result: number): number | null =>
    solve(expression, column, (other) => sumIn(sumOf(other)), result);
  const asTotal = (total: number | null): MeasureEdit | null =>
    total === null ? null : { by: 'total', amount: tidy(total) };
  if (by === 'total') return asTotal(solved(amount));
  if (isMultiple(formula, column, sumOf)) {
    if (by === 'percent') return { by, amount };
    const change = solved(amount);
    return change === null ? null : { by, amount: tidy(change) };
  }
  const now = resultOf(formula, sumOf);
  const before = sumOf(column);
  if (now === null || before === null) return null;
  const total = solved(by === 'percent' ? now * (1 + amount / 100) : now + amount);
  return total === null ? null : { by: 'change', amount: tidy(total - before) };
}

/** Whether a formula is a multiple of a measure, such as a price of its value. */
function isMultiple({ expression }: PivotFormula, column: string, sumOf: SumOf): boolean {
  const at = (sum: number) =>
    evaluate(expression, (other) => (other === column ? sum : sumIn(sumOf(other))));
  const [none, once, twice] = [at(0), at(1), at(2)];
  return none === 0 && once !== null && once !== 0 && twice === 2 * once;
}

/**
 * Returns the columns of the measures that can change for a typed result, in the order of the expression: those
 * for which the typed result or the present one has a solution.
 */
export function changeable(formula: PivotFormula, edit: MeasureEdit, sumOf: SumOf): string[] {
  const now = resultOf(formula, sumOf);
  const present = now === null ? null : ({ by: 'total', amount: now } as const);
  return usedBy(formula).filter((column) =>
    [edit, present].some((each) => each && solvedEdit(formula, column, each, sumOf) !== null),
  );
}

/** A typed amount before and after; a formula may have no result before. */
export type Meaning = Omit<MeasureDraft, 'now'> & { now: number | null };

/**
 * Returns the result of a formula before and after one of its measures changes; null if it has none after. Results
 * that are shares have no percentage.
 *
 * @param column of the measure that changes
 * @param draft the measure before and after, rounded to its decimals
 */
export function resultDraft(
  formula: PivotFormula,
  column: string,
  draft: MeasureDraft,
  sumOf: SumOf,
): Meaning | null {
  const now = resultOf(formula, sumOf);
  const total = resultOf(formula, (other) => (other === column ? draft.total : sumOf(other)));
  if (total === null) return null;
  const change = total - (now ?? 0);
  const isShare = formula.format?.style === 'percent';
  if (isShare || !now) return { now, total, change, percent: null };
  const percent = isMultiple(formula, column, sumOf)
    ? draft.percent
    : tidy((change / Math.abs(now)) * 100);
  return { now, total, change, percent };
}
