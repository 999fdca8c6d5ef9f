/** Kinds of charts, and the choice of axis, series, measures and groups. */
import { dayOfMonth, monthNumberAt } from '../../contract/calendar';
import { DAY_MS } from '../../contract/primitives';
import type { ColumnEntry } from '../../contract/columns';
import { orderName } from '../../contract/lookups';
import type { Layout } from '../../contract/stored-layout';
import { tidyChange } from '../values/cell-value';
import type { Schema } from '../values/engine-types';
import { GRID } from '../layout/layout';
import type { MonthOrder } from '../layout/layout';
import { isResult } from '../rows/formula-columns';
import type { Origins } from '../rows/origins';
import type { Origin } from '../rows/origin-columns';
import { MONTHS_IN, readBucket, type TimeUnit } from '../values/time-unit';

/** The kinds of charts, with the names that layouts, views and addresses use. */
export const CHARTS = [
  { plugin: 'Y Bar', label: 'Stacked columns' },
  { plugin: 'Grouped Bar', label: 'Columns side by side' },
  { plugin: 'Y Line', label: 'Lines' },
] as const;
export type ChartKind = (typeof CHARTS)[number]['plugin'];

/** Nearest current kind for charts in layouts of earlier builds. */
const EARLIER: Readonly<Record<string, ChartKind>> = {
  'X Bar': 'Grouped Bar',
  'Y Area': 'Y Line',
  'X/Y Line': 'Y Line',
  'Y Scatter': 'Y Line',
};

/** Returns the view of a layout: the grid, or the kind of chart nearest to the one that it names. */
export function shownAs(plugin: string | undefined): typeof GRID | ChartKind {
  if (plugin === undefined || plugin === GRID) return GRID;
  return CHARTS.find((each) => each.plugin === plugin)?.plugin ?? EARLIER[plugin] ?? 'Y Bar';
}

/** The columns of a layout that a chart draws along its axis and as its series. */
export interface ChartAxes {
  /** One or several columns, such as a year and its months; empty if the layout groups by nothing. */
  axis: readonly string[];
  isTime: boolean;
  /** Null for a single series. */
  series: string | null;
}

/**
 * Chooses the axis and the series: time goes along the axis, and the first level that is not time makes the
 * series. Without time, the first level goes along the axis.
 *
 * @param isTime whether a column of the layout is a date, or a period of one
 */
export function chartAxes(
  { group_by = [], split_by = [] }: Pick<Layout, 'group_by' | 'split_by'>,
  isTime: (name: string) => boolean,
): ChartAxes {
  const across = split_by.filter(isTime);
  const time = across.length > 0 ? across : group_by.filter(isTime);
  const levels = [...new Set([...group_by, ...split_by])];
  const axis = time.length > 0 ? time : levels.slice(0, 1);
  const others = levels.filter((name) => !axis.includes(name));
  // Years in rows with months in columns compare the years.
  const series = others.find((name) => !isTime(name)) ?? others[0] ?? null;
  return { axis, isTime: time.length > 0, series };
}

/**
 * Returns a test for whether a column is a date, one of its periods, or holds names of months.
 *
 * @param schema types of the loaded columns and of the layout's expressions
 */
export function timeTest(
  columns: readonly ColumnEntry[],
  schema: Schema,
  months: ReadonlyMap<string, MonthOrder>,
): (name: string) => boolean {
  const groups = new Set(columns.filter(({ role }) => role === 'date').map((c) => c.dim_group));
  groups.delete(null);
  // The ranks of an attribute need not be an order in time.
  const isPeriod = (name: string) => months.has(name) && months.get(name)?.by !== orderName(name);
  return (name) => {
    const column = columns.find(({ cname }) => cname === name);
    const type = schema[name];
    return (
      type === 'date' ||
      type === 'datetime' ||
      isPeriod(name) ||
      (column !== undefined && (column.dim_period_col !== null || groups.has(column.dim_group)))
    );
  };
}

/** What {@link axesOf} needs to know of the columns. */
interface KnownColumns {
  columns: readonly ColumnEntry[];
  /** Types of the loaded columns. */
  schema: Schema;
  months: ReadonlyMap<string, MonthOrder>;
}

/** Chooses the axis and the series of a layout; see {@link chartAxes}. */
export function axesOf(layout: Layout, { columns, schema, months }: KnownColumns): ChartAxes {
  const periods = Object.entries(layout.expressions ?? {}).filter(([, text]) => readBucket(text));
  const types = Object.fromEntries(periods.map(([name]) => [name, 'date' as const]));
  return chartAxes(layout, timeTest(columns, { ...schema, ...types }, months));
}

/** Returns the kind of chart for a layout: lines along time, otherwise stacked columns. */
export const fittingKind = (layout: Layout, known: KnownColumns): ChartKind =>
  axesOf(layout, known).isTime ? 'Y Line' : 'Y Bar';

/** One of the amounts of a measure that a chart draws separately. */
export interface ChartSide {
  column: string;
  origin: Origin | 'plan';
}

/** The amounts that a chart draws together: they are of one kind and share an axis. */
interface ChartMeasure {
  /** The column that gives the measure its name. */
  name: string;
  /** The plan and the amounts that it is compared with, or a single column. */
  sides: readonly ChartSide[];
}

/** Origins whose amounts can be drawn next to the plan's; the other origins are differences. */
const LEVELS: readonly Origin[] = ['baseline', 'reference', 'other'];
const COUNTS: readonly unknown[] = ['count', 'distinct count'];

/** Returns the measures that a chart of a layout can draw, in the order of the layout's columns. */
export function chartMeasures(
  { columns = [], aggregates = {} }: Pick<Layout, 'columns' | 'aggregates'>,
  schema: Schema,
  origins: Pick<Origins, 'of'>,
): ChartMeasure[] {
  const measures = new Map<string, ChartSide[]>();
  for (const column of columns.filter((name) => name !== null)) {
    const made = origins.of(column);
    const isNumber = schema[column] === 'integer' || schema[column] === 'float';
    if (!made && !isNumber && !COUNTS.includes(aggregates[column])) continue;
    const isPlan = made === null || isResult(made.origin);
    const name = !isPlan && LEVELS.includes(made.origin) ? made.measure : column;
    const sides = measures.get(name) ?? [];
    const side: ChartSide = { column, origin: isPlan ? 'plan' : made.origin };
    // The plan comes first.
    measures.set(name, isPlan ? [side, ...sides] : [...sides, side]);
  }
  return [...measures].map(([name, sides]) => ({ name, sides }));
}

/** Sums of some columns; null where nothing is added up. */
export type Sums = readonly (number | null)[];

/** Adds the sums of two groups. */
export const added = (some: Sums, others: Sums): Sums =>
  some.map((sum, i) => {
    const other = others[i] ?? null;
    return sum === null ? other : other === null ? sum : tidyChange(sum + other);
  });

/** Subtracts the sums of some parts from a total. */
export function rest(total: Sums, parts: readonly Sums[]): Sums {
  return total.map((sum, i) => {
    if (sum === null) return null;
    const amounts = parts.map((part) => part[i] ?? 0);
    const left = sum - amounts.reduce((all, amount) => all + amount, 0);
    // Numbers that were added in another order seldom leave exactly 0.
    const size = Math.max(Math.abs(sum), ...amounts.map(Math.abs));
    return Math.abs(left) <= RESIDUE * size ? 0 : Number(left.toFixed(6));
  });
}

const RESIDUE = 1e-12;

/**
 * Returns the positions of the biggest groups, the biggest first. If there are more than `most`, one place is
 * reserved for all others together.
 *
 * @param sums sums of each group
 */
export function biggest(sums: readonly Sums[], most: number): number[] {
  const sizes = sums.map((each) => each.reduce<number>((all, sum) => all + Math.abs(sum ?? 0), 0));
  const places = sizes.map((_, i) => i).sort((a, b) => (sizes[b] ?? 0) - (sizes[a] ?? 0) || a - b);
  return places.length <= most ? places : places.slice(0, most - 1);
}

/** Upper limit of axis positions; a longer axis is drawn without the positions that have no rows. */
const MOST_STEPS = 1000;

/**
 * Returns the times of a time axis at even intervals, including those without rows.
 *
 * @param times days in epoch milliseconds, in order
 * @param unit unit of time of each; undefined for days
 */
export function evenly(times: readonly number[], unit: TimeUnit | undefined): number[] {
  const [first, last] = [times[0], times.at(-1)];
  if (first === undefined || last === undefined) return [];
  const day = new Date(first).getUTCDate();
  // Not every month has a 29th, 30th and 31st.
  const isMonthly = day < 29 && times.every((time) => new Date(time).getUTCDate() === day);
  const places = times.map((time) => (isMonthly ? monthNumberAt(time) : time / DAY_MS));
  const [from = 0] = places;
  const step = unit
    ? MONTHS_IN[unit]
    : places.reduce((pace, place) => greatestDivisor(pace, place - from), 0);
  const count = step > 0 ? ((places.at(-1) ?? from) - from) / step : 0;
  if (!Number.isInteger(count) || count > MOST_STEPS) return [...times];
  return Array.from({ length: count + 1 }, (_, i) => {
    const place = from + i * step;
    return isMonthly ? dayOfMonth(place, day) : place * DAY_MS;
  });
}

const greatestDivisor = (a: number, b: number): number => (b === 0 ? a : greatestDivisor(b, a % b));
