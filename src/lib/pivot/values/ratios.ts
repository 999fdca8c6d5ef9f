/** Ratio and difference columns, which are computed from the sums of a view. */
import { EXACT, withoutResidue, type Decimals } from '../../contract/decimals';
import type { CellValue } from './engine-types';

/** A column that is computed from the sums of other columns, because its own sum would be wrong. */
export type Ratio = Share | Price;

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

interface Price {
  value: string;
  units: string;
}

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

/** Returns value per unit, row by row; null without units. */
export function prices([value, units]: readonly (readonly CellValue[] | undefined)[]): (
  number | null
)[] {
  return rows([value, units], (y) => price(value?.[y] ?? null, units?.[y] ?? null));
}

/** Returns value per unit as the ratio of sums; null without units. */
export function price(value: CellValue, units: CellValue): number | null {
  if (!isNumber(value) || !isNumber(units)) return null;
  // A rounding error of adding units in another order is not a unit.
  return Math.abs(units) <= LEAST_UNITS ? null : value / units;
}

/** Units up to this amount count as none. */
const LEAST_UNITS = 1e-9;

/** How a measure is computed from other columns. */
interface Painting {
  /** The columns from which it is computed. */
  parts: readonly string[];
  /** Computes the values from those of `parts`. */
  paint: (columns: readonly (readonly CellValue[] | undefined)[]) => CellValue[];
}

/** Returns how a measure is computed from other columns; null for one that shows the engine's sums. */
export function paintingOf(measure: string, ratios: ReadonlyMap<string, Ratio>): Painting | null {
  const own = ratios.get(measure);
  if (own) {
    const paint: Painting['paint'] =
      'units' in own ? prices : (columns) => shares(columns, own.decimals);
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

const partsOf = (ratio: Ratio): string[] =>
  'units' in ratio ? [ratio.value, ratio.units] : [ratio.plan, ratio.reference, ratio.difference];

/** Returns the columns that a computed column still needs in addition to those that are shown. */
export function missingParts(ratio: Ratio, shown: readonly string[]): string[] {
  const missing = partsOf(ratio).filter((part) => !shown.includes(part));
  // Any two of the three columns determine a share.
  return 'units' in ratio ? missing : missing.slice(0, Math.max(0, missing.length - 1));
}

/** Checks whether the sum over several groups equals the aggregate of all their rows. */
export const isAdditive = (aggregate: unknown = 'sum'): boolean =>
  aggregate === 'sum' || aggregate === 'count';

const isNumber = (value: unknown): value is number => typeof value === 'number';
