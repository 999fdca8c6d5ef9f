/** Fills the calendar of retail weeks `pf_lookups.weeks`. */
import type { ClientBase } from 'pg';
import type { WeekPattern } from '../../../contract/calendar-tables';
import { sql } from '../../sql/quote';
import type { Queryable } from '../connection/queryable';
import { tableIsMade } from './calendar';
import { calendarTransaction, oneAtATime } from './calendar-transaction';

/** The weeks of the first two periods of a quarter of 13 weeks. */
const WEEKS_OF_PERIODS: Readonly<Record<WeekPattern, readonly [first: number, second: number]>> = {
  '4-4-5': [4, 4],
  '4-5-4': [4, 5],
  '5-4-4': [5, 4],
};

const TABLE = sql`
  CREATE TABLE pf_lookups.weeks (
    sdat      date PRIMARY KEY,
    edat      date NOT NULL,
    year      integer NOT NULL,
    quarter   text NOT NULL,
    period    text NOT NULL,
    week      text NOT NULL,
    period_no integer NOT NULL,
    week_no   integer NOT NULL
  )`;

/**
 * $1 is a first day of a year, $2 and $3 are the weeks of a quarter that its first and its first two periods have. A
 * year begins on the day nearest to the same date that is the same day of the week. It is named for the calendar year
 * in which the middle of a year from that date lies; the middle from its first day may be on either side of New Year.
 * A 53rd week belongs to the last period.
 */
const WEEKS = sql`
  WITH near AS (
    SELECT make_date(y, extract(month FROM $1::date)::int, extract(day FROM $1::date)::int) AS day
    FROM generate_series(2016, 2037) AS y
  ), start AS (
    SELECT day AS near, day - (7 + extract(dow FROM day)::int - extract(dow FROM $1::date)::int + 3) % 7 + 3 AS day
    FROM near
  ), year AS (
    SELECT extract(year FROM near + 182)::int AS year, day, lead(day) OVER (ORDER BY day) AS next FROM start
  ), week AS (
    SELECT w::date AS sdat, year, (w::date - day) / 7 + 1 AS week_no, LEAST((w::date - day) / 91, 3) AS q,
      (w::date - day) / 7 - LEAST((w::date - day) / 91, 3) * 13 AS of_quarter
    FROM year, generate_series(day, next - 7, interval '7 days') AS w
    WHERE year BETWEEN 2018 AND 2035
  ), period AS (
    SELECT *, 3 * q + CASE WHEN of_quarter < $2::int THEN 1 WHEN of_quarter < $3::int THEN 2 ELSE 3 END AS period_no
    FROM week
  )
  SELECT sdat, sdat + 6, year, year || ' Q' || q + 1, year || '-P' || lpad(period_no::text, 2, '0'),
    year || '-W' || lpad(week_no::text, 2, '0'), period_no, week_no
  FROM period`;

/**
 * Makes the schema pf_lookups and its table weeks if they do not exist, and fills the table with one row per week of
 * the years 2018 to 2035. A second run replaces the rows (docs/contract/16-migrations-and-calendar.md#weeks). Labels
 * sort as text in the order of time.
 *
 * @param transaction in which all statements run
 * @param yearStarts the first day of any year, YYYY-MM-DD: its day of the week begins all weeks
 * @returns the number of weeks
 */
export async function writeWeeks(
  transaction: Queryable,
  pattern: WeekPattern,
  yearStarts: string,
): Promise<number> {
  await oneAtATime(transaction, 'pf_lookups.weeks');
  // CREATE SCHEMA IF NOT EXISTS needs the right to create schemas even if the schema exists.
  if (!(await transaction.any(sql`SELECT FROM pg_namespace WHERE nspname = 'pf_lookups'`)))
    await transaction.run(sql`CREATE SCHEMA pf_lookups`);
  if (!(await tableIsMade(transaction, 'pf_lookups', 'weeks'))) await transaction.run(TABLE);
  await transaction.run(sql`DELETE FROM pf_lookups.weeks`);
  const [first, second] = WEEKS_OF_PERIODS[pattern];
  return transaction.run(
    sql`INSERT INTO pf_lookups.weeks (sdat, edat, year, quarter, period, week, period_no, week_no) ${WEEKS}`,
    [yearStarts, first, first + second],
  );
}

/** Runs {@link writeWeeks} on the connection of a command. */
export const loadWeeks = (
  client: ClientBase,
  pattern: WeekPattern,
  yearStarts: string,
): Promise<number> =>
  calendarTransaction(client, (transaction) => writeWeeks(transaction, pattern, yearStarts));
