/** Fills the calendar `pf.dim_period`. */
import type { ClientBase } from 'pg';
import { commas, ident, sql, type SqlText } from '../../sql/quote';
import type { Queryable } from '../connection/queryable';
import { tableIsMade } from './calendar';
import { calendarTransaction, oneAtATime } from './calendar-transaction';

const TABLE = sql`
  CREATE TABLE pf.dim_period (
    sdat               date PRIMARY KEY,
    edat               date NOT NULL,
    drange             daterange NOT NULL,
    ndays              integer NOT NULL,
    cal_year           integer NOT NULL,
    cal_quarter        integer NOT NULL,
    cal_month          integer NOT NULL,
    cal_month_abbr     text NOT NULL,
    cal_month_name     text NOT NULL,
    cal_label          text NOT NULL,
    fisc_year          integer NOT NULL,
    fisc_quarter       integer NOT NULL,
    fisc_quarter_label text NOT NULL,
    fisc_month         integer NOT NULL,
    fisc_month_abbr    text NOT NULL,
    fisc_month_name    text NOT NULL,
    fisc_label         text NOT NULL,
    period_key         text NOT NULL
  )`;

const INDEXES: readonly SqlText[] = [
  sql`CREATE INDEX dim_period_cal_idx ON pf.dim_period (cal_year, cal_month)`,
  sql`CREATE INDEX dim_period_fisc_idx ON pf.dim_period (fisc_year, fisc_month)`,
  sql`CREATE INDEX dim_period_drange_idx ON pf.dim_period USING gist (drange)`,
];

const COLUMNS = [
  ...['sdat', 'edat', 'drange', 'ndays', 'cal_year', 'cal_quarter', 'cal_month'],
  ...['cal_month_abbr', 'cal_month_name', 'cal_label', 'fisc_year', 'fisc_quarter'],
  ...['fisc_quarter_label', 'fisc_month', 'fisc_month_abbr', 'fisc_month_name', 'fisc_label'],
  'period_key',
].map(ident);

const EXCLUDED = COLUMNS.map((column) => sql`excluded.${column}`);

/** $1 is the month in which the fiscal year starts. to_char without TM writes English names. */
const MONTHS = sql`
  WITH month AS (
    SELECT m::date AS sdat,
      extract(year FROM m)::integer AS year,
      extract(month FROM m)::integer AS month,
      (extract(month FROM m)::integer - $1::integer + 12) % 12 + 1 AS fisc_month
    FROM generate_series(timestamp '2018-01-01', timestamp '2035-12-01', interval '1 month') AS m
  ), fiscal AS (
    SELECT *,
      CASE WHEN $1::integer > 1 AND month >= $1::integer THEN year + 1 ELSE year END AS fisc_year,
      (sdat + interval '1 month' - interval '1 day')::date AS edat,
      to_char(sdat, 'Mon') AS abbr,
      to_char(sdat, 'FMMonth') AS name
    FROM month
  )
  SELECT sdat, edat, daterange(sdat, edat, '[]'), edat - sdat + 1,
    year, (month + 2) / 3, month, abbr, name, to_char(sdat, 'YYYY-MM Mon'),
    fisc_year, (fisc_month + 2) / 3, 'FY' || fisc_year || ' Q' || (fisc_month + 2) / 3,
    fisc_month, abbr, name, 'FY' || fisc_year || '-' || lpad(fisc_month::text, 2, '0') || ' ' || abbr,
    to_char(sdat, 'YYYY-MM')
  FROM fiscal`;

/**
 * Makes pf.dim_period if it does not exist, and fills it with one row per month from 2018 to 2035. A second run
 * rewrites the rows in place; it may have another start month
 * (docs/contract/16-migrations-and-calendar.md#npm-run-periods).
 *
 * A fiscal year is named for the calendar year in which it ends: with a start in July, July 2024 is
 * month 1 of FY2025; with a start in January it is the calendar year. Every label with a year in it
 * sorts as text in the order of time: `cal_label` is `2024-03 Mar`, `fisc_label` `FY2024-09 Mar`,
 * `fisc_quarter_label` `FY2024 Q3`, `period_key` `2024-03`. The names of a fiscal month are those of
 * the calendar month it is.
 *
 * @param transaction in which all statements run
 * @param fiscalStart month in which the fiscal year starts, 1 to 12.
 * @returns the number of months in the calendar
 * @throws Error if the schema pf does not exist, saying what makes it.
 */
export async function writeMonths(transaction: Queryable, fiscalStart: number): Promise<number> {
  if (!(await transaction.any(sql`SELECT FROM pg_namespace WHERE nspname = 'pf'`)))
    throw new Error('The schema pf does not exist: run "npm run migrate -- up" first');

  await oneAtATime(transaction, 'pf.dim_period');
  if (!(await tableIsMade(transaction, 'pf', 'dim_period')))
    for (const statement of [TABLE, ...INDEXES]) await transaction.run(statement);
  return transaction.run(
    sql`INSERT INTO pf.dim_period (${commas(COLUMNS)}) ${MONTHS}
     ON CONFLICT (sdat) DO UPDATE SET (${commas(COLUMNS)}) = ROW (${commas(EXCLUDED)})`,
    [fiscalStart],
  );
}

/** Runs {@link writeMonths} on the connection of a command. */
export const loadCalendar = (client: ClientBase, fiscalStart: number): Promise<number> =>
  calendarTransaction(client, (transaction) => writeMonths(transaction, fiscalStart));
