/** Predicts the first layout of a pivot before the engine has the rows. */
import type { ColumnEntry } from '../../contract/columns';
import { orderName } from '../../contract/lookups';
import type { Layout } from '../../contract/stored-layout';
import type { ArrowColumns } from '../rows/arrow-columns';
import { columnFacts, factsOfAll, type ColumnFacts } from '../rows/column-facts';
import type { Schema } from '../values/engine-types';
import type { MonthOrder } from './layout';
import {
  defaultLayout,
  monthOrder,
  namesUsed,
  usedExpressions,
  withMonthsInOrder,
  withOthers,
} from './layout';
import type { Origins } from '../rows/origins';
import { readBucket } from '../values/time-unit';

/** Facts by column name. */
type Facts = ReadonlyMap<string, ColumnFacts>;

/** Returns facts about columns of rows that arrive in several streams. */
export const factsIn = (streams: readonly ArrowColumns[], names: readonly string[]): Facts =>
  factsOfAll(streams.map((each) => columnFacts(each, names)));

/**
 * Returns the dimensions that are not sorted by value, each with its order: attributes that have ranks, names of
 * months, and any texts in the group of a date, which are sorted by their first day.
 */
export function monthsOf(
  columns: readonly ColumnEntry[],
  schema: Schema,
  facts: Facts,
): Map<string, MonthOrder> {
  const months = new Map<string, MonthOrder>();
  for (const column of columns.filter((c) => c.role === 'dimension')) {
    const texts = facts.get(column.cname)?.texts;
    const named = texts && monthOrder(column, columns, texts);
    const ranks = rankOrder(column, columns, schema);
    const order = ranks ?? named ?? dateOrder(column, columns, schema, texts);
    if (order && (order.expression !== null || order.by in schema)) months.set(column.cname, order);
  }
  return months;
}

/** Returns the setting that sorts an attribute by its ranks; null for any other column. */
function rankOrder(
  { cname }: ColumnEntry,
  columns: readonly ColumnEntry[],
  schema: Schema,
): MonthOrder | null {
  const by = orderName(cname);
  // A column of the source may have this name.
  const isRank = by in schema && !columns.some((column) => column.cname === by);
  return isRank ? { by, expression: null } : null;
}

/** Texts whose alphabetical order is the order of time: "2027", "2027-03", "2027 Q1", "2027-W07". */
const SORTS_AS_DATE = /^\d{4}([-/. ]?[QW]?\d{1,2})?$/i;

/** Returns the date of the group that contains a dimension; null if there is none. */
export function dateOfGroup(name: string, columns: readonly ColumnEntry[]): string | null {
  const group = columns.find(({ cname }) => cname === name)?.dim_group ?? null;
  if (group === null) return null;
  return columns.find((c) => c.role === 'date' && c.dim_group === group)?.cname ?? null;
}

/**
 * Returns the setting that sorts a dimension by the date of its group; null if the group has no date, or if
 * its texts already sort by time, such as 2027-03.
 */
function dateOrder(
  { cname }: ColumnEntry,
  columns: readonly ColumnEntry[],
  schema: Schema,
  texts: readonly (string | null)[] | null | undefined,
): MonthOrder | null {
  const date = schema[cname] === 'string' ? dateOfGroup(cname, columns) : null;
  const isInOrder = texts?.every((text) => text === null || SORTS_AS_DATE.test(text)) ?? false;
  return date !== null && !isInOrder ? { by: date, expression: null } : null;
}

/** Returns the dates that a layout groups by a unit of time. */
export const datesGrouped = (layout: Layout): string[] =>
  Object.values(usedExpressions(layout)).flatMap((text) => readBucket(text)?.date ?? []);

/**
 * Returns the layout that a pivot is likely to show first; missing rows or measures are taken from the
 * default layout.
 *
 * @param streams the rows as received
 * @param dimensions the columns that can be grouped by
 * @returns the layout, and the facts that were read for it
 */
export function expectedLayout(
  streams: readonly ArrowColumns[],
  { layout, columns }: { layout: Layout; columns: readonly ColumnEntry[] },
  dimensions: readonly string[],
  schema: Schema,
  origins: Origins,
): { layout: Layout; facts: Facts } {
  const isKnown = layout.group_by !== undefined && (layout.columns?.length ?? 0) > 0;
  const used = namesUsed(layout);
  const asked = isKnown ? dimensions.filter((name) => used.has(name)) : dimensions;
  const facts = factsIn(streams, asked);
  const whole = isKnown ? layout : { ...defaultLayout(columns, schema, facts, origins), ...layout };
  const months = monthsOf(columns, schema, facts);
  return { layout: withMonthsInOrder(withOthers(whole, origins), months), facts };
}
