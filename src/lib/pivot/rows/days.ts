/** The days of date columns, and the periods that contain them. */
import { DAY_MS } from '../../contract/primitives';
import { Type, type Column } from '@uwdata/flechette';
import { type ArrowColumns, columnFrom, isThere, visitEntries } from './arrow-columns';
import type { CellValue } from '../values/engine-types';
import { startOf, type TimeUnit } from '../values/time-unit';

/** Maximum span of days for a lookup table; days in a wider span are converted one by one. */
const WIDE = 1_000_000;

/** A column of dates, as received: one day per row, counted from 1970-01-01. */
interface ColumnDays {
  column: Column<unknown>;
  values: Int32Array;
  /** One bit per row, set if the row has a day; empty if all rows have one. */
  validity: Uint8Array;
}

/** Returns the days of a column; null for a column of another type. */
export function daysIn(column: Column<unknown> | undefined): ColumnDays | null {
  const batch = column?.data[0];
  if (column?.type.typeId !== Type.Date || !(batch?.values instanceof Int32Array)) return null;
  const values = batch.values.subarray(0, column.length);
  return { column, values, validity: batch.nullCount > 0 ? batch.validity : new Uint8Array(0) };
}

/** Returns the smallest and the largest day; placeholders of empty values may be included. */
function spanOf(days: Int32Array): { first: number; last: number } {
  let first = Infinity;
  let last = -Infinity;
  // An iterator would take several times as long, and this runs before the engine gets the rows.
  for (let y = 0; y < days.length; y++) {
    const day = days[y] ?? 0;
    if (day < first) first = day;
    if (day > last) last = day;
  }
  return { first, last };
}

const startingAt = (day: number, unit: TimeUnit): number => startOf(day * DAY_MS, unit) / DAY_MS;

/**
 * Returns a column of the first days of the months, quarters or years of a date column; null for a column of
 * another type.
 */
export function startsOf(
  column: Column<unknown> | undefined,
  unit: TimeUnit,
): Column<unknown> | null {
  const days = daysIn(column);
  if (!days) return null;
  const { values, validity } = days;
  const { length, nullCount, type } = days.column;
  const starts = byDay(values, (day) => startingAt(day, unit));
  return columnFrom(type, starts, validity, length, nullCount);
}

/** Applies a function to days, once for each day of their span, unless that is wide. */
export function byDay(days: Int32Array, how: (day: number) => number): Int32Array {
  const { length } = days;
  const { first, last } = spanOf(days);
  if (last - first > WIDE) return days.map(how);
  const known = Int32Array.from({ length: length === 0 ? 0 : last - first + 1 }, (_, at) =>
    how(first + at),
  );
  const results = new Int32Array(length);
  for (let y = 0; y < length; y++) results[y] = known[(days[y] ?? 0) - first] ?? 0;
  return results;
}

/** The different days of an entry's rows in one part. */
interface Distinct {
  days: Int32Array;
  hasEmpty: boolean;
}

/** Number of adjacent rows from which a table of all days in their span is worth its cost. */
const MANY = 64;

/** Collects the different days of rows, which may lie in many runs. */
class Collected {
  private readonly days = new Set<number>();
  private hasEmpty = false;

  /** Adds the rows from one index up to another; if `days` is null, they are all empty. */
  add(days: ColumnDays | null, from: number, to: number): void {
    if (!days) {
      this.hasEmpty = true;
      return;
    }
    const { values, validity } = days;
    const part = values.subarray(from, to);
    const { first, last } = to - from < MANY ? { first: 0, last: Infinity } : spanOf(part);
    if (validity.length > 0 || last - first > WIDE) {
      for (let y = from; y < to; y++) {
        if (isThere(validity, y)) this.days.add(values[y] ?? 0);
        else this.hasEmpty = true;
      }
      return;
    }
    const isSeen = new Uint8Array(last - first + 1);
    for (let y = 0; y < part.length; y++) isSeen[(part[y] ?? 0) - first] = 1;
    for (let at = 0; at < isSeen.length; at++) if (isSeen[at]) this.days.add(first + at);
  }

  get all(): Distinct {
    return { days: Int32Array.from(this.days), hasEmpty: this.hasEmpty };
  }
}

/**
 * The days of one column with the number of their occurrences; an entry may have thousands of days, and there
 * may be many entries.
 */
class DaysOfColumn {
  private readonly byEntry = new Map<number, Distinct[]>();
  private readonly counts = new Map<number, number>();
  private empty = 0;
  private sorted: readonly CellValue[] | null = null;

  add(logid: number, distinct: Distinct): void {
    this.byEntry.set(logid, [...(this.byEntry.get(logid) ?? []), distinct]);
    this.count(distinct, 1);
  }

  remove(logid: number): void {
    for (const distinct of this.byEntry.get(logid) ?? []) this.count(distinct, -1);
    this.byEntry.delete(logid);
  }

  /** The days in epoch milliseconds, null for the empty value. */
  get all(): readonly CellValue[] {
    if (!this.sorted) {
      const days = [...this.counts.keys()].sort((a, b) => a - b).map((day) => day * DAY_MS);
      this.sorted = this.empty > 0 ? [null, ...days] : days;
    }
    return this.sorted;
  }

  private count({ days, hasEmpty }: Distinct, by: 1 | -1): void {
    for (const day of days) {
      const count = (this.counts.get(day) ?? 0) + by;
      if (count > 0) this.counts.set(day, count);
      else this.counts.delete(day);
    }
    if (hasEmpty) this.empty += by;
    this.sorted = null;
  }
}

/**
 * The different days of the date columns in a table's rows, read from the rows as they arrive: the engine
 * would need half a second for such a view of half a million rows. They are stored by log entry, since the
 * rows of an entry are removed together.
 */
export class KnownDays {
  private readonly byColumn: ReadonlyMap<string, DaysOfColumn>;
  /** Columns whose days are unknown: they have another type, or rows without a log entry. */
  private readonly unknown = new Set<string>();

  /** @param names the date columns to track */
  constructor(names: readonly string[]) {
    this.byColumn = new Map(names.map((name) => [name, new DaysOfColumn()]));
  }

  /**
   * Returns the days of a column in epoch milliseconds, null for the empty value; null if they are unknown.
   */
  of(name: string): readonly CellValue[] | null {
    return this.unknown.has(name) ? null : (this.byColumn.get(name)?.all ?? null);
  }

  /** Counts the calendar months in which a column has days. */
  months(name: string): number {
    const days = (this.of(name) ?? []).filter((day) => typeof day === 'number');
    return new Set(days.map((day) => startOf(day, 'month'))).size;
  }

  /** Adds the days of new rows to the log entries in their column `pf_logid`. */
  add(columns: ArrowColumns): void {
    for (const [name, ofColumn] of this.byColumn) {
      const column = columns.get(name);
      // A column that the rows lack is empty in all of them.
      const days = daysIn(column);
      // The rows of an entry may alternate with those of others.
      const byEntry = new Map<number, Collected>();
      const isTold = visitEntries(columns, (logid, from, to) => {
        const collected = byEntry.get(logid) ?? new Collected();
        collected.add(days, from, to);
        byEntry.set(logid, collected);
      });
      if (!isTold || (column && !days)) this.unknown.add(name);
      else for (const [logid, collected] of byEntry) ofColumn.add(logid, collected.all);
    }
  }

  /** Removes the days of an entry's rows. */
  remove(logid: number): void {
    for (const ofColumn of this.byColumn.values()) ofColumn.remove(logid);
  }
}
