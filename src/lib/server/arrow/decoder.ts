/** Decodes the bytes of a binary COPY into columns. */
import { FieldRun } from './builder';
import { makeBuilder, type Column, type PlannedColumn } from './column-plan';
import { Memory } from './growing';
import { FIELD_ROWS, headerLength, makeFields, scanTuples } from './wire';

/**
 * Number of bytes of a chunk that are searched first for the end of a tuple that began in the previous chunk.
 */
const FIRST_BYTES = 1024;

/**
 * Decodes a binary COPY, chunk by chunk, straight into typed columns. The chunks may be split
 * anywhere. Tuples are read in runs, each in two passes: the first finds where the fields are, the second
 * runs one loop per column.
 *
 * ```
 * const decoder = new CopyDecoder(plan);
 * decoder.write(chunk);              // as often as there are chunks
 * const columns = decoder.finish();
 * ```
 */
export class CopyDecoder {
  private readonly columns;
  private readonly fields;
  /** Holds the `#unread` bytes of a tuple that the next chunk completes. */
  private begun = new Memory(new Uint8Array(FIRST_BYTES));
  private unread = 0;
  private state: 'header' | 'tuples' | 'ended' = 'header';
  private rowCount = 0;

  /**
   * @param expected total number of rows; 0 if unknown
   * @throws Error for a column of a type that cannot be decoded
   */
  constructor(
    plan: readonly PlannedColumn[],
    private readonly expected = 0,
  ) {
    this.columns = plan.map((column) => ({ name: column.name, builder: makeBuilder(column) }));
    this.fields = makeFields(plan.length);
  }

  /** Number of complete rows decoded so far. */
  get rows(): number {
    return this.rowCount;
  }

  /** Bytes of memory that the columns take so far, including room for growth. */
  get bytes(): number {
    let bytes = this.begun.bytes.byteLength;
    for (const { builder } of this.columns) bytes += builder.bytes;
    return bytes;
  }

  /**
   * Decodes the next bytes. The decoder copies what it needs, so the caller may reuse the chunk.
   * @throws AppError 422 naming a column with a value that Arrow or the pivot cannot hold
   * @throws Error if the bytes are not a binary COPY of the planned columns
   */
  write(chunk: Uint8Array): void {
    const start = this.complete(chunk);
    if (start === undefined) return;
    const end = this.decode(new Memory(chunk), start, chunk.length);
    this.begun = this.begun.grown(chunk.length - end);
    this.begun.bytes.set(chunk.subarray(end));
    this.unread = chunk.length - end;
  }

  /**
   * Decodes the tuple that began in earlier chunks.
   * @returns the position after it; undefined if the chunk does not complete it
   */
  private complete(chunk: Uint8Array): number | undefined {
    if (this.unread === 0) return 0;
    let taken = 0;
    for (let more = FIRST_BYTES; taken < chunk.length; more *= 2) {
      const part = chunk.subarray(taken, taken + more);
      const end = this.unread + taken + part.length;
      this.begun = this.begun.grown(end);
      this.begun.bytes.set(part, this.unread + taken);
      const position = this.decode(this.begun, 0, end);
      if (position > 0) {
        const start = position - this.unread;
        this.unread = 0;
        return start;
      }
      taken += part.length;
    }
    this.unread += taken;
    return undefined;
  }

  /** Decodes all complete tuples. Returns the position of the first byte after them. */
  private decode(memory: Memory, start: number, end: number): number {
    let position = start;
    if (this.state === 'header') {
      const header = headerLength(memory, end);
      if (header === undefined) return start;
      this.state = 'tuples';
      position = header;
    }
    while (this.state === 'tuples') {
      const scan = scanTuples(memory.view, position, end, this.columns.length, this.fields);
      this.append(memory, scan.rows);
      position = scan.position;
      if (scan.ended) this.state = 'ended';
      else if (scan.rows < FIELD_ROWS) return position;
    }
    if (position < end) throw new Error('Malformed binary COPY: bytes after its end');
    return position;
  }

  private append(memory: Memory, rows: number): void {
    this.columns.forEach(({ builder }, i) =>
      builder.append(new FieldRun(memory, this.fields, i * FIELD_ROWS, rows, this.expected)),
    );
    this.rowCount += rows;
  }

  /**
   * Returns the finished columns in the order of the plan. The decoder cannot be used afterwards.
   * @throws Error if the end of the COPY has not arrived
   */
  finish(): Column[] {
    if (this.state !== 'ended') throw new Error('Truncated binary COPY: its end is missing');
    return this.columns.map(({ name, builder }) => ({ name, data: builder.finish() }));
  }
}
