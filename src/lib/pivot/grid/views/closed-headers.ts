/** The headers of a pivot that stand for closed days only. */
import type { DateRange } from '../../../contract/slices';
import type { LayoutFilter } from '../../../contract/stored-layout';
import type { CellIdentity } from '../../slice/cell';
import { filterValues, parseTerm } from '../../slice/filter-values';
import type { Underlying } from '../../slice/underlying';
import { parseDay, valueKey } from '../../values/cell-value';
import type { CellValue, Schema, ViewConfig } from '../../values/engine-types';
import type { DaySpan } from '../../values/to-date';

/** A date column with closed days. */
export interface ClosedDate {
  date: string;
  ranges: readonly Required<DateRange>[];
  /** The dimensions whose values follow from the date, such as a fiscal month. */
  periods: readonly string[];
}

type Arranged = Pick<ViewConfig, 'group_by' | 'split_by' | 'filter' | 'filter_op'>;

/** Tells which headers of an arrangement stand for closed days only. */
export class ClosedHeaders {
  private readonly dates: readonly DaysOfHeaders[];

  /** @param behind the days behind the values of the columns and expressions that follow from a date */
  constructor(
    closed: readonly ClosedDate[],
    behind: ReadonlyMap<string, Underlying>,
    private readonly arranged: Arranged,
    schema: Schema,
  ) {
    const { filter, filter_op } = arranged;
    const filters = filter_op === 'or' && filter.length > 1 ? [] : filter;
    this.dates = closed.map((date) => new DaysOfHeaders(date, behind, filters, schema));
  }

  /** Checks whether a header of a row or column stands for closed days only. A cell is no header. */
  names(cell: CellIdentity): boolean {
    const [columns, path] = this.headerOf(cell);
    return this.has(columns, path);
  }

  /** Returns the first and the last day with rows behind a header of a date, in epoch milliseconds; null for any other. */
  spanOf(cell: CellIdentity): DaySpan | null {
    const [columns, path] = this.headerOf(cell);
    for (const date of this.dates) {
      const days = date.behindPath(columns, path).filter((day) => typeof day === 'number');
      if (days.length > 0) return { first: Math.min(...days), last: Math.max(...days) };
    }
    return null;
  }

  /** The columns and the path of a header; an empty path for a cell. */
  private headerOf({ rowPath, columnPath, measure }: CellIdentity): [string[], CellValue[]] {
    if (measure !== null) return [[], []];
    const { group_by, split_by } = this.arranged;
    return columnPath?.length ? [split_by, [...columnPath]] : [group_by, [...rowPath]];
  }

  /**
   * Checks whether the last value of a path is one of a date, and all days with rows that have the path's values of
   * this date are closed. Other columns of the path do not count: a close is one for all rows.
   *
   * @param columns the columns of the path, from the outermost
   */
  has(columns: readonly string[], path: readonly CellValue[]): boolean {
    return this.dates.some((date) => date.areClosed(columns, path));
  }
}

type Day = CellValue;

/** The days of one date behind the values of columns, and whether they are closed. */
class DaysOfHeaders {
  private readonly date: string;
  private readonly spans: readonly DaySpan[];
  private readonly conditions: readonly ((day: Day) => boolean)[];
  private readonly known = new Map<string, ReadonlyMap<string, ReadonlySet<Day>>>();

  constructor(
    { date, ranges }: ClosedDate,
    private readonly behind: ReadonlyMap<string, Underlying>,
    filters: readonly LayoutFilter[],
    schema: Schema,
  ) {
    this.date = date;
    this.spans = ranges.map(({ from, to }) => ({ first: parseDay(from), last: parseDay(to) }));
    this.conditions = filters.flatMap((filter) => this.conditionOf(filter, schema) ?? []);
  }

  areClosed(columns: readonly string[], path: readonly CellValue[]): boolean {
    const days = this.behindPath(columns, path);
    return days.length > 0 && days.every((day) => this.isClosed(day));
  }

  /** Returns the days behind a path that ends with a value of the date; none for any other path. */
  behindPath(columns: readonly string[], path: readonly CellValue[]): Day[] {
    const levels = path.map((value, i) => ({ name: columns[i] ?? '', value }));
    const own = levels.at(-1);
    if (!own || !this.follows(own.name)) return [];
    const others = levels.slice(0, -1).filter(({ name }) => this.follows(name));
    return this.daysOf(own.name, own.value).filter(
      (day) =>
        others.every(({ name, value }) => this.hasDay(name, value, day)) &&
        this.conditions.every((admits) => admits(day)),
    );
  }

  private isClosed(day: Day): boolean {
    return (
      typeof day === 'number' && this.spans.some(({ first, last }) => day >= first && day <= last)
    );
  }

  /** Whether the values of a column or an expression follow from the date. */
  private follows(name: string): boolean {
    return name === this.date || this.behind.get(name)?.columns.includes(this.date) === true;
  }

  private daysOf(name: string, value: CellValue): readonly Day[] {
    return name === this.date ? [value] : [...(this.byValue(name).get(valueKey(value)) ?? [])];
  }

  private hasDay(name: string, value: CellValue, day: Day): boolean {
    if (name === this.date) return valueKey(value) === valueKey(day);
    return this.byValue(name).get(valueKey(value))?.has(day) === true;
  }

  private byValue(name: string): ReadonlyMap<string, ReadonlySet<Day>> {
    const known = this.known.get(name);
    if (known) return known;
    const days = new Map<string, Set<Day>>();
    const { columns, tuples } = this.behind.get(name) ?? { columns: [], tuples: [] };
    const at = columns.indexOf(this.date);
    for (const { value, tuple } of tuples) {
      const ofValue = days.get(value) ?? new Set();
      days.set(value, ofValue.add(tuple[at] ?? null));
    }
    this.known.set(name, days);
    return days;
  }

  /** Returns the condition of a filter on days; null for one that says nothing about single days. */
  private conditionOf(filter: LayoutFilter, schema: Schema): ((day: Day) => boolean) | null {
    const [name, operator, term] = filter;
    if (!this.follows(name)) return null;
    const values = filterValues(filter, schema);
    if (values) return (day) => values.some((value) => this.hasDay(name, value, day));
    if (name !== this.date || Array.isArray(term) || term === null) return null;
    const end = parseTerm(term, 'date');
    if (typeof end !== 'number') return null;
    if (operator === '>=') return (day) => typeof day === 'number' && day >= end;
    if (operator === '<=') return (day) => typeof day === 'number' && day <= end;
    return null;
  }
}
