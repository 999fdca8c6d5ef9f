import type { CellValue } from './engine-types';

/** A column that is painted from the sums of two of three others, since no sum of its own is right. */
export interface Ratio {
  plan: string;
  reference: string;
  difference: string;
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
 * with. Two of the three columns are enough.
 */
export function shares([plan, reference, difference]: readonly (
  readonly CellValue[] | undefined
)[]): (number | null)[] {
  const length = Math.max(...[plan, reference, difference].map((column) => column?.length ?? 0));
  return Array.from({ length }, (_, y) => share(plan?.[y], reference?.[y], difference?.[y]));
}

function share(
  plan: CellValue | undefined,
  reference: CellValue | undefined,
  difference: CellValue | undefined,
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
  // What is the difference of two sums is seldom exactly 0.
  if (Math.abs(base) <= RESIDUE * Math.abs(change)) return null;
  return Math.abs(change) <= RESIDUE * Math.abs(base) ? 0 : change / Math.abs(base);
}

/** What the adding up of equal numbers in another order may leave, as a share of them. */
const RESIDUE = 1e-12;

/**
 * Plan less reference, row by row: 0 if the two are equal but for what adding them up in another order
 * leaves.
 */
export function differences([plan, reference, difference = []]: readonly (
  readonly CellValue[] | undefined
)[]): CellValue[] {
  return difference.map((value, y) => {
    const sizes = [plan?.[y], reference?.[y]].filter(isNumber).map(Math.abs);
    return isNumber(value) && Math.abs(value) <= RESIDUE * Math.max(0, ...sizes) ? 0 : value;
  });
}

/** How a measure is painted from others. */
export interface Painting {
  /** The columns of plan, reference and difference. */
  parts: readonly string[];
  /** Makes the values of theirs. */
  paint: (columns: readonly (readonly CellValue[] | undefined)[]) => CellValue[];
}

/** How a measure is painted from others; null for one that shows the engine's sums. */
export function paintingOf(measure: string, ratios: ReadonlyMap<string, Ratio>): Painting | null {
  for (const [share, { plan, reference, difference }] of ratios) {
    if (measure !== share && measure !== difference) continue;
    return {
      parts: [plan, reference, difference],
      paint: measure === share ? shares : differences,
    };
  }
  return null;
}

/** Whether the sum of several groups is the number that their rows have together. */
export const isAdditive = (aggregate: unknown = 'sum'): boolean =>
  aggregate === 'sum' || aggregate === 'count';

const isNumber = (value: unknown): value is number => typeof value === 'number';
