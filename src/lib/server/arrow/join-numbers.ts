/** Joins the parts of a column of numbers. */
import type { DataType } from 'apache-arrow';
import { Data, Float64, Int32 } from 'apache-arrow';
import { copyBits } from './bits';
import { rowsOf } from './blocks';
import { bitValues, fixedValues, type Numbers } from './column-values';
import { doublesOf, integersOf, longsOf } from './growing';
import { mismatch, Written, type BlockWriter, type Joiner, type Part } from './joiner';

/** Joins numbers of 32 or 64 bits. Days, timestamps and integers are stored as such numbers. */
class NumberJoiner implements Joiner {
  readonly typeId: number;

  constructor(
    private readonly type: DataType,
    private readonly make: (rows: number) => Numbers,
  ) {
    this.typeId = type.typeId;
  }

  block(parts: readonly Part[], inPlace: boolean): BlockWriter {
    const [only] = parts;
    if (!only || !inPlace || only.data.type.typeId !== this.typeId) {
      return new NumberWriter(this.type, this.make(rowsOf(parts)));
    }
    const values = fixedValues(only.data);
    return new NumbersInPlace(this.type, values.subarray(only.start, only.end));
  }
}

/**
 * Joins integers of which some exceed Int32. The rows that exceed it may have been left out, so the result
 * can be Int32 again.
 */
export const integerJoiner = (parts: readonly Part[]): Joiner =>
  parts.every(isNarrow)
    ? new NumberJoiner(new Int32(), integersOf)
    : new NumberJoiner(new Float64(), doublesOf);

function isNarrow({ data, start, end }: Part): boolean {
  const values = fixedValues(data);
  if (!(values instanceof Float64Array)) return true;
  return values.subarray(start, end).every((value) => value === (value | 0));
}

/** Makes the joiner for numeric data. @throws Error if the data is not numeric */
export function numberJoiner(data: Data): Joiner {
  const values = fixedValues(data);
  if (values instanceof Int32Array) return new NumberJoiner(data.type, integersOf);
  if (values instanceof Float64Array) return new NumberJoiner(data.type, doublesOf);
  return new NumberJoiner(data.type, longsOf);
}

/** Numbers that stay in their memory. */
class NumbersInPlace implements BlockWriter {
  protected readonly written = new Written();

  constructor(
    protected readonly type: DataType,
    protected readonly own: Numbers,
  ) {}

  append(part: Part, from: number, to: number): void {
    this.written.append(part, from, to);
  }

  finish(): Data {
    return dataOf(this.type, this.written, this.own);
  }
}

/** Numbers that are copied. */
class NumberWriter extends NumbersInPlace {
  override append(part: Part, from: number, to: number): void {
    const { own, type } = this;
    const { rows } = this.written;
    const values = fixedValues(part.data);
    if (own instanceof BigInt64Array && values instanceof BigInt64Array) {
      own.set(values.subarray(from, to), rows);
    } else if (!(own instanceof BigInt64Array) && !(values instanceof BigInt64Array)) {
      own.set(values.subarray(from, to), rows);
    } else {
      throw mismatch(part.data, type);
    }
    super.append(part, from, to);
  }
}

/** Joins booleans, one bit per row. */
export class BitJoiner implements Joiner {
  readonly typeId: number;

  constructor(private readonly type: DataType) {
    this.typeId = type.typeId;
  }

  block(parts: readonly Part[]): BlockWriter {
    const { type } = this;
    const written = new Written();
    const own = new Uint8Array((rowsOf(parts) + 7) >> 3);
    return {
      append(part, from, to) {
        copyBits(bitValues(part.data), from, own, written.rows, to - from);
        written.append(part, from, to);
      },
      finish: () => dataOf(type, written, own),
    };
  }
}

function dataOf(type: DataType, written: Written, values: ArrayBufferView): Data {
  const { length, nullCount, nullBitmap } = written.finish();
  return new Data(type, 0, length, nullCount, { 1: values, 2: nullBitmap ?? undefined });
}
