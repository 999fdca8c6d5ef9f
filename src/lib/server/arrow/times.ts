/** Builders of columns of dates and timestamps. */
import { DAY_MS } from '../../contract/primitives';
import { DateDay, TimestampMillisecond, makeData, type Data } from 'apache-arrow';
import { AppError } from '../errors';
import { wrongLength, type ColumnBuilder, type FieldRun } from './builder';
import { grown, integersOf, longsOf, used, Validity } from './growing';
import { NULL_FIELD } from './wire';

const endless = (name: string) =>
  new AppError(422, `Column "${name}" holds a date of infinity, which a pivot cannot show`, {
    column: name,
  });

/** Days from 1970-01-01 to 2000-01-01, the origin of PostgreSQL's dates. */
const DAYS_TO_2000 = 10_957;
const MILLISECONDS_TO_2000 = DAYS_TO_2000 * DAY_MS;
const LATEST = 0x7fffffff;
const EARLIEST = -0x80000000;

/** Builds days, counted from 1970-01-01. */
export class DateBuilder implements ColumnBuilder {
  private days = integersOf(0);
  private rows = 0;
  private readonly validity = new Validity();

  constructor(private readonly name: string) {}

  get bytes(): number {
    return this.days.byteLength + this.validity.bytes;
  }

  append(run: FieldRun): void {
    const { rows, expected } = run;
    const { view } = run.memory;
    const days = (this.days = grown(this.days, this.rows + rows, integersOf, expected));
    let row = this.rows;
    for (let i = 0; i < rows; i++, row++) {
      const length = run.length(i);
      if (length === NULL_FIELD) {
        this.validity.setNull(row);
      } else {
        if (length !== 4) throw wrongLength('date', length);
        const day = view.getInt32(run.start(i));
        if (day === LATEST || day === EARLIEST) throw endless(this.name);
        days[row] = day + DAYS_TO_2000;
      }
    }
    this.rows = row;
  }

  finish(): Data {
    return makeData({
      type: new DateDay(),
      ...this.validity.finish(this.rows),
      data: used(this.days, this.rows),
    });
  }
}

/**
 * Builds timestamps. The microseconds of the COPY become milliseconds, rounded down, as the pivot
 * reads.
 */
export class TimestampBuilder implements ColumnBuilder {
  private milliseconds = longsOf(0);
  private rows = 0;
  private readonly validity = new Validity();

  constructor(private readonly name: string) {}

  get bytes(): number {
    return this.milliseconds.byteLength + this.validity.bytes;
  }

  append(run: FieldRun): void {
    const { rows, expected } = run;
    const { view } = run.memory;
    this.milliseconds = grown(this.milliseconds, this.rows + rows, longsOf, expected);
    // Each value is written as two 32-bit halves: a BigInt would allocate an object per row.
    const halves = new Int32Array(this.milliseconds.buffer);
    let row = this.rows;
    for (let i = 0; i < rows; i++, row++) {
      const length = run.length(i);
      if (length === NULL_FIELD) {
        this.validity.setNull(row);
      } else {
        if (length !== 8) throw wrongLength('timestamp', length);
        const high = view.getInt32(run.start(i));
        const low = view.getUint32(run.start(i) + 4);
        if ((high === LATEST && low === 0xffffffff) || (high === EARLIEST && low === 0)) {
          throw endless(this.name);
        }
        const value = millisecondsOf(high, low) + MILLISECONDS_TO_2000;
        halves[2 * row] = value;
        halves[2 * row + 1] = Math.floor(value / 2 ** 32);
      }
    }
    this.rows = row;
  }

  finish(): Data {
    return makeData({
      type: new TimestampMillisecond(),
      ...this.validity.finish(this.rows),
      data: used(this.milliseconds, this.rows),
    });
  }
}

/**
 * floor((high × 2^32 + low) / 1000). Since 2^32 is 4,294,967 × 1000 + 296, no product exceeds 2^53.
 * Exact up to the year 287,000.
 */
const millisecondsOf = (high: number, low: number): number =>
  high * 4_294_967 + Math.floor((high * 296 + low) / 1000);
