import type { Data, DataType } from 'apache-arrow';
import { Validity } from './growing';

/** Adjacent rows of one column: those from `start` up to, not including, `end`. */
export interface Part {
  data: Data;
  start: number;
  end: number;
  /**
   * Whether it is of the rows that all the others follow, with nothing left out before it: its texts are in the
   * order of first appearance then.
   */
  isLead: boolean;
}

/** Puts a column's parts together, block by block, in their order. */
export interface Joiner {
  /** Of the type that all blocks get. */
  readonly typeId: number;
  /** @param inPlace whether the rows are one part that should stay in its memory, if that is possible */
  block(parts: readonly Part[], inPlace: boolean): BlockWriter;
}

/** One block of a column; its parts are appended from the first row to the last. */
export interface BlockWriter {
  append(part: Part, from: number, to: number): void;
  finish(): Data;
}

/** Whether a part is all of its column. */
export const isWhole = ({ data, start, end }: Part): boolean => start === 0 && end === data.length;

export const mismatch = (data: Data, type: DataType) =>
  new Error(`A column of type ${String(data.type)} does not go with ${String(type)}`);

/** Counts the rows of a block, and keeps which of them are null. */
export class Written {
  rows = 0;
  readonly #nulls = new Validity();

  append({ data }: Part, from: number, to: number): void {
    this.#nulls.copy(data, from, to, this.rows);
    this.rows += to - from;
  }

  /** The properties of Arrow data that do not depend on its values. */
  finish(): ReturnType<Validity['finish']> {
    return this.#nulls.finish(this.rows);
  }
}
