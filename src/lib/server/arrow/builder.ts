import type { Data } from 'apache-arrow';
import type { Memory } from './growing';
import type { Fields } from './wire';
import { NULL_FIELD } from './wire';

/** The fields of one column in a run of tuples. */
export class FieldRun {
  /** @param from where the column begins in `fields` */
  constructor(
    readonly memory: Memory,
    private readonly fields: Fields,
    private readonly from: number,
    readonly rows: number,
  ) {}

  /** Position of the first byte of a row's field in the memory. */
  start(row: number): number {
    return this.fields.starts[this.from + row] ?? 0;
  }

  /** Bytes of a row's field, `NULL_FIELD` for null. */
  length(row: number): number {
    return this.fields.lengths[this.from + row] ?? NULL_FIELD;
  }
}

/** A column that grows by runs of fields. Each kind has one loop of its own, over one type of array. */
export interface ColumnBuilder {
  /** Memory that its arrays take now, in bytes. */
  readonly bytes: number;
  append(run: FieldRun): void;
  finish(): Data;
}

/** The error of a field that is not as long as its type. */
export const wrongLength = (type: string, length: number) =>
  new Error(`Malformed binary COPY: ${length} bytes for a ${type}`);
