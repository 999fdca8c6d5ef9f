/** Input and output of the builder of a column. */
import type { Data } from 'apache-arrow';
import type { Memory } from './growing';
import type { Fields } from './wire';
import { NULL_FIELD } from './wire';

/** The fields of one column in a run of tuples. */
export class FieldRun {
  /**
   * @param from index in `fields` where this column begins
   * @param expected total number of rows that the column will have; 0 if unknown
   */
  constructor(
    readonly memory: Memory,
    private readonly fields: Fields,
    private readonly from: number,
    readonly rows: number,
    readonly expected: number,
  ) {}

  /** Position of the first byte of a row's field in the memory. */
  start(row: number): number {
    return this.fields.starts[this.from + row] ?? 0;
  }

  /** Length of a row's field in bytes; `NULL_FIELD` for null. */
  length(row: number): number {
    return this.fields.lengths[this.from + row] ?? NULL_FIELD;
  }
}

/** A column that grows run by run. Each class has its own loop over one type of array. */
export interface ColumnBuilder {
  /** Bytes of memory that the column's arrays take at present. */
  readonly bytes: number;
  /**
   * @throws AppError 422 for a value that Arrow or the pivot cannot hold, Error for malformed bytes
   */
  append(run: FieldRun): void;
  /** Returns the rows as Arrow data. Nothing can be appended afterwards. */
  finish(): Data;
}

/** The error for a field whose length does not fit its type. */
export const wrongLength = (type: string, length: number) =>
  new Error(`Malformed binary COPY: ${length} bytes for a ${type}`);
