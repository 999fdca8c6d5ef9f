/** Converts, compares, rounds and quotes values of the engine. */
import type { Scalar } from '../../contract/primitives';
import type { CellValue, ColumnType } from './engine-types';

/**
 * Converts an engine value to the form of a slice: dates to ISO days, instants to ISO instants. It reads them
 * in UTC, as the engine stores them, so no time zone can shift a day.
 */
export function toScalar(value: CellValue, type: ColumnType | undefined): Scalar | null {
  if (value === null || typeof value !== 'number') return value;
  if (type === 'date') return dayOf(value);
  if (type === 'datetime') return new Date(value).toISOString();
  return value;
}

/** Returns a day as ISO text. Years after 9999 have more than four digits, as in PostgreSQL. */
const dayOf = (ms: number): string =>
  (new Date(ms).toISOString().split('T')[0] ?? '').replace(/^\+0*/, '');

const DAY = /^(\d{4,6})(-\d\d-\d\d)$/;

/** Returns the epoch milliseconds of a day in the form of {@link toScalar}; NaN for other text. */
export function parseDay(text: string): number {
  const [, year, rest] = DAY.exec(text) ?? [];
  if (year === undefined) return NaN;
  return Date.parse(year.length > 4 ? `+${year.padStart(6, '0')}${rest}` : text);
}

/** Returns the text that the engine prints for a split value in its column paths. */
export function printed(value: CellValue, type: ColumnType | undefined): string {
  if (value === null) return 'null';
  if (typeof value === 'number' && type === 'datetime') {
    return new Date(value).toISOString().replace('T', ' ').replace('Z', '');
  }
  if (typeof value === 'number' && type === 'float') return sixDigits(value);
  return String(toScalar(value, type));
}

/** Returns the only value that {@link printed} writes as this text; undefined if there may be others. */
export function unprinted(text: string, type: ColumnType | undefined): CellValue | undefined {
  if (text === '' || text === String(null)) return undefined;
  const value = readAs(text, type);
  return value !== undefined && printed(value, type) === text ? value : undefined;
}

function readAs(text: string, type: ColumnType | undefined): CellValue | undefined {
  switch (type) {
    case 'string':
      return text;
    case 'integer':
      return Number(text);
    case 'boolean':
      return text === 'true';
    case 'date':
    case 'datetime': {
      const ms = type === 'date' ? parseDay(text) : Date.parse(`${text.replace(' ', 'T')}Z`);
      return Number.isNaN(ms) ? undefined : ms;
    }
    default:
      return undefined;
  }
}

/**
 * Prints a number as C++ prints a double: six significant digits, and an exponent for large and small
 * numbers.
 */
function sixDigits(value: number): string {
  const [digits = '', exponent = '0'] = value.toExponential(5).split('e');
  const power = Number(exponent);
  if (power >= -4 && power < 6) return String(Number(value.toPrecision(6)));
  const sign = power < 0 ? '-' : '+';
  return `${Number(digits)}e${sign}${String(Math.abs(power)).padStart(2, '0')}`;
}

/**
 * Copies a record by column so that it finds nothing under inherited names such as `constructor`, which may
 * be the name of a column.
 */
export const byName = <T>(record: Readonly<Record<string, T>>): Readonly<Record<string, T>> =>
  Object.assign(Object.create(null), record);

/** Returns a key that is equal for equal values; null, 'null', 0, '0' and false have different keys. */
export const valueKey = (value: CellValue): string => JSON.stringify(value);

/**
 * Removes the rounding error of adding binary fractions from a sum: 83918.645, not 83918.64499999999. From
 * 100 billion on, a double has no spare digits after the cents, so the sum stays unchanged.
 */
export const tidy = (sum: number): number =>
  Math.abs(sum) < 1e11 ? Number(sum.toPrecision(14)) : sum;

/** Smaller amounts are rounding errors of adding the same numbers in another order. */
const RESIDUE = 1e-9;

/** Does the same for a sum of changes, which is 0 if they cancel out. */
export const tidyChange = (sum: number): number => (Math.abs(sum) < RESIDUE ? 0 : tidy(sum));

/** Quotes the name of a column for an expression. */
export const quotedName = (name: string): string => `"${name.replace(/(["\\])/g, '\\$1')}"`;

/** Quotes a text for an expression. */
export const quotedText = (text: string): string => `'${text.replace(/(['\\])/g, '\\$1')}'`;
