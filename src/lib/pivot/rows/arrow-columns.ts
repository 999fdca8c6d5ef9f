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

/** Columns of equal length by name, each of one batch: what an Arrow stream of one record batch has. */
export type ArrowColumns = ReadonlyMap<string, Column<unknown>>;

/**
 * The columns of an Arrow stream of one record batch. They share its memory, but for the values of
 * dictionaries: these are decoded here, once. The reader is Flechette, a seventh of what apache-arrow adds to
 * the page (docs/decisions/0004-rows-as-arrow.md).
 */
export const columnsIn = (bytes: ArrayBuffer): Map<string, Column<unknown>> =>
  columnsOf(tableFromIPC(bytes));

/** The columns of a table of one batch. */
export function columnsOf({ schema, children }: Table): Map<string, Column<unknown>> {
  return new Map(
    schema.fields.flatMap(({ name }, i) => {
      const column: Column<unknown> | undefined = children[i];
      return column ? [[name, column]] : [];
    }),
  );
}

/** How many rows some columns have. */
export const lengthOf = (columns: ArrowColumns): number => [...columns.values()][0]?.length ?? 0;

/** Some columns of rows, as far as the rows have them. */
export const only = (columns: ArrowColumns, names: ReadonlySet<string>): ArrowColumns =>
  new Map([...columns].filter(([name]) => names.has(name)));

/** Whether a column is empty in one of its rows; one that is not there is empty in all. */
export const hasEmpty = (columns: ArrowColumns, name: string): boolean =>
  (columns.get(name)?.nullCount ?? 1) > 0;

/** Columns as the parts of an Arrow stream, in order. They share the memory of the columns. */
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

/** Columns as an Arrow stream in memory of its own. */
export const encoded = (columns: ArrowColumns): ArrayBuffer => joined(streamOf(columns));

/** Bytes one after the other, in a buffer of nothing else. */
export function joined(parts: readonly Uint8Array[]): ArrayBuffer {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole.buffer;
}

/** The values of a column that is written as numbers into a dictionary; undefined for any other. */
export function dictionaryOf({ data: [batch] }: Column<unknown>): Column<unknown> | undefined {
  // The class of such a batch is not exported; its dictionary is documented.
  const dictionary = batch && 'dictionary' in batch ? batch.dictionary : undefined;
  return dictionary instanceof Column ? dictionary : undefined;
}

/** The numbers of a column as they came. */
export interface Numbers {
  type: DataType;
  values: TypedArray;
  /** A bit per row that has a value; empty if all have. */
  validity: Uint8Array;
}

/** The numbers of an integer or floating-point column that the engine can take; null for any other. */
export function numbersOf(column: Column<unknown> | undefined): Numbers | null {
  if (column?.type.typeId !== Type.Int && column?.type.typeId !== Type.Float) return null;
  const [batch] = column.data;
  if (!batch || !(batch.values instanceof Float64Array || batch.values instanceof Int32Array)) {
    return null;
  }
  const { type, values, validity, nullCount } = batch;
  return { type, values, validity: nullCount > 0 ? validity : new Uint8Array(0) };
}

/** Other numbers in the place of each; those of empty places do not matter. */
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

/** Whether a row has a value, by a validity as {@link Numbers} has it. */
export const isThere = (validity: Uint8Array, y: number): boolean =>
  validity.length === 0 || ((validity[y >> 3] ?? 0) & (1 << (y & 7))) !== 0;

/** Sets the bit of a row, so that {@link isThere} tells that it has a value. */
export function setThere(validity: Uint8Array, y: number): void {
  validity[y >> 3] = (validity[y >> 3] ?? 0) | (1 << (y & 7));
}

/** All of some numbers as a column. */
export function whole({ type, values, validity }: Numbers): Column<unknown> {
  let nulls = 0;
  for (let y = 0; validity.length > 0 && y < values.length; y++) {
    if (!isThere(validity, y)) nulls++;
  }
  return columnFrom(type, values, validity, values.length, nulls);
}

/** A column of one batch. @param validity a bit per row that has a value; empty if all have */
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

/** The column that tells which log entry wrote a row. */
const LOGID = 'pf_logid';

/**
 * Visits the rows of each log entry, as far as they follow each other: from one place up to another.
 *
 * @returns false if a row has no entry; then none is visited
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

/** After so many values, the page gets a turn. */
const VALUES_PER_TURN = 200_000;

/**
 * The rows in some places of columns, in this order, in memory of their own: that of the columns can go.
 *
 * @param columns each of numbers, days, times, yes and no, texts or a dictionary
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

/** The values in some places of a column; see {@link rowsAt}. */
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

/** A bit per place, set if that of its row is; without bits, all are. */
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
    const made = values.slice(0, length);
    for (let i = 0; i < length; i++) made[i] = values[places[i] ?? 0] ?? 0n;
    return made;
  }
  const made = values.slice(0, length);
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
