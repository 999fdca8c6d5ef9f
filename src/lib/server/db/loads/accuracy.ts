/** Amounts of a version by entry and cell, for its accuracy. */
import * as v from 'valibot';
import { scalar } from '../../../contract/primitives';
import type { ForecastColumn } from '../../sql/forecast-columns';
import { measureKind } from '../../sql/forecast-columns';
import { jsonValue } from '../../sql/groups';
import { type Attribute, besideValues } from '../../sql/lookups';
import { startOfPeriod } from '../../sql/loaded-day';
import type { ReadableRows, SqlText } from '../../sql/quote';
import { commas, ident, sql } from '../../sql/quote';
import { exactSum } from '../../sql/templates/leaves';
import type { Queryable } from '../connection/queryable';

const CellLine = v.object({
  logid: v.number(),
  iter: v.string(),
  /** Whether operations see the rows. */
  counts: v.boolean(),
  /** The first day of the month. */
  month: v.string(),
  /** The values of `by`. */
  key: v.array(v.nullable(scalar)),
  /** Sums of the measures, rounded to doubles. */
  sums: v.array(v.number()),
  /** The most decimals of the amounts of each measure; null for a floating-point one. */
  decimals: v.array(v.nullable(v.number())),
});
/** The amounts that one entry added to one cell. */
export type CellLine = v.InferOutput<typeof CellLine>;

/** How rows are added up to cells. */
export interface Cells {
  date: ForecastColumn;
  by: readonly (ForecastColumn | Attribute)[];
  measures: readonly ForecastColumn[];
}

/**
 * Adds up rows by entry, month, dimensions and attributes. A missing amount counts as 0.
 *
 * @param where the rows, all of which have a date
 * @param counts the condition on rows that operations see
 * @param limit the most lines to answer
 * @returns the lines in the order of the entries
 */
export function cellLines(
  db: Queryable,
  from: ReadableRows,
  { date, by, measures }: Cells,
  where: SqlText,
  counts: SqlText,
  limit: number,
): Promise<CellLine[]> {
  const attributes = by.filter((each) => 'lookup' in each);
  const keys = by.map((column, i) => ({ select: jsonValue(column, sql`f.`), name: sql`k${i}` }));
  const sums = measures.map((measure, i) => ({
    select: sql`COALESCE(${exactSum(measure, sql`f.${ident(measure.name)}`)}, 0)::double precision`,
    name: sql`m${i}`,
  }));
  const decimals = measures.map((measure, i) => ({
    select: measureKind(measure).exact
      ? sql`COALESCE(MAX(scale(f.${ident(measure.name)}::numeric)), 0)`
      : sql`NULL::integer`,
    name: sql`d${i}`,
  }));
  const grouped = commas([1, 2, 3, 4, ...keys.map((_, i) => i + 5)].map((place) => sql`${place}`));
  // By position: a source may have columns with the names of the results.
  return db.many(
    CellLine,
    sql`SELECT logid, iter, counts, month,
       jsonb_build_array(${commas(keys.map(({ name }) => name))}) AS key,
       jsonb_build_array(${commas(sums.map(({ name }) => name))}) AS sums,
       jsonb_build_array(${commas(decimals.map(({ name }) => name))}) AS decimals
     FROM (
       SELECT ${commas([
         sql`f.pf_logid AS logid`,
         sql`f.pf_iter AS iter`,
         sql`${counts} AS counts`,
         sql`${startOfPeriod(sql`f.${ident(date.name)}`, 'month')}::text AS month`,
         ...keys.map(({ select, name }) => sql`${select} AS ${name}`),
         ...sums.map(({ select, name }) => sql`${select} AS ${name}`),
         ...decimals.map(({ select, name }) => sql`${select} AS ${name}`),
       ])}
       FROM ${besideValues(from, attributes, sql`f`)}
       WHERE ${where}
       GROUP BY ${grouped}
     ) AS lines
     ORDER BY logid
     LIMIT ${limit}`,
  );
}
