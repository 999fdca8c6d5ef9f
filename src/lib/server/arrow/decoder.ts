import { FieldRun } from './builder';
import { makeBuilder, type Column, type PlannedColumn } from './column-plan';
import { Memory } from './growing';
import { FIELD_ROWS, headerLength, makeFields, scanTuples } from './wire';

const FIRST_BYTES = 128 * 1024;

/**
 * Decodes a binary COPY, chunk by chunk, straight into typed columns. The chunks may be split
 * anywhere. Each chunk is read in two passes: the first finds where the fields are, the second runs one
 * loop per column.
 *
 * ```
 * const decoder = new CopyDecoder(plan);
 * decoder.write(chunk);              // as often as there are chunks
 * const columns = decoder.finish();
 * ```
 */
export class CopyDecoder {
  readonly #columns;
  readonly #fields;
  /** Begins with the `#unread` bytes of a tuple that the next chunk completes. */
  #memory = new Memory(new Uint8Array(FIRST_BYTES));
  #unread = 0;
  #state: 'header' | 'tuples' | 'ended' = 'header';
  #rows = 0;

  /** @throws Error for a column of a type that cannot be decoded */
  constructor(plan: readonly PlannedColumn[]) {
    this.#columns = plan.map((column) => ({ name: column.name, builder: makeBuilder(column) }));
    this.#fields = makeFields(plan.length);
  }

  /** Whole rows decoded so far. */
  get rows(): number {
    return this.#rows;
  }

  /** Bytes of memory that the columns take so far, the room to grow included. */
  get bytes(): number {
    let bytes = this.#memory.bytes.byteLength;
    for (const { builder } of this.#columns) bytes += builder.bytes;
    return bytes;
  }

  /**
   * Takes the next bytes; they are copied, so the caller may use the chunk again.
   * @throws AppError 422 naming a column with a value that Arrow or the pivot cannot hold
   * @throws Error if the bytes are no binary COPY of the planned columns
   */
  write(chunk: Uint8Array): void {
    const end = this.#unread + chunk.length;
    this.#memory = this.#memory.grown(end);
    this.#memory.bytes.set(chunk, this.#unread);
    const position = this.#decode(end);
    this.#memory.bytes.copyWithin(0, position, end);
    this.#unread = end - position;
  }

  /** Decodes all complete tuples; returns the position of the first byte after them. */
  #decode(end: number): number {
    let position = 0;
    if (this.#state === 'header') {
      const header = headerLength(this.#memory, end);
      if (header === undefined) return 0;
      this.#state = 'tuples';
      position = header;
    }
    while (this.#state === 'tuples') {
      const scan = scanTuples(this.#memory.view, position, end, this.#columns.length, this.#fields);
      this.#append(scan.rows);
      position = scan.position;
      if (scan.ended) this.#state = 'ended';
      else if (scan.rows < FIELD_ROWS) return position;
    }
    if (position < end) throw new Error('Malformed binary COPY: bytes after its end');
    return position;
  }

  #append(rows: number): void {
    this.#columns.forEach(({ builder }, i) =>
      builder.append(new FieldRun(this.#memory, this.#fields, i * FIELD_ROWS, rows)),
    );
    this.#rows += rows;
  }

  /**
   * The finished columns, in the order of the plan; the decoder cannot be used afterwards.
   * @throws Error if the end of the COPY has not been seen
   */
  finish(): Column[] {
    if (this.#state !== 'ended') throw new Error('Truncated binary COPY: its end is missing');
    return this.#columns.map(({ name, builder }) => ({ name, data: builder.finish() }));
  }
}
