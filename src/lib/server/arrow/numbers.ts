/** Builders of columns of numbers. */
import { Bool, Float64, Int32, makeData, type Data } from 'apache-arrow';
import { AppError } from '../errors';
import { wrongLength, type ColumnBuilder, type FieldRun } from './builder';
import { bytesOf, doublesOf, grown, integersOf, used, Validity } from './growing';
import { isBeyondSafe, numericToDouble } from './numeric';
import { NULL_FIELD } from './wire';

/** Reads one field as a number. All rows of a column use the same reader. */
export type ReadNumber = (view: DataView, start: number, length: number) => number;

/** The readers by type. @throws Error if the length of a field does not fit its type */
export const int2: ReadNumber = (view, start, length) => {
  if (length !== 2) throw wrongLength('smallint', length);
  return view.getInt16(start);
};
export const int4: ReadNumber = (view, start, length) => {
  if (length !== 4) throw wrongLength('integer', length);
  return view.getInt32(start);
};
/** Rounds to the nearest double. */
export const int8: ReadNumber = (view, start, length) => {
  if (length !== 8) throw wrongLength('bigint', length);
  return view.getInt32(start) * 2 ** 32 + view.getUint32(start + 4);
};
export const float4: ReadNumber = (view, start, length) => {
  if (length !== 4) throw wrongLength('real', length);
  return view.getFloat32(start);
};
export const float8: ReadNumber = (view, start, length) => {
  if (length !== 8) throw wrongLength('double precision', length);
  return view.getFloat64(start);
};

/**
 * Makes the reader of a numeric dimension. A rounded number would be a different value of the dimension, so
 * it is refused. @throws AppError 422 beyond ±2^53
 */
export const numericDimension =
  (name: string): ReadNumber =>
  (view, start, length) => {
    const value = numericToDouble(view, start, length);
    if (Math.abs(value) >= 2 ** 53 && isBeyondSafe(view, start, length)) throw beyondSafe(name);
    return value;
  };

const beyondSafe = (name: string) =>
  new AppError(
    422,
    `Column "${name}" holds a number beyond ±9007199254740992, which a pivot cannot show exactly`,
    { column: name },
  );

const notFinite = (name: string) =>
  new AppError(422, `Column "${name}" holds NaN or infinity, which a pivot cannot show`, {
    column: name,
  });

/** Builds Float64 from any numeric type that has a reader. */
export class Float64Builder implements ColumnBuilder {
  private values = doublesOf(0);
  private rows = 0;
  private readonly validity = new Validity();

  constructor(
    private readonly name: string,
    private readonly read: ReadNumber,
    /** Whether NaN and infinity are refused. */
    private readonly finite = true,
  ) {}

  get bytes(): number {
    return this.values.byteLength + this.validity.bytes;
  }

  append(run: FieldRun): void {
    const { rows, expected } = run;
    const { view } = run.memory;
    const values = (this.values = grown(this.values, this.rows + rows, doublesOf, expected));
    const { read, finite } = this;
    let row = this.rows;
    for (let i = 0; i < rows; i++, row++) {
      const length = run.length(i);
      if (length === NULL_FIELD) {
        this.validity.setNull(row);
      } else {
        const value = read(view, run.start(i), length);
        if (finite && !Number.isFinite(value)) throw notFinite(this.name);
        values[row] = value;
      }
    }
    this.rows = row;
  }

  finish(): Data {
    return makeData({
      type: new Float64(),
      ...this.validity.finish(this.rows),
      data: used(this.values, this.rows),
    });
  }
}

/** Builds Int32 until the first value that does not fit. Then the whole column becomes Float64. */
export class IntegerBuilder implements ColumnBuilder {
  private narrow = integersOf(0);
  private wide: Float64Array | undefined;
  private rows = 0;
  private readonly validity = new Validity();

  constructor(
    private readonly name: string,
    private readonly width: 2 | 4 | 8,
  ) {}

  get bytes(): number {
    return (this.wide ?? this.narrow).byteLength + this.validity.bytes;
  }

  append(run: FieldRun): void {
    const done = this.wide ? 0 : this.appendNarrow(run);
    if (done < run.rows) this.appendWide(run, done);
  }

  /** Appends rows until a value does not fit. Returns the number of appended rows. */
  private appendNarrow(run: FieldRun): number {
    const { rows, expected } = run;
    const { view } = run.memory;
    const values = (this.narrow = grown(this.narrow, this.rows + rows, integersOf, expected));
    const width = this.width;
    let row = this.rows;
    let i = 0;
    for (; i < rows; i++, row++) {
      const length = run.length(i);
      if (length === NULL_FIELD) {
        this.validity.setNull(row);
        continue;
      }
      const start = run.start(i);
      if (length !== width) throw wrongLength(`${width}-byte integer`, length);
      if (width === 8) {
        const low = view.getInt32(start + 4);
        if (view.getInt32(start) !== low >> 31) break;
        values[row] = low;
      } else {
        values[row] = width === 4 ? view.getInt32(start) : view.getInt16(start);
      }
    }
    this.rows = row;
    return i;
  }

  private appendWide(run: FieldRun, done: number): void {
    const { rows } = run;
    const { view } = run.memory;
    if (!this.wide) {
      this.wide = Float64Array.from(this.narrow);
      this.narrow = integersOf(0);
    }
    const values = (this.wide = grown(this.wide, this.rows + rows - done, doublesOf));
    let row = this.rows;
    for (let i = done; i < rows; i++, row++) {
      const length = run.length(i);
      if (length === NULL_FIELD) {
        this.validity.setNull(row);
        continue;
      }
      const start = run.start(i);
      const value = int8(view, start, length);
      // 2^53 + 1 rounds to the double 2^53. The lowest bit distinguishes them.
      const odd = (view.getUint8(start + 7) & 1) === 1;
      if (Math.abs(value) > 2 ** 53 || (Math.abs(value) === 2 ** 53 && odd)) {
        throw beyondSafe(this.name);
      }
      values[row] = value;
    }
    this.rows = row;
  }

  finish(): Data {
    const shape = this.validity.finish(this.rows);
    return this.wide
      ? makeData({ ...shape, type: new Float64(), data: used(this.wide, this.rows) })
      : makeData({ ...shape, type: new Int32(), data: used(this.narrow, this.rows) });
  }
}

/** Builds booleans, one bit per row. */
export class BoolBuilder implements ColumnBuilder {
  private bits = bytesOf(0);
  private rows = 0;
  private readonly validity = new Validity();

  get bytes(): number {
    return this.bits.byteLength + this.validity.bytes;
  }

  append(run: FieldRun): void {
    const { rows, expected } = run;
    const { bytes } = run.memory;
    const bits = (this.bits = grown(
      this.bits,
      (this.rows + rows + 7) >> 3,
      bytesOf,
      (expected + 7) >> 3,
    ));
    let row = this.rows;
    for (let i = 0; i < rows; i++, row++) {
      const length = run.length(i);
      if (length === NULL_FIELD) {
        this.validity.setNull(row);
      } else {
        if (length !== 1) throw wrongLength('boolean', length);
        if (bytes[run.start(i)] !== 0) {
          bits[row >> 3] = (bits[row >> 3] ?? 0) | (1 << (row & 7));
        }
      }
    }
    this.rows = row;
  }

  finish(): Data {
    return makeData({
      type: new Bool(),
      ...this.validity.finish(this.rows),
      data: used(this.bits, (this.rows + 7) >> 3),
    });
  }
}
