import { Float64, Int32, makeData } from 'apache-arrow';
import type { Column } from './column-plan';
import { LONGEST } from './json-integers';
import { numbersOf } from './column-values';

/** Adjacent integers: the first of each run, then how many there are, for one run after the other. */
export type IdRuns = readonly number[];

/** More runs than this are not worth keeping beside the rows. */
const MOST_RUNS = 10_000;
const BEYOND_INT32 = 2 ** 31;

/**
 * The ids of a column as runs. A statement draws ids one after the other, so a hundred thousand usually
 * are one run.
 *
 * @returns undefined for ids that make too many runs
 * @throws Error if it is no column of numbers
 */
export function runsOf(column: Column): IdRuns | undefined {
  const runs: number[] = [];
  let next = NaN;
  let count = 0;
  for (const id of numbersOf(column).subarray(0, column.data.length)) {
    if (id === next) count += 1;
    else {
      if (count > 0) runs.push(next - count, count);
      if (runs.length > 2 * MOST_RUNS) return undefined;
      count = 1;
    }
    next = id + 1;
  }
  if (count > 0) runs.push(next - count, count);
  return runs;
}

/** How many ids there are in some runs. */
export function idCount(runs: IdRuns): number {
  let count = 0;
  for (let i = 1; i < runs.length; i += 2) count += runs[i] ?? 0;
  return count;
}

/** Bytes that {@link idColumn} takes, and its list in JSON. */
export const idBytes = (runs: IdRuns): number => idCount(runs) * (8 + LONGEST);

/** The ids of some runs as the column that a decoder makes of them. */
export function idColumn(name: string, runs: IdRuns): Column {
  const length = idCount(runs);
  const isNarrow = runs.every((id, i) => i % 2 === 1 || id + (runs[i + 1] ?? 0) <= BEYOND_INT32);
  const ids = isNarrow ? new Int32Array(length) : new Float64Array(length);
  let row = 0;
  for (let i = 0; i < runs.length; i += 2) {
    const first = runs[i] ?? 0;
    const end = row + (runs[i + 1] ?? 0);
    for (let id = first; row < end; row += 1, id += 1) ids[row] = id;
  }
  return {
    name,
    data:
      ids instanceof Int32Array
        ? makeData({ type: new Int32(), length, nullCount: 0, data: ids })
        : makeData({ type: new Float64(), length, nullCount: 0, data: ids }),
  };
}
