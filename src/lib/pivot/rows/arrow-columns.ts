/** Reads, writes and copies Arrow columns. */
import {
  batchType,
  Column,
  type DataType,
  float64,
  int32,
  type Table,
  tableFromColumns,
  tableFromIPC,
  tableToIPC,
  Type,
  type TypedArray,
} from '@uwdata/flechette';
import { nextTask } from '../waiting';

/** Columns by name, of equal length and one batch each, as in an Arrow stream of one record batch. */
export type ArrowColumns = ReadonlyMap<string, Column<unknown>>;

/**
 * Returns the columns of an Arrow stream of one record batch. They share its memory, except for the values of
 * dictionaries, which are decoded here, once. The reader is Flechette, which adds a seventh of the size of
 * apache-arrow to the page (docs/decisions/0004-rows-as-arrow.md).
 */
export const columnsIn = (bytes: ArrayBuffer): Map<string, Column<unknown>> =>
  columnsOf(tableFromIPC(bytes));

/** Returns the columns of a table of one batch. */
export function columnsOf({ schema, children }: Table): Map<string, Column<unknown>> {
  return new Map(
    schema.fields.flatMap(({ name }, i) => {
      const column: Column<unknown> | undefined = children[i];
      return column ? [[name, column]] : [];
    }),
  );
}

/** Returns the number of rows in some columns. */
export const lengthOf = (columns: ArrowColumns): number => [...columns.values()][0]?.length ?? 0;

/** Returns the named columns, as far as they exist. */
export const only = (columns: ArrowColumns, names: ReadonlySet<string>): ArrowColumns =>
  new Map([...columns].filter(([name]) => names.has(name)));

/** Checks whether a column has an empty value; a column that does not exist is empty in all rows. */
export const hasEmpty = (columns: ArrowColumns, name: string): boolean =>
  (columns.get(name)?.nullCount ?? 1) > 0;

/** Returns columns as the parts of an Arrow stream, in order. They share the memory of the columns. */
export function streamOf(columns: ArrowColumns): Uint8Array[] {
  const parts: Uint8Array[] = [];
  const sink = {
    write: (part: Uint8Array) => void parts.push(part),
    pad: (bytes: number) => void parts.push(new Uint8Array(bytes)),
    finish: () => null,
  };
  tableToIPC(tableFromColumns([...columns]), { format: 'stream', sink });
  return parts;
}

/** Returns columns as an Arrow stream in its own memory. */
export const encoded = (columns: ArrowColumns): ArrayBuffer => joined(streamOf(columns));

/** Joins bytes in one new buffer. */
export function joined(parts: readonly Uint8Array[]): ArrayBuffer {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole.buffer;
}

/** Returns the dictionary of a dictionary-encoded column; undefined for any other column. */
export function dictionaryOf({ data: [batch] }: Column<unknown>): Column<unknown> | undefined {
  // The class of such a batch is not exported, but its property `dictionary` is documented.
  const dictionary = batch && 'dictionary' in batch ? batch.dictionary : undefined;
  return dictionary instanceof Column ? dictionary : undefined;
}

/** The numbers of a column, as received. */
export interface Numbers {
  type: DataType;
  values: TypedArray;
  /** One bit per row, set if the row has a value; empty if all rows have one. */
  validity: Uint8Array;
}

/**
 * Returns the numbers of an integer or floating-point column that the engine supports; null for any other.
 */
export function numbersOf(column: Column<unknown> | undefined): Numbers | null {
  if (column?.type.typeId !== Type.Int && column?.type.typeId !== Type.Float) return null;
  const [batch] = column.data;
  if (!batch || !(batch.values instanceof Float64Array || batch.values instanceof Int32Array)) {
    return null;
  }
  const { type, values, validity, nullCount } = batch;
  return { type, values, validity: nullCount > 0 ? validity : new Uint8Array(0) };
}

/** Applies a function to each number; the results for empty values are meaningless. */
export function mapped(
  { values, validity }: Numbers,
  how: (value: number) => number,
  isInteger = values instanceof Int32Array,
): Numbers {
  const { length } = values;
  const made = isInteger ? new Int32Array(length) : new Float64Array(length);
  for (let y = 0; y < length; y++) made[y] = how(Number(values[y]));
  return { type: isInteger ? int32() : float64(), values: made, validity };
}

export const widened = (numbers: Numbers): Numbers => mapped(numbers, (value) => value, false);

/** Checks whether a row has a value, by the validity bits of {@link Numbers}. */
export const isThere = (validity: Uint8Array, y: number): boolean =>
  validity.length === 0 || ((validity[y >> 3] ?? 0) & (1 << (y & 7))) !== 0;

/** Sets the validity bit of a row, which then counts as having a value. */
export function setThere(validity: Uint8Array, y: number): void {
  validity[y >> 3] = (validity[y >> 3] ?? 0) | (1 << (y & 7));
}

/** Creates a column from numbers and counts its empty values. */
export function whole({ type, values, validity }: Numbers): Column<unknown> {
  let nulls = 0;
  for (let y = 0; validity.length > 0 && y < values.length; y++) {
    if (!isThere(validity, y)) nulls++;
  }
  return columnFrom(type, values, validity, values.length, nulls);
}

/**
 * Creates a column of one batch. @param validity one bit per row, set if the row has a value; empty if all
 * have one
 */
export function columnFrom(
  type: DataType,
  values: TypedArray,
  validity: Uint8Array,
  length: number,
  nullCount: number,
): Column<unknown> {
  const Batch = batchType(type);
  return new Column([new Batch({ length, nullCount, type, validity, values })], type);
}

/** The column with the log entry that wrote a row. */
const LOGID = 'pf_logid';

/**
 * Visits the runs of adjacent rows of each log entry: from index `from` up to, but not including, `to`.
 *
 * @returns false if a row has no entry; then nothing is visited
 */
export function visitEntries(
  columns: ArrowColumns,
  visit: (logid: number, from: number, to: number) => void,
): boolean {
  const entries = numbersOf(columns.get(LOGID));
  if (!entries || entries.validity.length > 0) return false;
  const { values } = entries;
  for (let from = 0, to = 0; from < values.length; from = to) {
    while (to < values.length && values[to] === values[from]) to++;
    visit(Number(values[from]), from, to);
  }
  return true;
}

/** Returns rows as those of one log entry. */
export function ofOneEntry(columns: ArrowColumns, logid: number): ArrowColumns {
  const entries = numbersOf(columns.get(LOGID));
  return entries ? new Map([...columns, [LOGID, whole(mapped(entries, () => logid))]]) : columns;
}

/** Number of values after which the loop yields to the page. */
const VALUES_PER_TURN = 200_000;

/**
 * Copies the rows at some indexes, in this order, to their own memory, so that the memory of the columns can
 * be freed. An index may occur several times.
 *
 * @param columns of numbers, days, times, booleans, texts or dictionary values
 */
export async function rowsAt(columns: ArrowColumns, places: Int32Array): Promise<ArrowColumns> {
  const taken = new Map<string, Column<unknown>>();
  let values = 0;
  for (const [name, column] of columns) {
    if (values > VALUES_PER_TURN) {
      await nextTask();
      values = 0;
    }
    taken.set(name, columnAt(column, places));
    values += places.length;
  }
  return taken;
}

/** Returns the values of a column at some indexes; see {@link rowsAt}. */
export function columnAt(column: Column<unknown>, places: Int32Array): Column<unknown> {
  const [batch] = column.data;
  if (!batch) return column;
  const { type, values, offsets, nullCount } = batch;
  const there = bitsAt(nullCount > 0 ? batch.validity : new Uint8Array(0), places);
  const Batch = batchType(type);
  const taken = new Batch({
    type,
    length: places.length,
    nullCount: places.length - there.set,
    validity: there.bits,
    ...(offsets instanceof Int32Array && values instanceof Uint8Array
      ? textsAt(values, offsets, places)
      : { values: type.typeId === Type.Bool ? bitsOf(values, places) : numbersAt(values, places) }),
  });
  const dictionary = dictionaryOf(column);
  if (dictionary) taken.setDictionary(columnAt(dictionary, placesOf(dictionary)));
  return new Column([taken], type);
}

const placesOf = ({ length }: Column<unknown>): Int32Array =>
  Int32Array.from({ length }, (_, y) => y);

/** Returns the bits of some rows, in order; all are set if `bits` is empty. */
function bitsAt(bits: Uint8Array, places: Int32Array): { bits: Uint8Array; set: number } {
  const { length } = places;
  const made = new Uint8Array(Math.ceil(length / 8));
  if (bits.length === 0) return { bits: made.fill(0xff), set: length };
  let set = 0;
  for (let i = 0; i < length; i++) {
    if (!isThere(bits, places[i] ?? 0)) continue;
    setThere(made, i);
    set++;
  }
  return { bits: made, set };
}

const bitsOf = (values: TypedArray, places: Int32Array): Uint8Array =>
  values instanceof Uint8Array ? bitsAt(values, places).bits : new Uint8Array(0);

function numbersAt(values: TypedArray, places: Int32Array): TypedArray {
  const { length } = places;
  if (values instanceof BigInt64Array || values instanceof BigUint64Array) {
    const made = new BigInt64Array(length);
    for (let i = 0; i < length; i++) made[i] = values[places[i] ?? 0] ?? 0n;
    return made;
  }
  // There may be more places than values.
  const made = values instanceof Float64Array ? new Float64Array(length) : new Int32Array(length);
  for (let i = 0; i < length; i++) made[i] = values[places[i] ?? 0] ?? 0;
  return made;
}

function textsAt(
  values: Uint8Array,
  offsets: Int32Array,
  places: Int32Array,
): { values: Uint8Array; offsets: Int32Array } {
  const { length } = places;
  const starts = new Int32Array(length + 1);
  for (let i = 0; i < length; i++) {
    const y = places[i] ?? 0;
    starts[i + 1] = (starts[i] ?? 0) + (offsets[y + 1] ?? 0) - (offsets[y] ?? 0);
  }
  const made = new Uint8Array(starts[length] ?? 0);
  for (let i = 0; i < length; i++) {
    const y = places[i] ?? 0;
    made.set(values.subarray(offsets[y], offsets[y + 1]), starts[i]);
  }
  return { values: made, offsets: starts };
}
