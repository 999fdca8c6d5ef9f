/** Reads values of finished columns. */
import { DataType, type Data, type Utf8 } from 'apache-arrow';
import type { Column } from './column-plan';

/** Number of rows of columns of equal length; 0 if there are no columns. */
export const rowCountOf = (columns: readonly Column[]): number => columns[0]?.data.length ?? 0;

/** Whether each row stores its own text, without a dictionary. */
export const isText = (data: Data | undefined): data is Data<Utf8> =>
  data !== undefined && DataType.isUtf8(data.type);

/** Numbers of 32 or 64 bits. */
export type Numbers = Int32Array | Float64Array | BigInt64Array;

/** The values of numeric data, one per row; a null row holds 0. @throws Error for other data */
export function fixedValues(data: Data): Numbers {
  const values: unknown = data.values;
  const isNumbers =
    values instanceof Int32Array ||
    values instanceof Float64Array ||
    values instanceof BigInt64Array;
  if (!isNumbers) throw new Error(`Values of type ${String(data.type)} are not numbers`);
  return values;
}

/** The values of boolean data, one bit per row. @throws Error for other data */
export function bitValues(data: Data): Uint8Array {
  const values: unknown = data.values;
  if (!DataType.isBool(data.type) || !(values instanceof Uint8Array)) {
    throw new Error(`Values of type ${String(data.type)} are not booleans`);
  }
  return values;
}

/** The numbers of a column, one per row; a null row holds 0. @throws Error if the column is not numeric */
export function numbersOf({ name, data }: Column): Int32Array | Float64Array {
  const values: unknown = data.values;
  if (values instanceof Int32Array || values instanceof Float64Array) return values;
  throw new Error(`Column ${name} holds no ids and no counts`);
}

/** The sum of a column; nulls count as 0. @throws Error if the column is not numeric */
export function sumOf(column: Column): number {
  let sum = 0;
  for (const value of numbersOf(column)) sum += value;
  return sum;
}

/** Number of rows of each value of a column. @throws Error if the column is not numeric */
export function countsOf(column: Column): Map<number, number> {
  const counts = new Map<number, number>();
  for (const value of numbersOf(column)) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}
