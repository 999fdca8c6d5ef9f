/** Fields of a layout: zones, labels, date units and sort keys. */
import type { ColumnEntry } from '../../contract/columns';
import type { Layout } from '../../contract/stored-layout';
import { columnLabel } from '../../pivot/layout/column-label';
import { toScalar } from '../../pivot/values/cell-value';
import type { SortKey } from '../../pivot/layout/column-sort';
import type { Schema } from '../../pivot/values/engine-types';
import { groupedBy, lastDayOf, readBucket, TIME_UNITS } from '../../pivot/values/time-unit';
import { toDateExpression, toDateName } from '../../pivot/values/to-date';

/** The zones of a pivot that a field can be in. */
export const ZONES = ['rows', 'columns', 'measures'] as const;
export type Zone = (typeof ZONES)[number];

const PART_OF = { rows: 'group_by', columns: 'split_by', measures: 'columns' } as const;

/** A column that a planner can arrange. */
export interface Field {
  name: string;
  label: string;
  /** `change`: a property of the log entry that wrote the row, not of the source. */
  kind: 'dimension' | 'date' | 'measure' | 'change';
  /** The expression of a column that the rows do not have. */
  expression?: string;
}

/** The units of time that a date is grouped by; `day` is the date itself. */
export const UNITS = [...TIME_UNITS, 'day'] as const;
export type Unit = (typeof UNITS)[number];

/** Columns of the service that are useful to a planner, with their labels. */
const OF_CHANGES: readonly [name: string, label: string][] = [
  ['pf_op', 'Operation'],
  ['pf_note', 'Note'],
  ['pf_logid', 'Log entry'],
  ['pf_created_at', 'Written at'],
];
/** At a display grain the operation is not loaded. The origin of a row is its closest substitute. */
const ORIGIN: readonly [name: string, label: string] = ['pf_iter', 'Operation'];

/**
 * Returns the fields for the arrange panel: dimensions, dates, measures, and columns about the log entry of a
 * row.
 *
 * @param parts the columns that were made of the measures, in their order
 * @param closed the newest closed day by date column: such a date can be split into YTD and YTG
 */
export function fieldsOf(
  columns: readonly ColumnEntry[],
  schema: Schema,
  parts: readonly string[] = [],
  closed: ReadonlyMap<string, string> = new Map(),
): Field[] {
  const loaded = columns.filter(({ cname }) => cname in schema);
  const ofRole = (kind: Field['kind'], ...roles: string[]): Field[] =>
    loaded
      .filter(({ role }) => roles.includes(role))
      .map(({ cname, label }) => ({ name: cname, label: label || cname, kind }));
  const changes = 'pf_op' in schema ? OF_CHANGES : [ORIGIN, ...OF_CHANGES];
  return [
    ...loaded
      .filter(({ role }) => role === 'dimension' || role === 'date')
      .map(({ cname, label, role }): Field => ({
        name: cname,
        label: label || cname,
        kind: role === 'date' ? 'date' : 'dimension',
      })),
    ...loaded
      .filter(({ cname }) => closed.has(cname))
      .map(({ cname, label }): Field => ({
        name: toDateName(cname),
        label: toDateName(label || cname),
        kind: 'dimension',
        expression: toDateExpression(cname, closed.get(cname)),
      })),
    ...ofRole('measure', 'value'),
    ...ofRole('measure', 'units'),
    ...ofRole('measure', 'measure'),
    ...parts.map((name): Field => ({ name, label: columnLabel(name, columns), kind: 'measure' })),
    ...changes
      .filter(([name]) => name in schema)
      .map(([name, label]): Field => ({ name, label, kind: 'change' })),
  ];
}

/** Returns the date that a column of a layout groups, and the unit; null if it groups no date. */
export function dateOf(
  name: string,
  { expressions = {} }: Layout,
  fields: readonly Field[],
): { date: Field; unit: Unit } | null {
  const isDate = (column: string) =>
    fields.find((field) => field.name === column && field.kind === 'date');
  const itself = isDate(name);
  if (itself) return { date: itself, unit: 'day' };
  const bucket = readBucket(expressions[name] ?? '');
  const date = bucket && isDate(bucket.date);
  return date ? { date, unit: bucket.unit } : null;
}

/** Returns the planner's label of a column or an expression of a layout. */
export function labelOf(name: string, layout: Layout, fields: readonly Field[]): string {
  const grouped = dateOf(name, layout, fields);
  if (grouped) {
    return grouped.unit === 'day' ? grouped.date.label : `${grouped.date.label} (${grouped.unit})`;
  }
  return fields.find((field) => field.name === name)?.label ?? name;
}

/** Returns the columns of a zone, in their order. */
export const namesIn = (zone: Zone, layout: Layout): string[] =>
  (layout[PART_OF[zone]] ?? []).filter((name) => name !== null);

/** Returns the zone of a column; null if it is not shown. */
export const zoneOf = (name: string, layout: Layout): Zone | null =>
  ZONES.find((zone) => namesIn(zone, layout).includes(name)) ?? null;

/** Whether a field may go to a zone: measures are added up, all other fields are grouped by. */
export const fits = (kind: Field['kind'], zone: Zone): boolean =>
  (kind === 'measure') === (zone === 'measures');

/**
 * Returns the layout with a column in a zone, before the column at `index` (none: at the end), or in no zone
 * (null). Returns null if that would leave no rows or no measures.
 */
export function moved(
  layout: Layout,
  name: string,
  zone: Zone | null,
  index: number = Infinity,
): Layout | null {
  const result: Layout = { ...layout };
  for (const each of ZONES) {
    const names = namesIn(each, layout);
    const from = names.indexOf(name);
    const others = names.filter((other) => other !== name);
    // Taking the field out of its old place moves the new place one to the left.
    const to = from >= 0 && from < index ? index - 1 : index;
    if (each === zone) others.splice(to, 0, name);
    if (others.length === 0 && each !== 'columns') return null;
    result[PART_OF[each]] = others;
  }
  return result;
}

/** Returns a date as a column to group by, with its expression if it needs one. */
export function datePart(
  date: string,
  unit: Unit,
): { name: string; expressions: Layout['expressions'] } {
  return unit === 'day' ? { name: date, expressions: {} } : groupedBy(date, unit);
}

/** Returns the first and the last day of the unit of time that begins at an instant, as ISO text. */
export function daysOf(start: number, unit: Unit): [first: string, last: string] {
  const end = unit === 'day' ? start : lastDayOf(start, unit);
  return [String(toScalar(start, 'date')), String(toScalar(end, 'date'))];
}

/** Returns the layout with one column replaced by another. */
export function exchanged(layout: Layout, name: string, other: string): Layout {
  const result: Layout = { ...layout };
  for (const zone of ZONES) {
    const names = namesIn(zone, layout).filter((each) => each !== other);
    result[PART_OF[zone]] = names.map((each) => (each === name ? other : each));
  }
  return result;
}

export type Direction = 'asc' | 'desc';

/** Returns the direction in which the rows are sorted by a column; null if they are not. */
export function sortOf(name: string, { sort = [] }: Layout): Direction | null {
  const direction = sort.find(([column]) => column === name)?.[1];
  return direction === 'asc' || direction === 'desc' ? direction : null;
}

/** Returns the layout with its rows sorted by one key only, or by none (null). */
export function sortedBy(
  layout: Layout,
  { name, expressions }: Pick<SortKey, 'name' | 'expressions'>,
  direction: Direction | null,
): Layout {
  const across = (layout.sort ?? []).filter(([, each]) => each !== 'asc' && each !== 'desc');
  if (direction === null) return { ...layout, sort: across };
  return {
    ...layout,
    expressions: { ...layout.expressions, ...expressions },
    sort: [[name, direction], ...across],
  };
}

/**
 * Returns the layout with the sum or the average of a measure's rows. The rows are no longer sorted by a single
 * column of the measure, whose sort key is a sum.
 */
export function aggregatedBy(layout: Layout, measure: string, by: 'sum' | 'avg'): Layout {
  const { [measure]: _, ...others } = layout.aggregates ?? {};
  const isOfColumn = (name: string) =>
    name.startsWith(`${measure} of `) && Object.hasOwn(layout.expressions ?? {}, name);
  return {
    ...layout,
    aggregates: by === 'sum' ? others : { ...others, [measure]: by },
    sort: (layout.sort ?? []).filter(([name]) => !isOfColumn(name)),
  };
}

/**
 * Returns the layout without sort keys of columns that no longer exist because other columns are split by.
 */
export function withoutLostSort(layout: Layout, before: Layout): Layout {
  if (JSON.stringify(layout.split_by) === JSON.stringify(before.split_by)) return layout;
  const isOfColumns = (name: string) =>
    Object.hasOwn(layout.expressions ?? {}, name) && zoneOf(name, layout) === null;
  return { ...layout, sort: (layout.sort ?? []).filter(([name]) => !isOfColumns(name)) };
}
