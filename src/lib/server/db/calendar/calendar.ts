/** Reads the calendar `pf.dim_period`. */
import * as v from 'valibot';
import { commas, ident, sql } from '../../sql/quote';
import type { Queryable } from '../connection/queryable';

/** Whether a table exists, also in schemas whose tables cannot become sources. */
export const tableIsMade = (db: Queryable, schema: string, table: string): Promise<boolean> =>
  db.any(
    sql`SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = $1 AND c.relname = $2`,
    [schema, table],
  );

/** Whether pf.dim_period has been made and filled. */
export async function calendarLoaded(db: Queryable): Promise<boolean> {
  const isMade = await tableIsMade(db, 'pf', 'dim_period');
  return isMade && db.any(sql`SELECT 1 FROM pf.dim_period LIMIT 1`);
}

/** The month in which the fiscal year of pf.dim_period starts, 1 to 12; null without a calendar. */
export async function fiscalStart(db: Queryable): Promise<number | null> {
  if (!(await tableIsMade(db, 'pf', 'dim_period'))) return null;
  const first = await db.maybeOne(
    v.object({ cal_month: v.number() }),
    sql`SELECT cal_month FROM pf.dim_period WHERE fisc_month = 1 ORDER BY sdat DESC LIMIT 1`,
  );
  return first?.cal_month ?? null;
}

/**
 * Some columns of the period that holds a day, as text; null for each if the calendar does not
 * hold the day or there is no day.
 */
export async function periodOf(
  db: Queryable,
  day: string | null,
  periodColumns: readonly string[],
): Promise<(string | null)[]> {
  const row = await db.maybeOne(
    v.object({ period: v.array(v.nullable(v.string())) }),
    sql`SELECT ARRAY[${commas(periodColumns.map((c) => sql`${ident(c)}::text`))}]::text[] AS period
     FROM pf.dim_period WHERE sdat = date_trunc('month', $1::date)::date`,
    [day],
  );
  return row?.period ?? periodColumns.map(() => null);
}

/**
 * Some columns of the periods that begin on the first day of some months, as text, by that day. Months that the
 * calendar does not hold are left out.
 */
export async function periodsOf(
  db: Queryable,
  months: readonly string[],
  periodColumns: readonly string[],
): Promise<Map<string, (string | null)[]>> {
  const rows = await db.many(
    v.object({ month: v.string(), period: v.array(v.nullable(v.string())) }),
    sql`SELECT sdat::text AS month, ARRAY[${commas(periodColumns.map((c) => sql`${ident(c)}::text`))}]::text[] AS period
     FROM pf.dim_period WHERE sdat = ANY($1::date[]) ORDER BY sdat`,
    [months],
  );
  return new Map(rows.map(({ month, period }) => [month, period]));
}
