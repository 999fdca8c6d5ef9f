import type { Scalar } from '../contract/primitives';
import type { CellValue, ColumnType } from './engine-types';

/**
 * An engine value as a slice carries it: dates as ISO days, instants as ISO instants. Read in UTC,
 * as the engine keeps them, so no time zone can move a day.
 */
export function toScalar(value: CellValue, type: ColumnType | undefined): Scalar | null {
  if (value === null || typeof value !== 'number') return value;
  if (type === 'date') return new Date(value).toISOString().slice(0, 10);
  if (type === 'datetime') return new Date(value).toISOString();
  return value;
}

/** The text the engine prints for a split value in its column paths. */
export function printed(value: CellValue, type: ColumnType | undefined): string {
  if (value === null) return 'null';
  if (typeof value === 'number' && type === 'datetime') {
    return new Date(value).toISOString().replace('T', ' ').replace('Z', '');
  }
  return String(toScalar(value, type));
}

/** Equality key of one value; keeps null, 'null', 0, '0' and false apart. */
export const valueKey = (value: CellValue): string => JSON.stringify(value);

/**
 * A sum without the rounding error of adding binary fractions: 83918.645, not 83918.64499999999. From
 * 100 billion on, a double has no digits to spare behind the cents, so the sum stays as it is.
 */
export const tidy = (sum: number): number =>
  Math.abs(sum) < 1e11 ? Number(sum.toPrecision(14)) : sum;
