/** Columns of formulas: their results on the plan, and beside it on what it is compared with. */
import type { Decimals } from '../../contract/decimals';
import { type Expression, measuresIn, parseExpression } from '../../contract/formula-expression';
import type { CheckedFormula, FormulaFormat } from '../../contract/formulas';
import {
  differenceOf,
  type Formulated,
  formulated,
  priceExpression,
  shareOf,
} from '../values/ratios';
import { type Origin, SHARES } from './origin-columns';

/** A formula that the pivot evaluates: the price, or one that is stored for the source. */
export interface PivotFormula {
  /** The name of its column. */
  name: string;
  /** The measure whose part it is: the value for the price, otherwise the formula itself. */
  measure: string;
  origin: 'price' | 'formula';
  expression: Expression;
  /** Null for the price, which has the format of an amount. */
  format: FormulaFormat | null;
}

/** Returns the price of a source with value and units: value per unit. */
export const priceFormula = (value: string, units: string): PivotFormula => ({
  name: `${value}: price`,
  measure: value,
  origin: 'price',
  expression: priceExpression(value, units),
  format: null,
});

/** Returns the formula whose result is a conversion. An amount typed into it changes the measure that is converted. */
export const conversionFormula = (name: string): PivotFormula => ({
  ...{ name, measure: name, origin: 'formula', expression: { kind: 'measure', name } },
  format: null,
});

/** Returns the stored formulas that the columns of the source allow. */
export const usableFormulas = (stored: readonly CheckedFormula[]): PivotFormula[] =>
  stored.flatMap(({ name, expression: text, format, problem }) => {
    const { expression } = parseExpression(text, null);
    const isUsable = problem === null && expression !== null;
    return isUsable ? { name, measure: name, origin: 'formula' as const, expression, format } : [];
  });

/** Checks whether a column shows a result on the plan: it has no sum, but its slice is that of the plan. */
export const isResult = (origin: Origin): boolean => origin === 'price' || origin === 'formula';

/** Checks whether the sums of all measures of a formula are loaded. */
export const isComputable = (
  { expression }: PivotFormula,
  measures: readonly string[],
): boolean => {
  const used = measuresIn(expression);
  return used.length > 0 && used.every((measure) => measures.includes(measure));
};

/**
 * Returns how the column of a formula is computed for an origin: on the plan, on what the plan is compared
 * with, or as a difference of both results.
 *
 * @param columnOf returns the column of a measure for an origin
 * @param decimalsOf returns the decimals of a measure; undefined for one without any
 */
export function formulaColumn(
  { expression }: PivotFormula,
  origin: Origin,
  columnOf: (measure: string, origin: Origin) => string,
  decimalsOf: (measure: string) => Decimals | undefined,
): Formulated {
  const plan = formulated(expression, undefined, decimalsOf);
  if (isResult(origin)) return plan;
  const besides = (of: Origin) =>
    formulated(expression, (measure) => columnOf(measure, of), decimalsOf);
  if (origin === 'difference') return differenceOf(plan, besides('reference'));
  if (origin === 'otherDifference') return differenceOf(plan, besides('other'));
  const [reference] = SHARES[origin] ?? [];
  return reference ? shareOf(plan, besides(reference)) : besides(origin);
}
