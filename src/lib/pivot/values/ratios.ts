import { EXACT, withoutResidue, type Decimals } from '../../contract/decimals';
import type { CellValue } from './engine-types';

/** A column that is painted from the sums of others, since no sum of its own is right. */
export type Ratio = Share | Price;

/** Painted from two of its three columns. */
interface Share {
  plan: string;
  reference: string;
  difference: string;
  /** The decimals of the measure: amounts that round to zero at them are zero. Left out: only zero is. */
  decimals?: Decimals;
}

interface Price {
  value: string;
  units: string;
}

/** How a share is written: in percent with its sign. */
export const SHARE_FORMAT = {
  style: 'percent',
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
  signDisplay: 'exceptZero',
} as const satisfies Intl.NumberFormatOptions;

/**
 * Plan less reference as a share of the reference, row by row; null if there is nothing to compare
 * with. Two of the three columns are enough. Amounts that round to zero at the decimals of the measure
 * are zero.
 */
export function shares(
  [plan, reference, difference]: readonly (readonly CellValue[] | undefined)[],
  decimals = EXACT,
): (number | null)[] {
  return rows([plan, reference, difference], (y) =>
    share([plan?.[y], reference?.[y], difference?.[y]], decimals),
  );
}

/** Something of each row of some columns, of which any may be absent. */
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
  // What is the difference of two sums is seldom exactly 0.
  if (Math.abs(base) <= RESIDUE * Math.abs(change)) return null;
  return Math.abs(change) <= RESIDUE * Math.abs(base) ? 0 : change / Math.abs(base);
}

/** What the adding up of equal numbers in another order may leave, as a share of them. */
const RESIDUE = 1e-12;

/**
 * Plan less reference, row by row: 0 if the two are equal but for what adding them up in another order
 * leaves, or for less than the decimals of the measure show.
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

/** Value per unit, row by row; null if there are no units. */
export function prices([value, units]: readonly (readonly CellValue[] | undefined)[]): (
  number | null
)[] {
  return rows([value, units], (y) => price(value?.[y] ?? null, units?.[y] ?? null));
}

/** Value per unit as the ratio of sums; null without units. */
export function price(value: CellValue, units: CellValue): number | null {
  if (!isNumber(value) || !isNumber(units)) return null;
  // What adding up units in another order has left is no unit.
  return Math.abs(units) <= LEAST_UNITS ? null : value / units;
}

/** Fewer units than this are none. */
const LEAST_UNITS = 1e-9;

/** How a measure is painted from others. */
interface Painting {
  /** The columns that it is painted from. */
  parts: readonly string[];
  /** Makes the values of theirs. */
  paint: (columns: readonly (readonly CellValue[] | undefined)[]) => CellValue[];
}

/** How a measure is painted from others; null for one that shows the engine's sums. */
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

/** The columns that a painted one still needs beside some others. */
export function missingParts(ratio: Ratio, shown: readonly string[]): string[] {
  const missing = partsOf(ratio).filter((part) => !shown.includes(part));
  // Any two of the three tell a share.
  return 'units' in ratio ? missing : missing.slice(0, Math.max(0, missing.length - 1));
}

/** Whether the sum of several groups is the number that their rows have together. */
export const isAdditive = (aggregate: unknown = 'sum'): boolean =>
  aggregate === 'sum' || aggregate === 'count';

const isNumber = (value: unknown): value is number => typeof value === 'number';
