/** Typed arrays that grow. */
import { Utf8, makeData, type Data } from 'apache-arrow';
import { copyBits, countBits } from './bits';

const FIRST_LENGTH = 1024;

/** The part of a typed array that copying needs. */
interface Copied<Self> {
  readonly length: number;
  set(from: Self): void;
  subarray(start: number, end: number): Self;
  slice(start: number, end: number): Self;
}

/**
 * Returns a typed array of at least `length` numbers that begins with the numbers of `array`: `array` itself,
 * or a copy at least twice as long. If the final length is unknown, the first length is random: with equal
 * first lengths, all columns would be copied at the same row and block the event loop together.
 *
 * @param expected final length; 0 if unknown
 */
export function grown<Numbers extends Copied<Numbers>>(
  array: Numbers,
  length: number,
  make: (length: number) => Numbers,
  expected = 0,
): Numbers {
  if (length <= array.length) return array;
  const first = expected || Math.ceil(FIRST_LENGTH * (1 + Math.random()));
  const longer = make(Math.max(length, 2 * array.length, first));
  longer.set(array);
  return longer;
}

/**
 * The used part of an array. It is a copy if less than half is used, so that the unused rest can be freed.
 */
export const used = <Numbers extends Copied<Numbers>>(array: Numbers, length: number): Numbers =>
  2 * length < array.length ? array.slice(0, length) : array.subarray(0, length);

/** Makers of typed arrays. */
export const bytesOf = (length: number): Uint8Array => new Uint8Array(length);
export const integersOf = (length: number): Int32Array => new Int32Array(length);
export const doublesOf = (length: number): Float64Array => new Float64Array(length);
export const longsOf = (length: number): BigInt64Array => new BigInt64Array(length);

/** Bytes with a view that reads numbers from them. */
export class Memory {
  readonly view: DataView;

  constructor(readonly bytes: Uint8Array) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Memory of at least `length` bytes that begins with these bytes. */
  grown(length: number): Memory {
    return length <= this.bytes.length ? this : new Memory(grown(this.bytes, length, bytesOf));
  }
}

/** Which rows hold a value. The bitmap is made at the first null. */
export class Validity {
  private bitmap: Uint8Array | null = null;
  nullCount = 0;

  /** Bytes of memory for the bitmap. */
  get bytes(): number {
    return this.bitmap?.byteLength ?? 0;
  }

  setNull(row: number): void {
    const bitmap = this.bitmapUpTo(row);
    bitmap[row >> 3] = (bitmap[row >> 3] ?? 0xff) & ~(1 << (row & 7));
    this.nullCount += 1;
  }

  /** Sets the rows from `first` (included) to `end` (excluded) to null. None of them may be null before. */
  setNulls(first: number, end: number): void {
    const bitmap = this.bitmapUpTo(end - 1);
    const from = Math.min(end, (first + 7) & ~7);
    const to = Math.max(from, end & ~7);
    for (let row = first; row < from; row++) this.setNull(row);
    bitmap.fill(0, from >> 3, to >> 3);
    this.nullCount += to - from;
    for (let row = to; row < end; row++) this.setNull(row);
  }

  /** Copies the nulls of `data` from row `from` (included) to `to` (excluded) to the rows from `at` on. */
  copy({ nullCount, nullBitmap, offset }: Data, from: number, to: number, at: number): void {
    if (nullCount === 0) return;
    const rows = to - from;
    const nulls = rows - countBits(nullBitmap, offset + from, rows);
    if (nulls === 0) return;
    copyBits(nullBitmap, offset + from, this.bitmapUpTo(at + rows - 1), at, rows);
    this.nullCount += nulls;
  }

  private bitmapUpTo(row: number): Uint8Array {
    const needed = (row >> 3) + 1;
    if (this.bitmap && this.bitmap.length >= needed) return this.bitmap;
    const longer = new Uint8Array(2 * Math.max(needed, FIRST_LENGTH / 8)).fill(0xff);
    if (this.bitmap) longer.set(this.bitmap);
    return (this.bitmap = longer);
  }

  /** The null properties of Arrow data of `rows` rows. There is no bitmap if every row holds a value. */
  finish(rows: number): { length: number; nullCount: number; nullBitmap: Uint8Array | null } {
    return { length: rows, nullCount: this.nullCount, nullBitmap: this.bitmapOf(rows) };
  }

  private bitmapOf(rows: number): Uint8Array | null {
    if (this.bitmap === null) return null;
    const bitmap = new Uint8Array((rows + 7) >> 3).fill(0xff);
    bitmap.set(this.bitmap.subarray(0, bitmap.length));
    if (rows & 7) bitmap[bitmap.length - 1] = (bitmap.at(-1) ?? 0xff) & ((1 << (rows & 7)) - 1);
    return bitmap;
  }
}

/** From this length on, a native copy is faster than a loop over the bytes. */
const LONG_TEXT = 48;
/** Arrow's offsets are signed 32-bit numbers. */
const MOST_BYTES = 0x7fffffff;

/** @throws Error beyond the 2 GB that an Arrow text column can hold */
export function requireFits(bytes: number): void {
  if (bytes > MOST_BYTES) throw new Error('More than 2 GB of text in one column');
}

/** Writes the offsets of texts, shifted so that the first byte is at `at`. */
export function moveOffsets(offsets: Int32Array, at: number, to: Int32Array): void {
  const by = at - (offsets[0] ?? 0);
  for (let i = 0; i < offsets.length; i++) to[i] = (offsets[i] ?? 0) + by;
}

/** UTF-8 texts one after the other, with their offsets. */
export class GrowingTexts {
  private memory = new Memory(new Uint8Array(FIRST_LENGTH));
  private offsets = integersOf(FIRST_LENGTH);
  length = 0;

  /** Bytes of memory for the texts and their offsets. */
  get bytes(): number {
    return this.memory.bytes.byteLength + this.offsets.byteLength;
  }

  /** @throws Error beyond the 2 GB that an Arrow text column can hold */
  push({ bytes }: Memory, start: number, length: number): void {
    const at = this.offsets[this.length] ?? 0;
    const end = at + length;
    requireFits(end);
    this.memory = this.memory.grown(end);
    const own = this.memory.bytes;
    if (length >= LONG_TEXT) own.set(bytes.subarray(start, start + length), at);
    else for (let i = 0; i < length; i++) own[at + i] = bytes[start + i] ?? 0;
    this.length += 1;
    this.offsets = grown(this.offsets, this.length + 1, integersOf);
    this.offsets[this.length] = end;
  }

  /** Whether the text at `index` equals the `length` bytes at `start` of `view`. */
  equals(index: number, view: DataView, start: number, length: number): boolean {
    const at = this.offsets[index] ?? 0;
    if ((this.offsets[index + 1] ?? 0) - at !== length) return false;
    const own = this.memory.view;
    if (length < 4) {
      for (let i = 0; i < length; i++) {
        if (own.getUint8(at + i) !== view.getUint8(start + i)) return false;
      }
      return true;
    }
    const last = length - 4;
    for (let i = 0; i < last; i += 4) {
      if (own.getInt32(at + i) !== view.getInt32(start + i)) return false;
    }
    return own.getInt32(at + last) === view.getInt32(start + last);
  }

  finish(validity: Validity): Data<Utf8> {
    return makeData({
      ...validity.finish(this.length),
      type: new Utf8(),
      valueOffsets: this.offsets.subarray(0, this.length + 1),
      data: this.memory.bytes.subarray(0, this.offsets[this.length]),
    });
  }
}
