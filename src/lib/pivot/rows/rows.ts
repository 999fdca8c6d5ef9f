/** Rows of the service's responses, and their conversion to the types of the engine's table. */
import { type Column, columnFromArray, tableFromIPC, Type, utf8 } from '@uwdata/flechette';
import { DAY_MS, type Row } from '../../contract/primitives';
import { parseDay, toScalar } from '../values/cell-value';
import type { ColumnType, Schema } from '../values/engine-types';
import {
  type ArrowColumns,
  columnsOf,
  dictionaryOf,
  hasEmpty,
  isThere,
  lengthOf,
  mapped,
  type Numbers,
  numbersOf,
  whole,
  widened,
} from './arrow-columns';
import { daysIn } from './days';

/** Thrown for rows that the loaded table cannot hold; the message says what to do. */
export class RowsError extends Error {
  override readonly name = 'RowsError';
}

const RELOAD = 'The change is saved; reload the page to see it.';
const INT32 = 2 ** 31;
const FIRST_DAY = parseDay('0001-01-01') / DAY_MS;
/** The engine stores years in 16 bits. */
const DAY_TOO_LATE = parseDay('65536-01-01') / DAY_MS;

/** The rows of a response of the service: an Arrow stream of one record batch. */
export class AnsweredRows {
  readonly columns: ArrowColumns;
  readonly count: number;
  /** The metadata of the stream. */
  readonly metadata: ReadonlyMap<string, string>;

  /** @param bytes a complete stream; the rows share its memory */
  constructor(bytes: ArrayBuffer) {
    const table = tableFromIPC(bytes);
    this.columns = columnsOf(table);
    this.metadata = table.schema.metadata ?? new Map();
    this.count = lengthOf(this.columns);
  }

  /** The log entry of the first row; null if it has none. */
  get logid(): number | null {
    const id = this.count > 0 ? this.at('pf_logid', 0) : null;
    return typeof id === 'number' ? id : null;
  }

  /**
   * Returns a value in the JSON form of the service: days and times as ISO text; null for a missing column.
   */
  at(name: string, row: number): Row[string] {
    return valueIn(this.columns, name, row);
  }
}

/** Returns a value of some columns as {@link AnsweredRows.at} does. */
export function valueIn(columns: ArrowColumns, name: string, row: number): Row[string] {
  const column = columns.get(name);
  const value = column?.at(row) ?? null;
  if (value === null || column === undefined) return null;
  return (textOf[column.type.typeId] ?? asIs)(value);
}

/** The JSON form of values by Arrow type; Flechette returns days and times as milliseconds. */
const textOf: Readonly<Record<number, (value: unknown) => Row[string]>> = {
  [Type.Date]: (ms) => toScalar(Number(ms), 'date'),
  [Type.Timestamp]: (ms) => toScalar(Number(ms), 'datetime'),
};

const asIs = (value: unknown): Row[string] =>
  typeof value === 'number' || typeof value === 'boolean' ? value : String(value);

/**
 * Converts the rows of a response to columns for the engine's table: only columns of its schema, each with
 * the type of the schema. A missing column is empty in every row. Without this check, the engine would
 * silently drop, zero or wrap values that do not fit.
 *
 * @param index the table's key column; every row must have it
 * @throws RowsError if a value does not fit the loaded table
 */
export function fitted(
  columns: ArrowColumns,
  schema: Schema,
  index: string,
): Map<string, Column<unknown>> {
  if (hasEmpty(columns, index)) {
    throw new RowsError(`A row of the answer has no ${index}. ${RELOAD}`);
  }
  const fit = new Map<string, Column<unknown>>();
  for (const [name, type] of Object.entries(schema)) {
    const column = columns.get(name);
    if (column && column.nullCount < column.length) fit.set(name, FIT[type](column, name));
  }
  return fit;
}

const misfit = (name: string, what: string) =>
  new RowsError(`“${name}” now holds ${what}. ${RELOAD}`);

/** Converts a column to the engine's type. @throws RowsError if a value does not fit it */
type Fit = (column: Column<unknown>, name: string) => Column<unknown>;

const NO_NUMBER = 'something other than a number';

const FIT: Readonly<Record<ColumnType, Fit>> = {
  string(column) {
    if ((dictionaryOf(column) ?? column).type.typeId === Type.Utf8) return column;
    const write = textOf[column.type.typeId] ?? asIs;
    const texts = [...column].map((value) => (value === null ? null : String(write(value))));
    return columnFromArray(texts, utf8());
  },
  boolean(column, name) {
    if (column.type.typeId !== Type.Bool) throw misfit(name, 'something other than yes or no');
    return column;
  },
  float(column, name) {
    const numbers = numbersOf(column);
    if (!numbers) throw misfit(name, NO_NUMBER);
    return numbers.values instanceof Float64Array ? column : whole(widened(numbers));
  },
  integer(column, name) {
    const numbers = numbersOf(column);
    if (!numbers) throw misfit(name, NO_NUMBER);
    if (numbers.values instanceof Int32Array) return column;
    if (some(numbers, (value) => !Number.isFinite(value))) throw misfit(name, NO_NUMBER);
    if (some(numbers, (value) => !Number.isInteger(value))) throw misfit(name, 'fractions');
    if (some(numbers, (value) => value >= INT32 || value < -INT32)) {
      throw misfit(name, 'numbers larger than this page loaded it for');
    }
    return whole(mapped(numbers, (value) => value, true));
  },
  date(column, name) {
    const days = daysIn(column);
    if (!days) throw misfit(name, 'something other than a date');
    const { values, validity } = days;
    const isStrange = (day: number) => day < FIRST_DAY || day >= DAY_TOO_LATE;
    const strange = values.find((day, y) => isStrange(day) && isThere(validity, y));
    if (strange !== undefined) throw misfit(name, `an unknown date, “${dayText(strange)}”`);
    return column;
  },
  datetime(column, name) {
    if (column.type.typeId !== Type.Timestamp) throw misfit(name, 'something other than a time');
    return column;
  },
};

/** Writes a day as text; outside the range of JavaScript dates, as the number of days since 1970-01-01. */
const dayText = (day: number) =>
  Math.abs(day) <= 1e8 ? toScalar(day * DAY_MS, 'date') : `day ${day}`;

/** Checks whether any of the numbers meets a condition; empty values are skipped. */
function some({ values, validity }: Numbers, is: (value: number) => boolean): boolean {
  for (let y = 0; y < values.length; y++) {
    if (isThere(validity, y) && is(Number(values[y]))) return true;
  }
  return false;
}

/** Returns the types with which the engine loads columns. */
export function typesOf(columns: ArrowColumns): Schema {
  return Object.fromEntries(
    [...columns].map(([name, { type }]) => [name, TYPES[type.typeId] ?? 'string']),
  );
}

const TYPES: Readonly<Record<number, ColumnType>> = {
  [Type.Int]: 'integer',
  [Type.Float]: 'float',
  [Type.Bool]: 'boolean',
  [Type.Date]: 'date',
  [Type.Timestamp]: 'datetime',
};

/**
 * Returns why the rows of another version cannot be compared with those of this one; null if they can. If the
 * numbers of one are finer or larger, both are loaded with the wider type.
 *
 * @param own the types of this version's columns
 * @param other the types of the other version's columns
 * @param name the name of the other version
 */
export function whyApart(own: Schema, other: Schema, name: string): string | null {
  if ('pf_gkey' in own !== 'pf_gkey' in other) {
    return `“${name}” is loaded at another grain, so it cannot be compared with this version. Generate the SQL of the source again.`;
  }
  const lacking = Object.keys(own).find((column) => !(column in other));
  if (lacking !== undefined) {
    return `“${name}” has no column “${lacking}”, so it cannot be compared with this version.`;
  }
  const added = Object.keys(other).find((column) => !(column in own));
  if (added !== undefined) {
    return `“${name}” has a column “${added}” that this version lacks, so it cannot be compared with it.`;
  }
  const different = Object.entries(own).find(
    ([column, type]) => type !== other[column] && !(isNumber(type) && isNumber(other[column])),
  );
  return different
    ? `“${different[0]}” holds values of another type in “${name}”, so it cannot be compared with this version.`
    : null;
}

/**
 * Returns the columns that are loaded as fractions or large numbers in any of the batches, but not in this
 * version.
 */
export function wideColumns(own: Schema, others: readonly Schema[]): ReadonlySet<string> {
  return new Set(
    Object.entries(own)
      .filter(([name, type]) => type === 'integer' && others.some((each) => each[name] === 'float'))
      .map(([name]) => name),
  );
}

const isNumber = (type: ColumnType | undefined) => type === 'integer' || type === 'float';
