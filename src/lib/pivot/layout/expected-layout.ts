import type { ColumnEntry } from '../../contract/columns';
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
  withOther,
} from './layout';
import type { Origins } from '../rows/origins';
import { readBucket } from '../values/time-unit';

/** Facts by column. */
type Facts = ReadonlyMap<string, ColumnFacts>;

/** Facts about columns of rows that come in several streams. */
export const factsIn = (streams: readonly ArrowColumns[], names: readonly string[]): Facts =>
  factsOfAll(streams.map((each) => columnFacts(each, names)));

/** The dimensions that hold month names, and what brings them in order. */
export function monthsOf(
  columns: readonly ColumnEntry[],
  schema: Schema,
  facts: Facts,
): Map<string, MonthOrder> {
  const months = new Map<string, MonthOrder>();
  for (const column of columns.filter((c) => c.role === 'dimension')) {
    const texts = facts.get(column.cname)?.texts;
    const order = texts && monthOrder(column, columns, texts);
    if (order && (order.expression !== null || order.by in schema)) months.set(column.cname, order);
  }
  return months;
}

/** The dates that a layout groups by a unit of time. */
export const datesGrouped = (layout: Layout): string[] =>
  Object.values(usedExpressions(layout)).flatMap((text) => readBucket(text)?.date ?? []);

/**
 * The layout that a pivot is likely to show first: one without rows or measures gets those of the usual one.
 *
 * @param streams the rows as they come
 * @param dimensions the columns that can be grouped by
 * @returns the layout, and the facts that it took to tell it
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
  return { layout: withMonthsInOrder(withOther(whole, origins), months), facts };
}
