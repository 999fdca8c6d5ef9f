/** Placeholders that Arrow's writer encodes in place of the columns' bytes. */
import { Data, DataType } from 'apache-arrow';
import { copyBits } from './bits';
import { bitValues, fixedValues, isText } from './column-values';
import { moveOffsets, requireFits, Validity } from './growing';

/** Memory of all placeholders. Nothing reads or writes it, so the system allocates none. */
let spare = new ArrayBuffer(0);

function spareOf(bytes: number): ArrayBuffer {
  if (spare.byteLength < bytes) spare = new ArrayBuffer(2 * bytes);
  return spare;
}

/**
 * Encodes columns of several blocks. Arrow's writer takes the values of a column as one array; it gets a
 * placeholder of the same length, whose bytes in the output are replaced by the blocks.
 *
 * What it saves: joining the blocks of a cached version, a tenth of a second per million rows and twice their
 * memory for each answer (docs/decisions/0014-memory-and-the-row-cache.md). It relies on the order in which the
 * writer writes its arrays; join.spec.ts compares every byte and fails if a version of Arrow changes that.
 */
export class Placeholders {
  /** The values that replace the placeholders, in the order of the writer, which is that of the columns. */
  private readonly values: (readonly Uint8Array[])[] = [];
  private readonly buffers = new Set<ArrayBufferLike>();

  /** Returns adjacent rows of one column as one. @throws Error if their types differ */
  dataOf(blocks: readonly Data[]): Data {
    const last = blocks.at(-1);
    if (!last) throw new Error('A column without a type');
    if (blocks.length === 1) return last;
    const { type } = last;
    const other = blocks.find((block) => block.type.typeId !== type.typeId);
    if (other) throw new Error(`Blocks of ${String(other.type)} and ${String(type)}`);
    const rows = rowsIn(blocks);
    const { nullCount, nullBitmap } = nullsOf(blocks).finish(rows);
    const buffers = { ...this.valuesIn(blocks, rows), 2: nullBitmap ?? undefined };
    return new Data(type, 0, rows, nullCount, buffers, [], last.dictionary);
  }

  /**
   * Returns the values that replace an array of the writer's output; the array itself if it is not a placeholder.
   * Call it in the order of the output.
   */
  partsOf(written: Uint8Array): Uint8Array | readonly Uint8Array[] {
    return this.buffers.has(written.buffer) ? (this.values.shift() ?? []) : written;
  }

  private valuesIn(blocks: readonly Data[], rows: number): { 0?: Int32Array; 1: ArrayBufferView } {
    const [first] = blocks;
    if (isText(first)) return this.textsIn(blocks, rows);
    if (first && DataType.isBool(first.type)) return { 1: bitsOf(blocks, rows) };
    const arrays = blocks.map((block) => fixedValues(block).subarray(0, block.length));
    const own = this.placeholder(arrays);
    return {
      1:
        arrays[0] instanceof Int32Array
          ? new Int32Array(own, 0, rows)
          : new Float64Array(own, 0, rows),
    };
  }

  private textsIn(blocks: readonly Data[], rows: number): { 0: Int32Array; 1: ArrayBufferView } {
    const offsets = new Int32Array(rows + 1);
    const bytes: Uint8Array[] = [];
    let row = 0;
    for (const block of blocks) {
      if (!isText(block)) continue;
      const own = block.valueOffsets.subarray(0, block.length + 1);
      const values = block.values.subarray(own[0], own.at(-1));
      const at = offsets[row] ?? 0;
      requireFits(at + values.length);
      moveOffsets(own, at, offsets.subarray(row));
      bytes.push(values);
      row += block.length;
    }
    return { 0: offsets, 1: new Uint8Array(this.placeholder(bytes), 0, offsets[rows] ?? 0) };
  }

  private placeholder(values: readonly ArrayBufferView[]): ArrayBuffer {
    const parts = values.map(
      ({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength),
    );
    const length = parts.reduce((sum, { byteLength }) => sum + byteLength, 0);
    // The writer skips buffers without bytes.
    if (length > 0) this.values.push(parts);
    const buffer = spareOf(length);
    this.buffers.add(buffer);
    return buffer;
  }
}

/** Number of rows in the blocks of a column. */
export const rowsIn = (blocks: readonly Data[]): number =>
  blocks.reduce((sum, { length }) => sum + length, 0);

function nullsOf(blocks: readonly Data[]): Validity {
  const nulls = new Validity();
  let row = 0;
  for (const block of blocks) {
    nulls.copy(block, 0, block.length, row);
    row += block.length;
  }
  return nulls;
}

function bitsOf(blocks: readonly Data[], rows: number): Uint8Array {
  const bits = new Uint8Array((rows + 7) >> 3);
  let row = 0;
  for (const block of blocks) {
    copyBits(bitValues(block), 0, bits, row, block.length);
    row += block.length;
  }
  return bits;
}
