/** Columns that are computed from the sums of a view: shares, differences and formulas. */
import { EXACT, withoutResidue, type Decimals } from '../../contract/decimals';
import { evaluate, type Expression, measuresIn } from '../../contract/formula-expression';
import type { CellValue } from './engine-types';

/** A column that is computed from the sums of other columns, because its own sum would be wrong. */
export type Ratio = Share | Formulated;

/** A share, which is computed from any two of its three columns. */
interface Share {
  plan: string;
  reference: string;
  difference: string;
  /**
   * The decimals of the measure: amounts that round to zero with them count as zero. If absent, only zero
   * does.
   */
  decimals?: Decimals;
}

/** The result of a formula, or a comparison of two results. */
export interface Formulated {
  /** The columns whose sums the formula uses. */
  parts: readonly string[];
  /** The decimals of their measures; undefined for one without any. */
  decimals: readonly (Decimals | undefined)[];
  /** Computes the result of a row from the sums of `parts`; null if it is empty. */
  result(sums: readonly (number | null)[]): number | null;
}

/**
 * Returns a formula on the sums of columns.
 *
 * @param columnOf returns the column with the sums of a measure
 * @param decimalsOf returns the decimals of a measure: sums that round to zero with them count as zero
 */
export function formulated(
  expression: Expression,
  columnOf: (measure: string) => string = (measure) => measure,
  decimalsOf: (measure: string) => Decimals | undefined = () => undefined,
): Formulated {
  const measures = measuresIn(expression);
  return {
    parts: measures.map(columnOf),
    decimals: measures.map(decimalsOf),
    result: (sums) => evaluate(expression, (measure) => sums[measures.indexOf(measure)] ?? null),
  };
}

/** Returns the difference of two results; null if one of them is empty. */
export const differenceOf = (plan: Formulated, reference: Formulated): Formulated =>
  compared(plan, reference, (now, before) => {
    const change = now - before;
    return Math.abs(change) <= RESIDUE * Math.max(Math.abs(now), Math.abs(before)) ? 0 : change;
  });

/** Returns the difference of two results as a share of the second; null if one is empty or the second 0. */
export const shareOf = (plan: Formulated, reference: Formulated): Formulated =>
  compared(plan, reference, (now, before) => share([now, before, null], EXACT));

const compared = (
  plan: Formulated,
  reference: Formulated,
  compare: (now: number, before: number) => number | null,
): Formulated => ({
  parts: [...plan.parts, ...reference.parts],
  decimals: [...plan.decimals, ...reference.decimals],
  result: (sums) => {
    const now = plan.result(sums.slice(0, plan.parts.length));
    const before = reference.result(sums.slice(plan.parts.length));
    return now === null || before === null ? null : compare(now, before);
  },
});

/** The format of a share: a percentage with its sign. */
export const SHARE_FORMAT = {
  style: 'percent',
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
  signDisplay: 'exceptZero',
} as const satisfies Intl.NumberFormatOptions;

/**
 * Returns plan minus reference as a share of the reference, row by row; null if there is nothing to compare
 * with. Two of the three columns are enough. Amounts that round to zero with the decimals of the measure
 * count as zero.
 */
export function shares(
  [plan, reference, difference]: readonly (readonly CellValue[] | undefined)[],
  decimals = EXACT,
): (number | null)[] {
  return rows([plan, reference, difference], (y) =>
    share([plan?.[y], reference?.[y], difference?.[y]], decimals),
  );
}

/** Returns a result per row of some columns, any of which may be absent. */
function rows<T>(
  columns: readonly (readonly CellValue[] | undefined)[],
  of: (y: number) => T,
): T[] {
  const length = Math.max(...columns.map((column) => column?.length ?? 0));
  return Array.from({ length }, (_, y) => of(y));
}

function share(
  [plan, reference, difference]: readonly (CellValue | undefined)[],
  decimals: Decimals,
): number | null {
  const base = isNumber(reference)
    ? reference
    : isNumber(plan) && isNumber(difference)
      ? plan - difference
      : null;
  const change = isNumber(difference)
    ? difference
    : isNumber(plan) && base !== null
      ? plan - base
      : null;
  if (base === null || change === null) return null;
  if (withoutResidue(base, decimals) === 0) return null;
  if (withoutResidue(change, decimals) === 0) return 0;
  // The difference of two equal sums is rarely exactly 0.
  if (Math.abs(base) <= RESIDUE * Math.abs(change)) return null;
  return Math.abs(change) <= RESIDUE * Math.abs(base) ? 0 : change / Math.abs(base);
}

/** The rounding error of adding equal numbers in another order, as a share of them. */
const RESIDUE = 1e-12;

/**
 * Returns plan minus reference, row by row: 0 if the two differ only by the rounding error of adding in
 * another order, or by less than the decimals of the measure show.
 */
export function differences(
  [plan, reference, difference = []]: readonly (readonly CellValue[] | undefined)[],
  decimals = EXACT,
): CellValue[] {
  return difference.map((value, y) => {
    if (!isNumber(value)) return value;
    const sizes = [plan?.[y], reference?.[y]].filter(isNumber).map(Math.abs);
    const isResidue = Math.abs(value) <= RESIDUE * Math.max(0, ...sizes);
    return isResidue ? 0 : withoutResidue(value, decimals);
  });
}

/** Returns the expression of a price: value per unit. */
export const priceExpression = (value: string, units: string): Expression => ({
  kind: 'pair',
  operator: '/',
  left: { kind: 'measure', name: value },
  right: { kind: 'measure', name: units },
});

const PRICE = formulated(priceExpression('value', 'units'));

/** Returns value per unit as the ratio of sums; null without units. */
export const price = (value: CellValue, units: CellValue): number | null =>
  PRICE.result([value, units].map((sum) => sumIn(sum)));

/**
 * Returns a sum for a formula. The rounding error of a sum that should be zero is not an amount. That of many rows is
 * larger, but still rounds to zero with the decimals of the measure.
 */
export function sumIn(value: CellValue | undefined, decimals = EXACT): number | null {
  if (!isNumber(value)) return null;
  return Math.abs(value) <= LEAST_AMOUNT ? 0 : withoutResidue(value, decimals);
}

/** Sums up to this amount count as 0. */
const LEAST_AMOUNT = 1e-9;

/** How a measure is computed from other columns. */
interface Painting {
  /** The columns from which it is computed. */
  parts: readonly string[];
  /** Computes the values from those of `parts`. */
  paint: (columns: readonly (readonly CellValue[] | undefined)[]) => CellValue[];
}

/**
 * Returns how a measure is computed from other columns; null for one that shows the engine's own numbers.
 *
 * @param aggregates of the columns: without the sum of each part, the measure is empty
 */
export function paintingOf(
  measure: string,
  ratios: ReadonlyMap<string, Ratio>,
  aggregates: Readonly<Record<string, unknown>> = {},
): Painting | null {
  const painting = paintingOfSums(measure, ratios);
  if (painting?.parts.every((part) => isSum(aggregates[part])) !== false) return painting;
  return { parts: painting.parts, paint: (columns) => rows(columns, () => null) };
}

function paintingOfSums(measure: string, ratios: ReadonlyMap<string, Ratio>): Painting | null {
  const own = ratios.get(measure);
  if (own) {
    const paint: Painting['paint'] =
      'result' in own
        ? (columns) =>
            rows(columns, (y) =>
              own.result(columns.map((column, i) => sumIn(column?.[y], own.decimals[i]))),
            )
        : (columns) => shares(columns, own.decimals);
    return { parts: partsOf(own), paint };
  }
  for (const ratio of ratios.values()) {
    if ('difference' in ratio && ratio.difference === measure) {
      const { decimals } = ratio;
      return { parts: partsOf(ratio), paint: (columns) => differences(columns, decimals) };
    }
  }
  return null;
}

const partsOf = (ratio: Ratio): readonly string[] =>
  'result' in ratio ? ratio.parts : [ratio.plan, ratio.reference, ratio.difference];

/** Returns the columns that a computed column still needs in addition to those that are shown. */
export function missingParts(ratio: Ratio, shown: readonly string[]): string[] {
  const missing = partsOf(ratio).filter((part) => !shown.includes(part));
  // Any two of the three columns determine a share.
  return 'result' in ratio ? missing : missing.slice(0, Math.max(0, missing.length - 1));
}

/** Returns the columns that some columns are computed from and that are not among them. */
export const partsBehind = (
  shown: readonly string[],
  ratios: ReadonlyMap<string, Ratio>,
): string[] =>
  shown.reduce<string[]>((behind, name) => {
    const ratio = ratios.get(name);
    return ratio ? [...behind, ...missingParts(ratio, [...shown, ...behind])] : behind;
  }, []);

/** Checks whether an aggregate is the sum, as it is by default. */
export const isSum = (aggregate: unknown = 'sum'): boolean => aggregate === 'sum';

/** Checks whether the sum over several groups equals the aggregate of all their rows. */
export const isAdditive = (aggregate: unknown = 'sum'): boolean =>
  isSum(aggregate) || aggregate === 'count';

const isNumber = (value: unknown): value is number => typeof value === 'number';
