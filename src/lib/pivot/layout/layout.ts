/** Creates, cleans and changes layouts as plain data, without the engine. */
import type { ColumnEntry } from '../../contract/columns';
import type { Layout, LayoutFilter, LayoutSort } from '../../contract/stored-layout';
import type { ColumnFacts } from '../rows/column-facts';
import type { Schema } from '../values/engine-types';
import { quotedName, quotedText } from '../values/cell-value';
import type { Origins } from '../rows/origins';
import { WITH_OTHER, WITH_REFERENCE, type Origin } from '../rows/origin-columns';
import { groupedBy } from '../values/time-unit';

/** The viewer's plugin that shows the pivot as a grid. */
export const GRID = 'Datagrid';

const MAX_FIRST_LEVEL = 60;
const MAX_SECOND_LEVEL = 400;
const MAX_OPEN_ROWS = 40;
const MAX_MONTHS = 36;

/**
 * Returns a default layout, chosen by the metadata: dates in columns by month or year, the first dimensions
 * in rows, and the sums of value and units. Dimensions with too many values are left out.
 */
export function defaultLayout(
  columns: readonly ColumnEntry[],
  schema: Schema,
  facts: ReadonlyMap<string, Pick<ColumnFacts, 'distinct' | 'months'>>,
  origins: Origins | null = null,
): Layout {
  const loaded = columns.filter((c) => c.cname in schema);
  const date = loaded.find((c) => c.role === 'date');
  const dimensions = loaded.filter((c) => c.role === 'dimension');
  const marked = dimensions.some((c) => c.is_key);
  const dateGroups = new Set(columns.filter((c) => c.role === 'date').map((c) => c.dim_group));
  const ofDate = (c: ColumnEntry) =>
    c.dim_period_col !== null || (c.dim_group !== null && dateGroups.has(c.dim_group));
  const down = dimensions.filter((c) => !ofDate(c) && (c.is_key || !marked));

  const group_by: string[] = [];
  let openRows = 1;
  for (const { cname } of down) {
    const count = facts.get(cname)?.distinct ?? 0;
    const limit = group_by.length === 0 ? MAX_FIRST_LEVEL : MAX_SECOND_LEVEL;
    if (count < 2 || count > limit) continue;
    group_by.push(cname);
    openRows = Math.max(openRows, count);
    if (group_by.length === 2) break;
  }
  if (group_by.length === 0 && down[0]) group_by.push(down[0].cname);

  const layout: Layout = {
    plugin: GRID,
    group_by,
    split_by: [],
    columns: measures(loaded, origins),
    depth: openRows > MAX_OPEN_ROWS ? 0 : 1,
  };
  if (date) {
    const { name, expressions } = usualGroups(date.cname, facts.get(date.cname)?.months ?? 0);
    Object.assign(layout, { split_by: [name], expressions });
  } else {
    const period = dimensions.find(ofDate);
    if (period) layout.split_by = [period.cname];
  }
  return layout;
}

/**
 * Returns how a default layout groups a date. @param months number of calendar months in which it has days
 */
export const usualGroups = (date: string, months: number) =>
  groupedBy(date, months <= MAX_MONTHS ? 'month' : 'year');

/**
 * Returns the measures of a default layout: value and units; with another version or a reference, only the
 * value and its comparison columns.
 */
function measures(columns: readonly ColumnEntry[], origins: Origins | null): string[] {
  const names = (['value', 'units'] as const).flatMap((role) =>
    columns.filter((c) => c.role === role).map((c) => c.cname),
  );
  const [first] = names;
  if (first === undefined || !origins) return names;
  const other = besidePlan(first, WITH_OTHER, origins);
  const compared = other.length > 0 ? other : besidePlan(first, WITH_REFERENCE, origins);
  return compared.length > 0 ? [first, ...compared] : names;
}

/** Returns the columns of a measure for some origins. */
const besidePlan = (measure: string, wanted: readonly Origin[], origins: Origins): string[] =>
  origins
    .columnsOf(measure)
    .filter(({ origin }) => wanted.includes(origin))
    .map(({ name }) => name);

/**
 * Adds the comparison columns of other versions to a layout, beside the first measure. Versions of which it
 * already has a column add none.
 */
export function withOthers(layout: Layout, origins: Origins): Layout {
  const shown = (layout.columns ?? []).filter((name) => name !== null);
  const beside = shown.find((name) => origins.measures.includes(name));
  const there = new Set(shown.map((name) => origins.of(name)?.version));
  const added = origins
    .columnsOf(beside ?? '')
    .filter(({ version }) => version !== null && !there.has(version))
    .map(({ name }) => name);
  if (added.length === 0) return layout;
  const isBeside = (name: string) =>
    origins.ofOthers.has(name) && origins.of(name)?.measure === beside;
  const last = shown.findLastIndex((name) => name === beside || isBeside(name));
  return { ...layout, columns: shown.toSpliced(last + 1, 0, ...added) };
}

/** Removes the columns of a comparison with other versions from a layout. */
export const withoutOthers = (layout: Layout, origins: Origins): Layout =>
  renamed(layout, new Map([...origins.ofOthers].map((name) => [name, null])));

/** Renames columns in a layout, and removes those whose new name is null. */
export function renamed(layout: Layout, names: ReadonlyMap<string, string | null>): Layout {
  const now = (name: string) => names.get(name) ?? (names.has(name) ? null : name);
  const record = <T>(entries: Record<string, T> = {}) =>
    Object.fromEntries(
      Object.entries(entries).flatMap(([name, entry]) => {
        const kept = now(name);
        return kept === null ? [] : [[kept, entry]];
      }),
    );
  const {
    columns = [],
    sort = [],
    filter = [],
    aggregates,
    columns_config,
    amounts,
    marks,
    orders,
  } = layout;
  const limits = Object.entries(layout.limits ?? {}).flatMap(([field, limit]) => {
    const [of, by] = [now(field), now(limit.by)];
    return of === null || by === null ? [] : [[of, { ...limit, by }] as const];
  });
  return {
    ...layout,
    columns: columns.flatMap((name) => (name === null ? null : (now(name) ?? []))),
    sort: sort.flatMap(([name, direction]): LayoutSort[] => {
      const kept = now(name);
      return kept === null ? [] : [[kept, direction]];
    }),
    filter: filter.flatMap(([name, operator, term]): LayoutFilter[] => {
      const kept = now(name);
      return kept === null ? [] : [[kept, operator, term]];
    }),
    aggregates: record(aggregates),
    columns_config: record(columns_config),
    ...(amounts && { amounts: record(amounts) }),
    ...(layout.limits && { limits: limits.length > 0 ? Object.fromEntries(limits) : undefined }),
    ...(marks && { marks: record(marks) }),
    ...(orders && { orders: record(orders) }),
  };
}

/**
 * Returns the limits whose field is in the rows of a layout, and whose measure it shows; undefined for none. Limits by
 * columns that are unknown, such as a formula that cannot be read, stay.
 */
export function fittingLimits(
  limits: Layout['limits'],
  { group_by = [], columns = [] }: Layout,
  isKnown: (name: string) => boolean,
): Layout['limits'] {
  const fits = (name: string, shown: readonly (string | null)[]) =>
    shown.includes(name) || !isKnown(name);
  const fitting = Object.entries(limits ?? {}).filter(
    ([field, { by }]) => fits(field, group_by) && fits(by, columns),
  );
  return fitting.length > 0 ? Object.fromEntries(fitting) : undefined;
}

export interface CleanLayout {
  layout: Layout;
  /** Columns that the layout names but that are not loaded; they were removed. */
  dropped: string[];
  /**
   * Whether the layout asks for rows that meet any of its filters. The engine shows those that meet all of
   * them.
   */
  ignoresOr: boolean;
}

/**
 * Removes missing columns and invalid expressions from a saved layout, because the viewer breaks after a
 * layout that it rejects. Expressions that read a missing column are removed too.
 *
 * @param valid the expressions that the engine accepts on the loaded table
 */
export function cleanLayout(
  saved: Layout,
  schema: Schema,
  valid: ReadonlySet<string>,
): CleanLayout {
  const dropped = new Set<string>();
  const expressions = Object.fromEntries(
    Object.entries(saved.expressions ?? {}).filter(([name]) => {
      if (valid.has(name) && !(name in schema)) return true;
      dropped.add(name);
      return false;
    }),
  );
  const exists = (name: string) => name in schema || Object.hasOwn(expressions, name);
  const keep = (name: string | null): name is string => {
    if (name === null) return false;
    if (!exists(name)) dropped.add(name);
    return exists(name);
  };
  const record = <T>(entries: Record<string, T> | undefined) =>
    Object.fromEntries(Object.entries(entries ?? {}).filter(([name]) => exists(name)));

  const columns = (saved.columns ?? []).filter(keep);
  const { columns: _, filter_op, ...rest } = saved;
  const filter = (saved.filter ?? []).filter(([name]) => keep(name));
  const layout: Layout = {
    ...rest,
    group_by: unique((saved.group_by ?? []).filter(keep)),
    split_by: unique((saved.split_by ?? []).filter(keep)),
    filter,
    sort: (saved.sort ?? []).filter(([name]) => keep(name)),
    aggregates: record(saved.aggregates),
    columns_config: record(saved.columns_config),
    expressions,
    ...(columns.length > 0 && { columns }),
  };
  return { layout, dropped: [...dropped], ignoresOr: filter_op === 'or' && filter.length > 1 };
}

const unique = (names: string[]) => [...new Set(names)];

/** The order of a column of month names: by a loaded column, or by an expression that is added for it. */
export interface MonthOrder {
  by: string;
  expression: string | null;
}

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
const MONTH_NAME_COLUMNS = [
  'cal_month_abbr',
  'cal_month_name',
  'fisc_month_abbr',
  'fisc_month_name',
];

/**
 * Returns the order of the months in a text dimension; null if its values are not months. A loaded month
 * number of the same date group gives the order, also of a fiscal year; names alone give calendar order.
 */
export function monthOrder(
  column: ColumnEntry,
  columns: readonly ColumnEntry[],
  values: readonly (string | null)[],
): MonthOrder | null {
  const names = [...new Set(values)].filter((v): v is string => v !== null && v !== '');
  const number = (name: string) => MONTHS.indexOf(name.slice(0, 3).toLowerCase()) + 1;
  const isMonths =
    names.length > 0 &&
    names.length <= 24 &&
    names.every((name) => number(name) > 0 && isMonth(name));
  const ofPeriod = column.dim_period_col && MONTH_NAME_COLUMNS.includes(column.dim_period_col);
  if (!isMonths && !ofPeriod) return null;

  const numbered = column.dim_period_col?.replace(/_(abbr|name)$/, '');
  const sibling = columns.find(
    (c) =>
      c.dim_period_col === numbered && c.dim_group === column.dim_group && c.role === 'dimension',
  );
  if (ofPeriod && sibling) return { by: sibling.cname, expression: null };
  if (!isMonths) return null;
  const cases = names.map(
    (name) => `if (${quotedName(column.cname)} == ${quotedText(name)}) ${number(name)}; else `,
  );
  return { by: `${column.cname} (calendar order)`, expression: `${cases.join('')}13` };
}

const isMonth = (name: string) =>
  /^(jan(uary)?|feb(ruary)?|mar(ch)?|apr(il)?|may|june?|july?|aug(ust)?|sept?(ember)?|oct(ober)?|nov(ember)?|dec(ember)?)\.?$/i.test(
    name,
  );

/**
 * Adds a sort by month to a layout, in rows and columns, unless the user sorts the rows or the columns by
 * something else.
 */
export function withMonthsInOrder(layout: Layout, months: ReadonlyMap<string, MonthOrder>): Layout {
  const orders = new Set([...months.values()].map(({ by }) => by));
  const sort = layout.sort ?? [];
  const byUser = sort.filter(([name]) => !orders.has(name));
  const userSorts = (across: boolean) =>
    byUser.some(([, direction]) => direction.startsWith('col ') === across);
  const added: LayoutSort[] = [];
  const expressions = { ...layout.expressions };
  const aggregates = { ...layout.aggregates };
  const add = (names: readonly string[] | undefined, across: boolean) => {
    for (const name of names ?? []) {
      const order = months.get(name);
      if (!order || userSorts(across)) continue;
      added.push([order.by, across ? 'col asc' : 'asc']);
      aggregates[order.by] = 'min';
      if (order.expression !== null) expressions[order.by] = order.expression;
    }
  };
  add(layout.group_by, false);
  add(layout.split_by, true);
  return { ...layout, sort: [...byUser, ...added], expressions, aggregates };
}

/** Removes the additions of {@link withMonthsInOrder} from a layout. */
export function withoutMonthOrder(layout: Layout, months: ReadonlyMap<string, MonthOrder>): Layout {
  const orders = new Map([...months.values()].map(({ by, expression }) => [by, expression]));
  const kept = <T>(entries: Record<string, T> = {}, added: (name: string, entry: T) => boolean) =>
    Object.fromEntries(Object.entries(entries).filter(([name, entry]) => !added(name, entry)));
  return {
    ...layout,
    sort: (layout.sort ?? []).filter(([name]) => !orders.has(name)),
    expressions: kept(layout.expressions, (name, text) => orders.get(name) === text),
    aggregates: kept(layout.aggregates, (name, how) => orders.has(name) && how === 'min'),
  };
}

/** Returns the columns and expressions that a layout or a view uses. */
export const namesUsed = ({
  group_by = [],
  split_by = [],
  columns = [],
  filter = [],
  sort = [],
}: Layout): ReadonlySet<string | null> =>
  new Set([...group_by, ...split_by, ...columns, ...[...filter, ...sort].map(([name]) => name)]);

/** Returns the expressions that a layout uses. A viewer also keeps unused ones. */
export function usedExpressions(layout: Layout): Record<string, string> {
  const used = namesUsed(layout);
  const entries = Object.entries(layout.expressions ?? {});
  return Object.fromEntries(entries.filter(([name]) => used.has(name)));
}

/**
 * Returns a key of those parts of a layout or view on which the slices of its cells depend. With equal keys,
 * cells with equal labels stand for the same rows.
 */
export function sliceContextOf({
  group_by = [],
  split_by = [],
  filter = [],
  filter_op = 'and',
  expressions = {},
}: Pick<Layout, 'group_by' | 'split_by' | 'filter' | 'filter_op' | 'expressions'>): string {
  // Expressions that only measures or sort keys use do not select rows.
  const used = new Set([...group_by, ...split_by, ...filter.map(([name]) => name)]);
  // The engine returns the expressions of a view in any order.
  const names = Object.keys(expressions).filter((name) => used.has(name));
  const selecting = names.sort().map((name) => [name, expressions[name]]);
  return JSON.stringify([group_by, split_by, filter, filter_op, selecting]);
}
