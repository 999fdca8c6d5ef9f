/** Queries about the months that a close replaces: of the plan and of the source. */
import * as v from 'valibot';
import type { ForecastColumn } from '../../sql/forecast-columns';
import { measureColumns } from '../../sql/forecast-columns';
import { startOfPeriod } from '../../sql/loaded-day';
import type { ReadableRows, SqlText } from '../../sql/quote';
import { commas, ident, sql } from '../../sql/quote';
import { loadedRows, loadedValue } from '../../sql/templates/load';
import type { TokenValues } from '../../sql/tokens';
import { substitute } from '../../sql/tokens';
import type { Queryable } from '../connection/queryable';
import { Totals, totals } from '../totals/totals';

/** The first day of a date column over the rows that match a condition; null if none of them has a date. */
export async function firstDay(
  db: Queryable,
  from: ReadableRows,
  { name }: ForecastColumn,
  where: SqlText,
): Promise<string | null> {
  const { day } = await db.one(
    v.object({ day: v.nullable(v.string()) }),
    sql`SELECT min(${ident(name)})::text AS day FROM ${from} WHERE ${where}`,
  );
  return day;
}

const MonthRow = v.object({ month: v.string(), ...Totals.entries });

/**
 * Totals by month of the rows that match a condition on the columns of a forecast table. All of them have a date.
 *
 * @param rows the table, or a query with an alias
 * @returns the totals of each month that has rows, by its first day
 */
export async function totalsByMonth(
  db: Queryable,
  rows: SqlText,
  columns: readonly ForecastColumn[],
  { name }: ForecastColumn,
  where: SqlText,
): Promise<Map<string, Totals>> {
  const months = await db.many(
    MonthRow,
    sql`SELECT ${startOfPeriod(ident(name), 'month')}::text AS month, ${totals(columns)}
     FROM ${rows} WHERE ${where} GROUP BY 1`,
  );
  return new Map(months.map(({ month, ...sums }) => [month, sums]));
}

/**
 * The rows of the source as a load writes them, with a date and the measures only, for {@link totalsByMonth}.
 *
 * @param tokens the condition and the offset of the load
 */
export function sourceRows(
  source: { schema: string; tname: string },
  columns: readonly ForecastColumn[],
  date: ForecastColumn,
  tokens: Pick<TokenValues, 'filter_clause' | 'date_offset'>,
): SqlText {
  const used = [date, ...measureColumns(columns)];
  const values = used.map((c) => sql`${loadedValue(c, used)} AS ${ident(c.name)}`);
  const query = sql`(SELECT ${commas(values)} ${loadedRows(source, used)}) AS happened`;
  return substitute(query, tokens);
}
