import { tableFromIPC, Type } from '@uwdata/flechette';
import type { Row } from '../contract/primitives';
import { parseDay } from './cell-value';
import type { CellValue, ColumnType, Schema } from './engine-types';

/** Thrown for rows that the loaded table cannot hold; the message says what to do. */
export class RowsError extends Error {
  override readonly name = 'RowsError';
}

const RELOAD = 'The change is saved; reload the page to see it.';
const INT32 = 2 ** 31;
/** The engine reads days of such years as text; later ones it takes as a number. */
const FOUR_DIGITS = /^\d{4}-/;
/** The engine keeps years in 16 bits. */
const YEAR_65536 = parseDay('65536-01-01');

/**
 * The rows of an operation's answer as columns for the engine's table: every column of its schema,
 * nothing else, each value of its column's type. Without this check the
 * engine would silently drop, zero or wrap values that do not fit.
 *
 * @param index the table's key column; every row must have it
 * @throws RowsError if a value does not fit the loaded table
 */
export function toEngineColumns(
  rows: readonly Row[],
  schema: Schema,
  index: string,
): Record<string, CellValue[]> {
  const columns = Object.entries(schema).map(([name, type]) => {
    const values = rows.map((row) => {
      const value = (Object.hasOwn(row, name) ? row[name] : null) ?? null;
      if (value === null && name === index) {
        throw new RowsError(`An answered row has no ${index}. ${RELOAD}`);
      }
      return value === null ? null : fit(value, type, name);
    });
    return [name, values] as const;
  });
  return Object.fromEntries(columns);
}

/** The rows of an Arrow stream as the service writes them in JSON: days and times as ISO text. */
export function rowsOf(bytes: ArrayBuffer): Row[] {
  const table = tableFromIPC(bytes);
  const columns = table.schema.fields.map(({ name, type }, i) => {
    const values: unknown[] = [...(table.children[i] ?? [])];
    const write = textOf[type.typeId] ?? asIs;
    return { name, values: values.map((value) => (value === null ? null : write(value))) };
  });
  return Array.from({ length: table.numRows }, (_, y) =>
    Object.fromEntries(columns.map(({ name, values }) => [name, values[y] ?? null])),
  );
}

/** How values of an Arrow type are written in JSON; flechette gives days and times as milliseconds. */
const textOf: Readonly<Record<number, (value: unknown) => Row[string]>> = {
  [Type.Date]: (ms) => new Date(Number(ms)).toISOString().slice(0, -'T00:00:00.000Z'.length),
  [Type.Timestamp]: (ms) => new Date(Number(ms)).toISOString(),
};

const asIs = (value: unknown): Row[string] =>
  typeof value === 'number' || typeof value === 'boolean' ? value : String(value);

/** Columns in which any of the rows is empty. */
export function emptyColumns(columns: Record<string, CellValue[]>): string[] {
  return Object.entries(columns).flatMap(([name, values]) => (values.includes(null) ? [name] : []));
}

function fit(value: string | number | boolean, type: ColumnType, name: string): CellValue {
  const misfit = (what: string) => new RowsError(`“${name}” now holds ${what}. ${RELOAD}`);
  switch (type) {
    case 'string':
      return String(value);
    case 'boolean':
      if (typeof value !== 'boolean') throw misfit('something other than yes or no');
      return value;
    case 'integer':
    case 'float': {
      const number = typeof value === 'boolean' || value === '' ? NaN : Number(value);
      if (!Number.isFinite(number)) throw misfit('something other than a number');
      if (type === 'integer' && !Number.isInteger(number)) throw misfit('fractions');
      if (type === 'integer' && (number >= INT32 || number < -INT32)) {
        throw misfit('numbers larger than this page loaded it for');
      }
      return number;
    }
    case 'date': {
      const text = String(value);
      const ms = parseDay(text);
      if (!(ms < YEAR_65536)) throw misfit(`an unknown date, “${text}”`);
      return FOUR_DIGITS.test(text) ? text : ms;
    }
    case 'datetime': {
      const text = String(value).replace(' ', 'T');
      const ms = Date.parse(/(Z|[+-]\d\d(:?\d\d)?)$/.test(text) ? text : `${text}Z`);
      if (Number.isNaN(ms)) throw misfit(`an unknown time, “${value}”`);
      return ms;
    }
  }
}
