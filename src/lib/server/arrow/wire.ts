/** The binary COPY format of PostgreSQL. */
import type { Memory } from './growing';

/**
 * PostgreSQL's binary COPY format: a header, then tuples of a field count and length-prefixed
 * fields, then a field count of -1. Every number is big-endian.
 */

const SIGNATURE = [0x50, 0x47, 0x43, 0x4f, 0x50, 0x59, 0x0a, 0xff, 0x0d, 0x0a, 0x00];
const FLAGS = SIGNATURE.length;
const EXTENSION_LENGTH = FLAGS + 4;
const FIXED_HEADER = EXTENSION_LENGTH + 4;
/** Flags from bit 16 up change the format. A reader must refuse those that it does not know. */
const CRITICAL_FLAGS = 0xffff0000;
const TRAILER = -1;
/** The field length that means null. */
export const NULL_FIELD = -1;

/**
 * Length in bytes of the header at the start of `memory`; undefined if the header is incomplete.
 * @throws Error if it is not a header of this format
 */
export function headerLength({ bytes, view }: Memory, end: number): number | undefined {
  for (let i = 0; i < Math.min(end, SIGNATURE.length); i++) {
    if (bytes[i] !== SIGNATURE[i]) throw new Error('Not a binary COPY: the signature is wrong');
  }
  if (end < FIXED_HEADER) return undefined;
  if (view.getUint32(FLAGS) & CRITICAL_FLAGS) {
    throw new Error('Binary COPY with a flag that this reader does not know');
  }
  const extension = view.getInt32(EXTENSION_LENGTH);
  if (extension < 0) throw new Error('Binary COPY with a header extension of negative length');
  return end < FIXED_HEADER + extension ? undefined : FIXED_HEADER + extension;
}

/**
 * Positions of the fields in a run of complete tuples, column by column. The index of a field is `column *
 * FIELD_ROWS + row`.
 */
export interface Fields {
  /** Position of a field's first byte. */
  readonly starts: Int32Array;
  /** Length of a field in bytes; NULL_FIELD for null. */
  readonly lengths: Int32Array;
}

/**
 * The largest number of tuples in one run. The positions of some twenty columns then fit into the processor's
 * cache.
 */
export const FIELD_ROWS = 512;

/** Room for the fields of one run of tuples. */
export const makeFields = (columns: number): Fields => ({
  starts: new Int32Array(columns * FIELD_ROWS),
  lengths: new Int32Array(columns * FIELD_ROWS),
});

/**
 * Result of a scan: the number of complete tuples, the position of the next tuple, and whether the COPY has
 * ended.
 */
interface Scan {
  rows: number;
  position: number;
  ended: boolean;
}

/**
 * Records the fields of up to FIELD_ROWS complete tuples in `fields`. An incomplete tuple is left for the
 * next scan.
 * @throws Error if a tuple does not have `columns` fields, or a field has a negative length other than that
 * of null
 */
export function scanTuples(
  view: DataView,
  from: number,
  end: number,
  columns: number,
  fields: Fields,
): Scan {
  const { starts, lengths } = fields;
  let tuple = from;
  for (let row = 0; row < FIELD_ROWS; row++) {
    if (end - tuple < 2) return { rows: row, position: tuple, ended: false };
    const count = view.getInt16(tuple);
    let position = tuple + 2;
    if (count === TRAILER) return { rows: row, position, ended: true };
    if (count !== columns) {
      throw new Error(`Malformed binary COPY: ${count} fields in a row of ${columns} columns`);
    }
    for (let field = row; field < columns * FIELD_ROWS; field += FIELD_ROWS) {
      if (end - position < 4) return { rows: row, position: tuple, ended: false };
      const length = view.getInt32(position);
      position += 4;
      starts[field] = position;
      lengths[field] = length;
      if (length > 0) {
        if (end - position < length) return { rows: row, position: tuple, ended: false };
        position += length;
      } else if (length < NULL_FIELD) {
        throw new Error(`Malformed binary COPY: a field of length ${length}`);
      }
    }
    tuple = position;
  }
  return { rows: FIELD_ROWS, position: tuple, ended: false };
}
