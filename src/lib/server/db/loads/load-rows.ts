/** The rows that a load writes or would write, and warnings about them. */
import * as v from 'valibot';
import type { DateSpan } from '../../../contract/loads';
import type { ForecastColumn } from '../../sql/forecast-columns';
import { derivingDates, periodColumnsOf } from '../../sql/forecast-columns';
import { dayOf, shiftedDay } from '../../sql/loaded-day';
import { loadChecks } from '../../sql/forecast-table';
import type { Identifier, SqlText } from '../../sql/quote';
import { commas, ident, join, qualified, sql, typedLiteral } from '../../sql/quote';
import { days } from '../versions/forecast';
import type { Queryable } from '../connection/queryable';
import { Totals, totals } from '../totals/totals';

/** Rows of a load that the calendar does not cover. */
interface Uncovered {
  /** Number of rows with a date outside the calendar. */
  outsideCalendar: number;
  /** Dimensions derived from the calendar that are null in every row, in order; none if there are no rows. */
  emptyPeriods: string[];
}

const UncoveredRow = v.object({ outside: v.number(), found: v.array(v.nullable(v.boolean())) });

/** Joins the month of each date that dimensions are derived from, as a load does. */
function uncovered(
  columns: readonly ForecastColumn[],
  dayOfDate: (date: ForecastColumn) => SqlText,
) {
  const dates = derivingDates(columns);
  const months = dates.map((date, i) => ({ day: dayOfDate(date), as: sql`p${i}` }));
  const outside = months.map(({ day, as }) => sql`(${day} IS NOT NULL AND ${as}.sdat IS NULL)`);
  return {
    // Each day belongs to at most one month, so the joins count no row twice.
    joins: join(
      months.map(
        ({ day, as }) =>
          sql`LEFT JOIN pf.dim_period AS ${as} ON ${as}.sdat = date_trunc('month', ${day})::date`,
      ),
      sql` `,
    ),
    select: sql`count(*) FILTER (WHERE ${join([...outside, sql`FALSE`], sql` OR `)}) AS outside,
       ARRAY[${commas(months.map(({ as }) => sql`bool_or(${as}.sdat IS NOT NULL)`))}]::boolean[] AS found`,
    read: ({ outside: count, found }: v.InferOutput<typeof UncoveredRow>): Uncovered => {
      const empty = dates.filter((_, i) => found[i] === false);
      const all = empty.flatMap((date) => periodColumnsOf(date, columns));
      return {
        outsideCalendar: count,
        emptyPeriods: columns.filter((c) => all.some((e) => e.name === c.name)).map((c) => c.name),
      };
    },
  };
}

/** Checks the newly written rows of one entry: the first problem that makes a load fail, and the periods that the calendar lacks. */
export async function checkEntryRows(
  db: Queryable,
  table: Identifier,
  columns: readonly ForecastColumn[],
  logid: number,
): Promise<Uncovered & { problem: { column: string; problem: string } | undefined }> {
  const hasEncoding = await db.any(
    sql`SELECT WHERE current_setting('server_encoding') <> 'SQL_ASCII'`,
  );
  const checks = loadChecks(columns, hasEncoding);
  const { joins, select, read } = uncovered(columns, (date) => sql`f.${ident(date.name)}`);
  const row = await db.one(
    v.object({ ...UncoveredRow.entries, problems: v.array(v.nullable(v.boolean())) }),
    sql`SELECT ARRAY[${commas(checks.map((c) => sql`bool_or(${c.test})`))}]::boolean[] AS problems,
       ${select}
     FROM ${table} AS f ${joins} WHERE f.pf_logid = $1`,
    [logid],
  );
  return { problem: checks.find((_, i) => row.problems[i]), ...read(row) };
}

/** Parses a text as an interval. @returns whether it moves a date @throws DatabaseError if it is not an interval */
export const intervalMoves = async (db: Queryable, text: string): Promise<boolean> => {
  const { moves } = await db.one(
    v.object({ moves: v.boolean() }),
    sql`SELECT $1::interval <> interval '0' AS moves`,
    [text],
  );
  return moves;
};

/** Totals and date ranges of the rows that a load of the source table would write, and the periods that the calendar lacks. */
export async function loadTotals(
  db: Queryable,
  source: { schema: string; tname: string },
  columns: readonly ForecastColumn[],
  where: SqlText,
  dateOffset: string,
): Promise<Totals & Uncovered & { spans: DateSpan[] }> {
  const dates = columns.filter((c) => c.role === 'date');
  const offset = typedLiteral(dateOffset, sql`interval`);
  const shifted = (date: ForecastColumn) => shiftedDay(date, offset);
  const { joins, select, read } = uncovered(columns, shifted);
  const { spans, outside, found, ...sums } = await db.one(
    v.object({ ...Totals.entries, ...UncoveredRow.entries, spans: days }),
    sql`SELECT ${totals(columns)}, ${select}, ARRAY[${commas(
      dates.flatMap((d) => [
        sql`min(${dayOf(d)})::text`,
        sql`max(${dayOf(d)})::text`,
        sql`min(${shifted(d)})::text`,
        sql`max(${shifted(d)})::text`,
      ]),
    )}]::text[] AS spans
     FROM (SELECT * FROM ${qualified(source.schema, source.tname)} WHERE ${where}) AS s ${joins}`,
  );
  const span = (i: number) => spans[i] ?? null;
  return {
    ...sums,
    ...read({ outside, found }),
    spans: dates.map((d, i) => ({
      cname: d.name,
      min: span(4 * i),
      max: span(4 * i + 1),
      shifted_min: span(4 * i + 2),
      shifted_max: span(4 * i + 3),
    })),
  };
}
