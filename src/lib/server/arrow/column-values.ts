import { DataType, makeData, type Data, type Utf8 } from 'apache-arrow';
import type { Column } from './column-plan';

/** How many rows some columns of one length have; none if there is no column. */
export const rowCountOf = (columns: readonly Column[]): number => columns[0]?.data.length ?? 0;

/** Whether data is of texts, each row with its own. */
export const isText = (data: Data | undefined): data is Data<Utf8> =>
  data !== undefined && DataType.isUtf8(data.type);

/** Numbers of 32 or 64 bits. */
export type Numbers = Int32Array | Float64Array | BigInt64Array;

/** The values of data of numbers, one per row; a null row holds 0. @throws Error if it has others */
export function fixedValues(data: Data): Numbers {
  const values: unknown = data.values;
  const isNumbers =
    values instanceof Int32Array ||
    values instanceof Float64Array ||
    values instanceof BigInt64Array;
  if (!isNumbers) throw new Error(`Values of type ${String(data.type)} are no numbers`);
  return values;
}

/** The values of data of booleans, one bit per row. @throws Error if it has others */
export function bitValues(data: Data): Uint8Array {
  const values: unknown = data.values;
  if (!DataType.isBool(data.type) || !(values instanceof Uint8Array)) {
    throw new Error(`Values of type ${String(data.type)} are no booleans`);
  }
  return values;
}

/**
 * The numbers of a column, one per row; a null row holds 0. @throws Error if it is no column of
 * numbers
 */
export function numbersOf({ name, data }: Column): Int32Array | Float64Array {
  const values: unknown = data.values;
  if (values instanceof Int32Array || values instanceof Float64Array) return values;
  throw new Error(`Column ${name} holds no ids and no counts`);
}

/** The sum of a column; nulls count as 0. @throws Error if it is no column of numbers */
export function sumOf(column: Column): number {
  let sum = 0;
  for (const value of numbersOf(column)) sum += value;
  return sum;
}

/**
 * The texts of a column in memory of their own, without the room that a decoder has left to grow.
 *
 * @param most bytes that they may take
 * @returns undefined for a column of something else, of texts and nulls, or of more bytes
 */
export function copiedTexts(
  column: Column | undefined,
  most: number,
): { column: Column; bytes: number } | undefined {
  if (!column || !isText(column.data) || column.data.nullCount > 0) return undefined;
  const { type, length, valueOffsets, values } = column.data;
  const offsets = valueOffsets.subarray(0, length + 1);
  const bytes = offsets.byteLength + (offsets[length] ?? 0);
  if (bytes > most) return undefined;
  const data = values.slice(0, offsets[length]);
  return {
    column: {
      name: column.name,
      data: makeData({ type, length, nullCount: 0, valueOffsets: offsets.slice(), data }),
    },
    bytes,
  };
}
