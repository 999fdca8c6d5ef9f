import type { Data } from 'apache-arrow';
import type { Memory } from './growing';

/** Where the fields of one column lie in a run of tuples: from `from` on in `starts` and `lengths`. */
export interface FieldRun {
  memory: Memory;
  starts: Int32Array;
  lengths: Int32Array;
  from: number;
  rows: number;
}

/** A column that grows by runs of fields. Each kind has one loop of its own, over one type of array. */
export interface ColumnBuilder {
  append(run: FieldRun): void;
  finish(): Data;
}

/** The error of a field that is not as long as its type. */
export const wrongLength = (type: string, length: number) =>
  new Error(`Malformed binary COPY: ${length} bytes for a ${type}`);
