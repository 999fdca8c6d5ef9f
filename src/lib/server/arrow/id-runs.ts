import { Float64, Int32, makeData } from 'apache-arrow';
import type { Column } from './column-plan';
import { numbersOf } from './column-values';
import type { ListedColumn } from './json';
import { writeInteger } from './json-integers';

/** Adjacent integers: the first of each run, then how many there are, for one run after the other. */
export type IdRuns = readonly number[];

/** More runs than this are not worth keeping beside the rows. */
const MOST_RUNS = 10_000;
const BEYOND_INT32 = 2 ** 31;
const COMMA = 44;

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

/** Bytes that {@link listedIds} takes. */
export const idBytes = (runs: IdRuns): number => idCount(runs) * 8 + listBytes(runs);

/** The ids of some runs as a column, of which the list in JSON is written already. */
export const listedIds = (name: string, runs: IdRuns): ListedColumn => ({
  ...idColumn(name, runs),
  list: [idList(runs)],
});

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

/** At most so many bytes {@link idList} has: a comma before each id, and as many digits as the longest. */
function listBytes(runs: IdRuns): number {
  let longest = 0;
  for (let i = 0; i < runs.length; i += 2) {
    const last = (runs[i] ?? 0) + (runs[i + 1] ?? 0) - 1;
    longest = Math.max(longest, String(last).length);
  }
  return idCount(runs) * (longest + 1);
}

/** A thousand ids as they are listed: where they begin, and what stands before the last three digits of each. */
interface Thousand {
  at: number;
  head: Uint8Array;
}

/**
 * The ids of some runs in JSON, with commas between and no brackets. Of adjacent ids, whole thousands differ
 * from the thousand before in a digit or two, so it is copied and these are changed. An undo writes this while
 * the database deletes the rows, and takes time from it if both get one processor.
 */
function idList(runs: IdRuns): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(listBytes(runs));
  let at = 0;
  let before: Thousand | null = null;
  for (let i = 0; i < runs.length; i += 2) {
    const first = runs[i] ?? 0;
    const end = first + (runs[i + 1] ?? 0);
    for (let id = first; id < end;) {
      if (id >= 1000 && id % 1000 === 0 && id + 1000 <= end) {
        before = writeThousand(bytes, at, id, before);
        at += 1000 * (before.head.length + 3);
        id += 1000;
      } else {
        bytes[at] = COMMA;
        at = writeId(bytes, at + 1, id);
        id += 1;
      }
    }
  }
  return bytes.subarray(Math.min(1, at), at);
}

/** @returns the position after its last digit */
function writeId(bytes: Uint8Array, at: number, id: number): number {
  if (id < BEYOND_INT32) return writeInteger(bytes, at, id);
  return at + new TextEncoder().encodeInto(String(id), bytes.subarray(at)).written;
}

/** Writes the thousand ids from one that ends with three zeros, each with a comma before it. */
function writeThousand(
  bytes: Uint8Array,
  at: number,
  id: number,
  before: Thousand | null,
): Thousand {
  const head = new TextEncoder().encode(`,${id / 1000}`);
  const width = head.length + 3;
  if (before?.head.length === head.length) {
    bytes.copyWithin(at, before.at, before.at + 1000 * width);
    for (const [place, digit] of head.entries()) {
      if (digit === before.head[place]) continue;
      for (let i = 0, to = at + place; i < 1000; i += 1, to += width) bytes[to] = digit;
    }
    return { at, head };
  }
  for (let i = 0, to = at; i < 1000; i += 1, to += width) {
    bytes.set(head, to);
    writeInteger(bytes, to + head.length, i, 3);
  }
  return { at, head };
}
