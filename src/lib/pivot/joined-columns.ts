import {
  batchType,
  Column,
  columnFromArray,
  dictionary,
  int32,
  tableFromIPC,
  Type,
  utf8,
  type TypedArray,
} from '@uwdata/flechette';
import { columnFrom, columnsOf, dictionaryOf, encoded } from './arrow-columns';

/**
 * Parts of a table, one below the other, as an Arrow stream of one record batch.
 *
 * @param streams one record batch each, of the same columns; the rows of each but the last are a multiple of
 * eight, so that no byte of what has a bit per row belongs to two of them
 */
export function joined(streams: readonly ArrayBuffer[]): ArrayBuffer {
  const parts = streams.map((stream) => columnsOf(tableFromIPC(stream)));
  const names = [...(parts[0]?.keys() ?? [])];
  return encoded(
    new Map(
      names.map((name) => [name, joinedColumn(parts.flatMap((part) => part.get(name) ?? []))]),
    ),
  );
}

function joinedColumn(columns: readonly Column<unknown>[]): Column<unknown> {
  const [first] = columns;
  if (!first) throw new Error(NOT_JOINED);
  const length = columns.reduce((sum, column) => sum + column.length, 0);
  const nullCount = columns.reduce((sum, column) => sum + column.nullCount, 0);
  const validity = joinedValidity(columns, length, nullCount);
  if (!dictionaryOf(first)) {
    const values = typedAs(first.data[0]?.values, concatenated(columns.map(bytesOf)));
    return columnFrom(first.type, values, validity, length, nullCount);
  }
  const { texts, values } = joinedTexts(columns, length);
  // A stream has no dictionary without a text.
  const list = columnFromArray(texts.length > 0 ? texts : [''], utf8());
  const type = dictionary(list.type, int32());
  const Batch = batchType(type);
  const batch = new Batch({ length, nullCount, type, validity, values });
  return new Column([batch.setDictionary(list)], type);
}

/** One list of the texts that each part has a list of its own of, and the place in it of each row's text. */
function joinedTexts(columns: readonly Column<unknown>[], length: number) {
  const places = new Map<string, number>();
  const values = new Int32Array(length);
  let at = 0;
  for (const column of columns) {
    const moved = [...(dictionaryOf(column) ?? [])].map((value) => {
      const text = String(value);
      const place = places.get(text) ?? places.size;
      places.set(text, place);
      return place;
    });
    const own = column.data[0]?.values ?? [];
    for (let y = 0; y < column.length; y++) values[at++] = moved[Number(own[y])] ?? 0;
  }
  return { texts: [...places.keys()], values };
}

function joinedValidity(
  columns: readonly Column<unknown>[],
  length: number,
  nullCount: number,
): Uint8Array {
  const validity = new Uint8Array(nullCount > 0 ? Math.ceil(length / 8) : 0);
  if (nullCount === 0) return validity;
  let at = 0;
  for (const column of columns) {
    const bytes = Math.ceil(column.length / 8);
    if (column.nullCount === 0) validity.fill(255, at, at + bytes);
    else validity.set(column.data[0]?.validity.subarray(0, bytes) ?? [], at);
    at += bytes;
  }
  return validity;
}

/** The bytes of a column's values. */
function bytesOf({ data: [batch], length, type }: Column<unknown>): Uint8Array {
  const values: unknown = batch?.values;
  if (!isTyped(values)) throw new Error(NOT_JOINED);
  return whole(values.subarray(0, type.typeId === Type.Bool ? Math.ceil(length / 8) : length));
}

const NOT_JOINED = 'Such a column cannot be joined.';

/** Bytes as values of the same kind as others. */
function typedAs(others: unknown, bytes: Uint8Array): TypedArray {
  if (others instanceof Int32Array) return new Int32Array(bytes.buffer);
  if (others instanceof Float64Array) return new Float64Array(bytes.buffer);
  if (others instanceof BigInt64Array) return new BigInt64Array(bytes.buffer);
  if (others instanceof Uint8Array) return bytes;
  throw new Error(NOT_JOINED);
}

const isTyped = (values: unknown): values is TypedArray =>
  ArrayBuffer.isView(values) && !(values instanceof DataView);

const whole = ({ buffer, byteOffset, byteLength }: TypedArray): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

function concatenated(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.byteLength, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.byteLength;
  }
  return all;
}
