/** Queries about the rows that a refresh compares: of the source, and those that loads hold. */
import * as v from 'valibot';
import type { CopyingLoad } from '../../../contract/operations';
import { COPYING_LOADS } from '../../../contract/operations';
import type { ForecastColumn } from '../../sql/forecast-columns';
import type { ReadableRows, SqlText } from '../../sql/quote';
import { qualified, sql } from '../../sql/quote';
import { monthOf } from '../../sql/templates/refresh';
import type { Queryable } from '../connection/queryable';
import { noTotals, Totals, totals, totalsIn, totalsOfTotals } from '../totals/totals';

/** Number of rows of a source that match a condition. */
export const countSource = async (
  db: Queryable,
  { schema, tname }: { schema: string; tname: string },
  where: SqlText,
): Promise<number> => {
  const { count } = await db.one(
    v.object({ count: v.number() }),
    sql`SELECT count(*) AS count FROM ${qualified(schema, tname)} WHERE ${where}`,
  );
  return count;
};

/**
 * Times for the rows of the loads of one refresh: the time of the transaction and those that follow it by microseconds,
 * all of them after an earlier time.
 *
 * @param after the latest time of an earlier refresh of the version; null without any
 * @returns instants in UTC, to the microsecond; their order as texts is that in time
 */
export async function timesOfLoads(
  db: Queryable,
  count: number,
  after: string | null,
): Promise<string[]> {
  const times = await db.many(
    v.object({ at: v.string() }),
    sql`SELECT to_char((greatest(now(), $2::timestamptz) + n * interval '1 microsecond') AT TIME ZONE 'UTC',
       'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at
     FROM generate_series(1, $1::integer) AS n ORDER BY n`,
    [count, after],
  );
  return times.map(({ at }) => at);
}

/** Stores the time of a refresh that found nothing. */
export const noteChecked = (db: Queryable, versionId: number): Promise<number> =>
  db.run(sql`UPDATE pf.version SET checked_at = now() WHERE id = $1`, [versionId]);

/** Totals of rows before an entry was written, of the entry's rows, and of all of them. */
interface Change {
  before: Totals;
  written: Totals;
  after: Totals;
}

const SideRow = v.object({
  month: v.nullable(v.string()),
  iter: v.picklist(COPYING_LOADS),
  own: v.nullable(v.boolean()),
  ...Totals.entries,
});

/**
 * What an entry has changed in the totals of some rows, by origin and month. Rows without a date have the month null.
 *
 * @param date the column of the months; undefined for all rows together
 * @param own the rows of the entry
 */
export async function changesByMonth(
  db: Queryable,
  from: ReadableRows,
  columns: readonly ForecastColumn[],
  date: ForecastColumn | undefined,
  { where, own }: { where: SqlText; own: SqlText },
): Promise<({ month: string | null; iter: CopyingLoad } & Change)[]> {
  const rows = await db.many(
    SideRow,
    sql`WITH part AS (
       SELECT ${monthOf(date)} AS month, pf_iter AS iter, (${own}) AS own, ${totals(columns)}
       FROM ${from} WHERE ${where} GROUP BY 1, 2, 3
     )
     SELECT * FROM part
     UNION ALL
     SELECT month, iter, NULL, ${totalsOfTotals(columns)} FROM part GROUP BY 1, 2
     ORDER BY month, iter`,
  );
  return rows
    .filter(({ own: side }) => side === null)
    .map(({ month, iter, ...after }) => {
      const of = (isOwn: boolean): Totals => {
        const found = rows.find((r) => r.month === month && r.iter === iter && r.own === isOwn);
        return found ? totalsIn(found) : noTotals(columns);
      };
      return { month, iter, before: of(false), written: of(true), after: totalsIn(after) };
    });
}

const DifferingRow = v.object({
  place: v.number(),
  month: v.nullable(v.string()),
  rows: v.number(),
});

/** Runs a query of leaves that differ from the source (`differingQuery`). */
export const differing = (
  db: Queryable,
  query: SqlText,
): Promise<v.InferOutput<typeof DifferingRow>[]> => db.many(DifferingRow, query);
