/** Input and output of the joiner of one column. */
import type { Data, DataType } from 'apache-arrow';
import { Validity } from './growing';

/** Adjacent rows of one column, from `start` (included) to `end` (excluded). */
export interface Part {
  data: Data;
  start: number;
  end: number;
  /** Whether no row before this part is left out. Its dictionary is then in the order of first appearance. */
  isLead: boolean;
}

/** Joins the parts of a column, block by block, in order. */
export interface Joiner {
  /** Type of all resulting blocks. */
  readonly typeId: number;
  /** @param inPlace whether the block is a single part that should stay in its memory if possible */
  block(parts: readonly Part[], inPlace: boolean): BlockWriter;
}

/** Writes one block of a column. Parts are appended in order. */
export interface BlockWriter {
  append(part: Part, from: number, to: number): void;
  finish(): Data;
}

/** Whether a part covers its whole column. */
export const isWhole = ({ data, start, end }: Part): boolean => start === 0 && end === data.length;

export const mismatch = (data: Data, type: DataType) =>
  new Error(`A column of type ${String(data.type)} does not go with ${String(type)}`);

/** Counts the rows of a block and records its nulls. */
export class Written {
  rows = 0;
  private readonly nulls = new Validity();

  append({ data }: Part, from: number, to: number): void {
    this.nulls.copy(data, from, to, this.rows);
    this.rows += to - from;
  }

  /** The properties of Arrow data that do not depend on its values. */
  finish(): ReturnType<Validity['finish']> {
    return this.nulls.finish(this.rows);
  }
}
