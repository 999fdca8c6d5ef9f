import type { Column } from './column-plan';

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
