/** The amounts of the source by group and period. */
import * as v from 'valibot';
import type { ForecastUnit } from '../../../contract/forecasts';
import { scalar } from '../../../contract/primitives';
import type { ForecastColumn } from '../../sql/forecast-columns';
import { groupKey, jsonValue } from '../../sql/groups';
import { dayOf, startOfPeriod } from '../../sql/loaded-day';
import type { SqlText } from '../../sql/quote';
import { commas, ident, literal, qualified, sql } from '../../sql/quote';
import type { Queryable } from '../connection/queryable';

/** The rows of the source that are a history, and how they are added up. */
export interface HistoryQuery {
  source: { schema: string; tname: string };
  /** The condition of the rows. */
  where: SqlText;
  date: ForecastColumn;
  unit: ForecastUnit;
  by: readonly ForecastColumn[];
  measures: readonly ForecastColumn[];
  /** First day; null for all days until the last. */
  from: string | null;
  through: string;
}

const GroupRow = v.object({
  key: v.array(v.nullable(scalar)),
  /** The values as texts, as {@link groupKey} has them. */
  id: v.array(v.nullable(v.string())),
  periods: v.array(v.string()),
  sums: v.array(v.array(v.number())),
});
/** The amounts of one group. */
export type GroupSums = v.InferOutput<typeof GroupRow>;

/**
 * Adds up the measures of the source by group and period. Rows without a date are left out. A missing amount
 * counts as 0.
 *
 * @param limit the most groups to answer
 * @returns for each group its values of `by`, also as texts, the first days of its periods with rows, and for each measure its
 * sums in these periods, rounded to doubles
 */
export function groupSums(
  db: Queryable,
  { source, where, date, unit, by, measures, from, through }: HistoryQuery,
  limit: number,
): Promise<GroupSums[]> {
  const day = dayOf(date);
  const keys = by.map((c, i) => ({
    select: sql`${jsonValue(c, sql`s.`)} AS k${i}`,
    name: sql`k${i}`,
  }));
  const names = keys.map(({ name }) => name);
  const sums = measures.map(({ name }, i) => ({
    select: sql`COALESCE(SUM(s.${ident(name)}), 0)::double precision AS m${i}`,
    list: sql`to_jsonb(array_agg(m${i} ORDER BY period))`,
  }));
  // By position: a source may have columns with the names of the results.
  const grouped = commas([sql`1`, sql`2`, ...keys.map((_, i) => sql`${i + 3}`)]);
  const since = from === null ? sql`isfinite(${day})` : sql`${day} >= ${literal(from)}::date`;
  return db.many(
    GroupRow,
    sql`SELECT jsonb_build_array(${commas(names)}) AS key, id,
       to_jsonb(array_agg(period::text ORDER BY period)) AS periods,
       jsonb_build_array(${commas(sums.map(({ list }) => list))}) AS sums
     FROM (
       SELECT ${commas([
         sql`${startOfPeriod(day, unit)} AS period`,
         sql`${groupKey({ columns: by, unit }, sql`s.`)} AS id`,
         ...keys.map(({ select }) => select),
         ...sums.map(({ select }) => select),
       ])}
       FROM (SELECT * FROM ${qualified(source.schema, source.tname)} WHERE ${where}) AS s
       WHERE ${since} AND ${day} <= ${literal(through)}::date
       GROUP BY ${grouped}
     ) AS sums
     GROUP BY ${commas([...names, sql`id`])}
     ${names.length > 0 ? sql`ORDER BY ${commas(names)}` : sql``}
     LIMIT ${limit}`,
  );
}
