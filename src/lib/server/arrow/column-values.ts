import { DataType, type Data, type Utf8 } from 'apache-arrow';
import type { Column } from './column-plan';

/** How many rows some columns of one length have; none if there is no column. */
export const rowCountOf = (columns: readonly Column[]): number => columns[0]?.data.length ?? 0;

/** Whether data is of texts, each row with its own. */
export const isText = (data: Data | undefined): data is Data<Utf8> =>
  data !== undefined && DataType.isUtf8(data.type);

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
