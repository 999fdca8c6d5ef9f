import type { Scalar } from '../../contract/primitives';
import type { CellValue, ColumnType } from './engine-types';

/**
 * An engine value as a slice carries it: dates as ISO days, instants as ISO instants. Read in UTC,
 * as the engine keeps them, so no time zone can move a day.
 */
export function toScalar(value: CellValue, type: ColumnType | undefined): Scalar | null {
  if (value === null || typeof value !== 'number') return value;
  if (type === 'date') return dayOf(value);
  if (type === 'datetime') return new Date(value).toISOString();
  return value;
}

/** A day as ISO text. Years after 9999 have the digits that they need, as PostgreSQL prints them. */
const dayOf = (ms: number): string =>
  (new Date(ms).toISOString().split('T')[0] ?? '').replace(/^\+0*/, '');

const DAY = /^(\d{4,6})(-\d\d-\d\d)$/;

/** Epoch milliseconds of a day as {@link toScalar} writes it; NaN for other text. */
export function parseDay(text: string): number {
  const [, year, rest] = DAY.exec(text) ?? [];
  if (year === undefined) return NaN;
  return Date.parse(year.length > 4 ? `+${year.padStart(6, '0')}${rest}` : text);
}

/** The text the engine prints for a split value in its column paths. */
export function printed(value: CellValue, type: ColumnType | undefined): string {
  if (value === null) return 'null';
  if (typeof value === 'number' && type === 'datetime') {
    return new Date(value).toISOString().replace('T', ' ').replace('Z', '');
  }
  if (typeof value === 'number' && type === 'float') return sixDigits(value);
  return String(toScalar(value, type));
}

/** The only value that {@link printed} writes in this way; undefined if there may be others. */
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

/** As C++ prints a double: six significant digits, large and small ones with an exponent. */
function sixDigits(value: number): string {
  const [digits = '', exponent = '0'] = value.toExponential(5).split('e');
  const power = Number(exponent);
  if (power >= -4 && power < 6) return String(Number(value.toPrecision(6)));
  const sign = power < 0 ? '-' : '+';
  return `${Number(digits)}e${sign}${String(Math.abs(power)).padStart(2, '0')}`;
}

/**
 * A copy of a record by column that finds nothing under names such as `constructor`: a column may be
 * called so.
 */
export const byName = <T>(record: Readonly<Record<string, T>>): Readonly<Record<string, T>> =>
  Object.assign(Object.create(null), record);

/** Equality key of one value; keeps null, 'null', 0, '0' and false apart. */
export const valueKey = (value: CellValue): string => JSON.stringify(value);

/**
 * A sum without the rounding error of adding binary fractions: 83918.645, not 83918.64499999999. From
 * 100 billion on, a double has no digits to spare behind the cents, so the sum stays as it is.
 */
export const tidy = (sum: number): number =>
  Math.abs(sum) < 1e11 ? Number(sum.toPrecision(14)) : sum;

/** Amounts below this are what adding up the same numbers in another order leaves. */
const RESIDUE = 1e-9;

/** The same for a sum of changes, which is 0 if they cancel out. */
export const tidyChange = (sum: number): number => (Math.abs(sum) < RESIDUE ? 0 : tidy(sum));

/** A column's name as an expression has it. */
export const quotedName = (name: string): string => `"${name.replace(/(["\\])/g, '\\$1')}"`;

/** A text as an expression has it. */
export const quotedText = (text: string): string => `'${text.replace(/(['\\])/g, '\\$1')}'`;
