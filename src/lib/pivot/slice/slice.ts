/** Builds the slice that selects the rows behind a cell. */
import { isLeaf, type ColumnEntry } from '../../contract/columns';
import type { DateRange, Slice } from '../../contract/slices';
import type { LayoutFilter } from '../../contract/stored-layout';
import { toScalar, valueKey } from '../values/cell-value';
import type { CellValue, Schema } from '../values/engine-types';
import { inPeriods, rangeOf, type Periods } from './date-ranges';
import { isOthers, othersLabel } from '../values/others';
import { filterText, filterValues, parseTerm } from './filter-values';
import { lastDayOf, readBucket } from '../values/time-unit';
import { type DaySpan, readToDate, toDateDays } from '../values/to-date';
import type { Underlying } from './underlying';
import { behindValues } from './underlying';

/** The parts of a source's column that slices depend on. */
export type SliceColumn = Pick<ColumnEntry, 'cname' | 'role' | 'is_key'>;

/** A cell of a pivot, with the settings of its view. */
export interface PivotCell {
  groupBy: readonly string[];
  splitBy: readonly string[];
  /** Typed values of the row headers down to the cell's row; empty for the total row. */
  rowPath: readonly CellValue[];
  /** Typed values of the split columns; null for a row header, which spans every column. */
  columnPath: readonly CellValue[] | null;
  /** The values of the groups that the row "Others" at the end of `rowPath` stands for; unused for any other row. */
  others?: readonly CellValue[];
  filter: readonly LayoutFilter[];
  filterOp: 'and' | 'or';
  schema: Schema;
  expressions: Readonly<Record<string, string>>;
  /** Source values behind the values of each expression. */
  underlying: ReadonlyMap<string, Underlying>;
}

/**
 * A part of the cell that is not in its slice. `split`: the cell is split or grouped by a column that slices
 * do not support, such as `pf_iter`. `filter`: a filter that is not a list of dimension values.
 */
export interface NotHeld {
  kind: 'split' | 'filter';
  column: string;
  text: string;
}

export interface CellSlice {
  /** Selects the rows of the cell, with the ranges of its periods: also rows of days that are not known here yet. */
  slice: Slice;
  /** The same with the days that have rows instead of the periods, to merge and to compare with locks. */
  listed: Slice;
  /**
   * Parts of the cell that the slice leaves out, so that an operation affects more rows than the cell shows.
   */
  notHeld: NotHeld[];
  /** The ranges of the days that `listed` has, for example if the cell shows a month. */
  periods: Periods;
  /** The reason why no slice selects exactly this cell, as a sentence; null if one does. */
  impossible: string | null;
}

const IMPOSSIBLE = {
  mixed: (column: string) =>
    `Rows with the same source values appear under several values of “${column}”, so no selection matches exactly this cell.`,
  nothing: (column: string) => `No row has this value of “${column}”, so the cell is empty.`,
  unknown: (column: string) =>
    `The source values of “${column}” could not be read, so no selection matches exactly this cell.`,
};

/** Returns the expressions whose source values {@link sliceFromCell} needs. */
export function expressionsOf(
  cell: Omit<PivotCell, 'underlying'>,
  isExpression: (column: string) => boolean,
): string[] {
  const named = [...conditionsOf(cell), ...cell.filter.map(([column]) => ({ column }))];
  return [...new Set(named.map(({ column }) => column).filter(isExpression))];
}

/**
 * Returns the slice that selects exactly the rows that a cell adds up (docs/contract/05-operations.md). It is
 * built from typed paths, never from printed ones; parts of the cell that the slice cannot express are
 * returned in `notHeld`.
 */
export function sliceFromCell(cell: PivotCell, columns: readonly SliceColumn[]): CellSlice {
  const builder = new SliceBuilder(cell, columns);
  const conditions = [...conditionsOf(cell), ...builder.filterConditions()];
  // Expressions come last: their source values depend on the other conditions of the same columns.
  const isExpression = ({ column }: Condition) => cell.underlying.has(column);
  for (const condition of conditions.filter((c) => !isExpression(c))) builder.add(condition);
  for (const condition of conditions.filter(isExpression)) builder.addExpression(condition);
  builder.keepToRanges();
  return builder.result();
}

/** A condition that a column or an expression has one of some values. */
interface Condition {
  column: string;
  values: readonly CellValue[];
}

const conditionsOf = ({
  groupBy,
  splitBy,
  rowPath,
  columnPath,
  others = [],
}: Omit<PivotCell, 'underlying'>): Condition[] => [
  ...rowPath.map((value, i) => ({
    column: groupBy[i] ?? '',
    values: isOthers(value) ? others : [value],
  })),
  ...(columnPath ?? []).map((value, i) => ({ column: splitBy[i] ?? '', values: [value] })),
];

const ALL_DAYS: DaySpan = { first: -Infinity, last: Infinity };

const inBoth = (one: DaySpan, other: DaySpan): DaySpan => ({
  first: Math.max(one.first, other.first),
  last: Math.min(one.last, other.last),
});

/** Returns the date and the days of a value of an expression: those of a month, or those to date; null for any other. */
function daysOf(expression: string, value: CellValue): { date: string; days: DaySpan } | null {
  const bucket = readBucket(expression);
  if (bucket && typeof value === 'number') {
    return { date: bucket.date, days: { first: value, last: lastDayOf(value, bucket.unit) } };
  }
  const toDate = readToDate(expression);
  const days = toDate && toDateDays(toDate, value);
  return days && { date: toDate.date, days };
}

class SliceBuilder {
  private readonly held = new Map<string, readonly CellValue[]>();
  /** The days that filters of a date column admit. */
  private readonly ranges = new Map<string, DaySpan>();
  private readonly notHeld: NotHeld[] = [];
  /** The days that the expressions of a date column admit; null if another condition restricts its days. */
  private readonly periods = new Map<string, DaySpan | null>();
  private impossible: string | null = null;

  constructor(
    private readonly cell: PivotCell,
    private readonly columns: readonly SliceColumn[],
  ) {}

  /** Adds the condition of a header or a filter on a column. */
  add({ column, values }: Condition): void {
    if (this.isSliceable(column)) {
      this.periods.set(column, null);
      this.restrict(column, values);
    } else this.leaveOut(column, values);
  }

  /**
   * Adds the condition of a header or a filter on an expression, by the source values of the columns that it
   * needs.
   */
  addExpression({ column, values }: Condition): void {
    const underlying = this.cell.underlying.get(column);
    if (!underlying?.columns.every((name) => this.isSliceable(name))) {
      return this.leaveOut(column, values);
    }
    const behind = behindValues(underlying, values, (name) => this.held.get(name));
    if (behind.kind === 'lists') {
      for (const [name, list] of behind.lists) this.restrict(name, list);
      this.notePeriod(column, values, underlying.columns);
      return;
    }
    if (behind.kind !== 'nothing') this.leaveOut(column, values);
    this.impossible = IMPOSSIBLE[behind.kind](column);
  }

  /**
   * Returns the conditions of the view's own filters: dimension and date columns with `==`, `in` or `is null`
   * narrow the slice, and so do date columns from a day or up to a day.
   */
  filterConditions(): Condition[] {
    const { filter, filterOp, schema, underlying } = this.cell;
    const joinedByOr = filterOp === 'or' && filter.length > 1;
    return filter.flatMap((entry): Condition[] => {
      const [column] = entry;
      const values = joinedByOr ? null : filterValues(entry, schema);
      const isHeld = underlying.has(column)
        ? underlying.get(column)?.columns.every((name) => this.isSliceable(name))
        : this.isSliceable(column);
      if (values && isHeld) return [{ column, values }];
      if (!joinedByOr && this.holdsRange(entry)) return [];
      const text = filterText(entry) + (joinedByOr ? ' (one of several)' : '');
      this.notHeld.push({ kind: 'filter', column, text });
      return [];
    });
  }

  /** Restricts the days of a cell to those that the filters of their column admit. */
  keepToRanges(): void {
    for (const [column, { first, last }] of this.ranges) {
      if (first > last) this.impossible = IMPOSSIBLE.nothing(column);
      const days = this.held.get(column);
      const admitted = days?.filter((day) => Number(day ?? NaN) >= first && Number(day) <= last);
      if (admitted) this.restrict(column, admitted);
    }
  }

  result(): CellSlice {
    const values = [...this.held].map(([column, held]) => {
      const scalars = held.map((value) => toScalar(value, this.cell.schema[column]));
      return [column, scalars.length === 1 ? (scalars[0] ?? null) : scalars] as const;
    });
    const day = (ms: number) => String(toScalar(ms, 'date'));
    const ranges = [...this.ranges]
      .filter(([column]) => !this.held.has(column))
      .map(([column, { first, last }]): [string, DateRange] => [
        column,
        {
          ...(first !== -Infinity && { from: day(first) }),
          ...(last !== Infinity && { to: day(last) }),
        },
      ]);
    const listed = Object.fromEntries([...values, ...ranges]);
    const periods = this.heldPeriods();
    return {
      slice: inPeriods(listed, periods),
      ...{ listed, periods },
      notHeld: this.notHeld,
      impossible: this.impossible,
    };
  }

  /** Adds a filter of a date column from a day or up to a day; returns false for any other filter. */
  private holdsRange([column, operator, term]: LayoutFilter): boolean {
    const { schema, underlying } = this.cell;
    const isDate = schema[column] === 'date' && !underlying.has(column);
    if (!isDate || !this.isSliceable(column) || Array.isArray(term) || term === null) return false;
    if (operator !== '>=' && operator !== '<=') return false;
    const end = parseTerm(term, 'date');
    if (typeof end !== 'number') return false;
    const admitted = operator === '>=' ? { ...ALL_DAYS, first: end } : { ...ALL_DAYS, last: end };
    this.ranges.set(column, inBoth(this.ranges.get(column) ?? ALL_DAYS, admitted));
    return true;
  }

  /** Records the days of a value of an expression, or null for columns that another condition restricts. */
  private notePeriod(name: string, values: readonly CellValue[], columns: readonly string[]): void {
    const [value = null, ...others] = values;
    const period = daysOf(this.cell.expressions[name] ?? '', value);
    if (!period || others.length > 0 || !this.isDate(period.date)) {
      for (const column of columns) this.periods.set(column, null);
      return;
    }
    const before = this.periods.get(period.date);
    if (before === null) return;
    this.periods.set(period.date, inBoth(before ?? ALL_DAYS, period.days));
  }

  private heldPeriods(): Periods {
    return new Map(
      [...this.periods].flatMap(([column, period]): [string, Required<DateRange>][] => {
        const days = period && inBoth(period, this.ranges.get(column) ?? ALL_DAYS);
        const range = days && rangeOf(days.first, days.last);
        return range ? [[column, range]] : [];
      }),
    );
  }

  /** Checks whether a range of days may select by a column. */
  private isDate(column: string): boolean {
    const isOfDates = this.columns.some((c) => c.cname === column && c.role === 'date');
    return isOfDates && this.cell.schema[column] === 'date';
  }

  private isSliceable(column: string): boolean {
    return this.columns.some((c) => c.cname === column && isLeaf(c.role));
  }

  private restrict(column: string, values: readonly CellValue[]): void {
    const before = this.held.get(column);
    const keys = before && new Set(values.map(valueKey));
    const after = before?.filter((value) => keys?.has(valueKey(value))) ?? values;
    if (after.length === 0) {
      this.impossible = `The cell and the filters require different values of “${column}”, so the cell is empty.`;
      return;
    }
    this.held.set(column, after);
  }

  private leaveOut(column: string, values: readonly CellValue[]): void {
    const type = this.cell.schema[column];
    const [others] = this.cell.rowPath.filter(isOthers);
    const isOfOthers = others !== undefined && values === this.cell.others;
    const text = isOfOthers
      ? othersLabel(String(others))
      : values.map((value) => String(toScalar(value, type) ?? 'empty')).join(', ');
    this.notHeld.push({ kind: 'split', column, text: `${column} = ${text}` });
  }
}
