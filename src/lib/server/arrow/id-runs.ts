/** Ids as runs of adjacent integers. */
import { Float64, Int32, makeData, type Data } from 'apache-arrow';
import type { Column } from './column-plan';
import { numbersOf } from './column-values';
import { COMMA, PIECE, writeInteger } from './json-integers';

/** Adjacent integers: the first of each run, then how many there are, for one run after the other. */
export type IdRuns = readonly number[];

/** More runs than this are not worth keeping beside the rows. */
const MOST_RUNS = 10_000;
const BEYOND_INT32 = 2 ** 31;
/** The most digits that an id has, and the comma before it. */
const LONGEST_ID = 17;
const ENCODER = new TextEncoder();

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

/** Bytes that the data of {@link IdColumn} take. */
export const idBytes = (runs: IdRuns): number => 8 * idCount(runs);

/**
 * The ids of some runs as a column. Its data are made each time they are asked for: an answer in JSON goes
 * without.
 */
export class IdColumn implements Column {
  constructor(
    readonly name: string,
    private readonly runs: IdRuns,
  ) {}

  /** Int32 if all ids fit, as a decoder makes it. */
  get data(): Data {
    const { runs } = this;
    const length = idCount(runs);
    const isNarrow = runs.every((id, i) => i % 2 === 1 || id + (runs[i + 1] ?? 0) <= BEYOND_INT32);
    const ids = isNarrow ? new Int32Array(length) : new Float64Array(length);
    let row = 0;
    for (const { first, end } of eachRun(runs)) {
      for (let id = first; id < end; row += 1, id += 1) ids[row] = id;
    }
    return ids instanceof Int32Array
      ? makeData({ type: new Int32(), length, nullCount: 0, data: ids })
      : makeData({ type: new Float64(), length, nullCount: 0, data: ids });
  }

  /** How many bytes {@link list} makes. */
  get listLength(): number {
    let length = Math.max(0, idCount(this.runs) - 1);
    for (const { first, end } of eachRun(this.runs)) {
      for (let from = first; from < end;) {
        const digits = String(from).length;
        const upTo = Math.min(end, 10 ** digits);
        length += (upTo - from) * digits;
        from = upTo;
      }
    }
    return length;
  }

  /**
   * The ids in JSON, with commas between and no brackets, in pieces that are made when they are requested.
   * Each whole thousand is a copy of the one before, with a digit or two changed.
   */
  *list(): Generator<Uint8Array<ArrayBuffer>, void> {
    const room = Math.min(PIECE, 1 + this.listLength + 1000 * LONGEST_ID);
    let bytes = new Uint8Array(room);
    // Each id has a comma before it, but for the first one.
    let [start, at] = [1, 0];
    let before: Thousand | null = null;
    for (const { first, end } of eachRun(this.runs)) {
      for (let id = first; id < end;) {
        if (room - at < 1000 * LONGEST_ID) {
          yield bytes.subarray(start, at);
          bytes = new Uint8Array(room);
          [start, at, before] = [0, 0, null];
        }
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
    if (at > start) yield bytes.subarray(start, at);
  }
}

function* eachRun(runs: IdRuns): Generator<{ first: number; end: number }, void> {
  for (let i = 0; i < runs.length; i += 2) {
    const first = runs[i] ?? 0;
    yield { first, end: first + (runs[i + 1] ?? 0) };
  }
}

/** A thousand ids as they are listed: where they begin, and what stands before the last three digits of each. */
interface Thousand {
  at: number;
  head: Uint8Array;
}

/** @returns the position after its last digit */
function writeId(bytes: Uint8Array, at: number, id: number): number {
  if (id < BEYOND_INT32) return writeInteger(bytes, at, id);
  return at + ENCODER.encodeInto(String(id), bytes.subarray(at)).written;
}

/** Writes the thousand ids from one that ends with three zeros, each with a comma before it. */
function writeThousand(
  bytes: Uint8Array,
  at: number,
  id: number,
  before: Thousand | null,
): Thousand {
  const head = ENCODER.encode(`,${id / 1000}`);
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
