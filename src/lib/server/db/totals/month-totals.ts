/** Totals of entries by month. */
import * as v from 'valibot';
import type { ForecastColumn } from '../../sql/forecast-columns';
import type { ReadableRows } from '../../sql/quote';
import { ident, sql } from '../../sql/quote';
import { idList } from '../../sql/templates/read';
import type { Queryable } from '../connection/queryable';
import type { ExactTotals, Totals } from './totals';
import { bothTotals, BothTotals, noTotals, totals, totalsOfTotals, withMeasures } from './totals';

/** Totals of an entry in one month, with all digits of PostgreSQL. */
interface Part extends Omit<ExactTotals, 'logid'> {
  /** Origin of its rows. */
  iter: string;
  /** The first day of the month as text; null for rows without a date. */
  month: string | null;
}

/** Totals of an entry by month. */
export interface EntryMonths {
  logid: number;
  months: Part[];
}

/** Totals of a version: of its plan, of its reference, and of the plan by month. */
interface MonthTotals {
  plan: Totals;
  reference: Totals;
  /** The part of the plan from the first to the last month of the reference, both null without dates. */
  compared: Totals & { first_month: string | null; last_month: string | null };
  /** Oldest first. Rows without a date belong to no month. */
  months: ({ month: string } & Totals)[];
}

const Row = v.object({
  of: v.picklist(['entry', 'plan', 'reference', 'month', 'compared']),
  logid: v.nullable(v.number()),
  iter: v.nullable(v.string()),
  month: v.nullable(v.string()),
  last_month: v.nullable(v.string()),
  ...BothTotals.entries,
});

/**
 * Totals of some entries by month. One pass reads the rows of the entries whose totals are not cached.
 *
 * @param date the date column of the months; undefined if the source has none
 * @param excluded origins that do not belong to the plan
 * @param entries entries whose rows are read
 * @param known cached totals of other entries by month
 * @returns the totals, and the totals by month of the entries that were read
 */
export async function monthTotals(
  db: Queryable,
  from: ReadableRows,
  columns: readonly ForecastColumn[],
  date: ForecastColumn | undefined,
  excluded: readonly string[],
  entries: readonly number[],
  known: readonly EntryMonths[],
): Promise<MonthTotals & { read: EntryMonths[] }> {
  const month = date
    ? sql`date_trunc('month', ${ident(date.name)}::timestamp)::date::text`
    : sql`NULL::text`;
  const none = noTotals(columns);
  const measures = withMeasures(columns);
  const added = sql`${totalsOfTotals(columns)}, NULL, NULL`;
  const rows = await db.many(
    Row,
    // PostgreSQL adds the cached totals too: JavaScript would round them.
    sql`WITH part AS (
       SELECT pf_logid AS logid, pf_iter AS iter, ${month} AS month, ${totals(columns)}
         FROM ${from} WHERE pf_logid IN (${idList(entries)}) GROUP BY 1, 2, 3
       UNION ALL
       SELECT logid, iter, month, row_count, value_total, units_total${measures} FROM jsonb_to_recordset($1)
         AS known (logid bigint, iter text, month text, row_count bigint, value_total numeric, units_total numeric${withMeasures(columns, sql` jsonb`)})
     ), span AS (
       SELECT min(month::date) AS first, max(month::date) AS last, bool_or(month IS NULL) AS undated
       FROM part WHERE iter = 'reference'
     )
     SELECT 'entry' AS of, logid, iter, month, NULL::text AS last_month, row_count, value_total, units_total${measures},
         value_total::text AS value_text, units_total::text AS units_text
       FROM part WHERE logid IN (${idList(entries)})
     UNION ALL
     SELECT 'plan', NULL, NULL, NULL, NULL, ${added} FROM part WHERE iter <> ALL ($2::text[])
     UNION ALL
     SELECT 'reference', NULL, NULL, NULL, NULL, ${added} FROM part WHERE iter = 'reference'
     UNION ALL
     SELECT 'month', NULL, NULL, month, NULL, ${added} FROM part
       WHERE iter <> ALL ($2::text[]) AND month IS NOT NULL GROUP BY month
     UNION ALL
     SELECT 'compared', NULL, NULL, first::text, last::text, ${added} FROM span
       LEFT JOIN part ON iter <> ALL ($2::text[])
         AND (month::date BETWEEN first AND last OR month IS NULL AND undated)
       GROUP BY first, last`,
    [
      JSON.stringify(
        known.flatMap(({ logid, months }) => months.map((each) => ({ logid, ...each }))),
      ),
      excluded,
    ],
  );
  const found: MonthTotals = {
    ...{ plan: none, reference: none, months: [] },
    compared: { ...none, first_month: null, last_month: null },
  };
  const read = new Map(
    entries.map((logid): [number, EntryMonths] => [logid, { logid, months: [] }]),
  );
  for (const { of, logid, iter, month, last_month, ...row } of rows) {
    const { totals: sums, exact } = bothTotals(row);
    if (of === 'plan' || of === 'reference') found[of] = sums;
    else if (of === 'compared') found.compared = { first_month: month, last_month, ...sums };
    else if (of === 'month' && month !== null) found.months.push({ month, ...sums });
    else if (logid !== null && iter !== null) {
      read.get(logid)?.months.push({ iter, month, ...exact });
    }
  }
  found.months.sort((a, b) => a.month.length - b.month.length || (a.month < b.month ? -1 : 1));
  return { ...found, read: [...read.values()] };
}
