import type { DateSpan } from '../../contract/loads';
import type { ForecastColumn } from '../sql/forecast-columns';
import { derivingDates, measureColumns } from '../sql/forecast-columns';
import { createEntryIndex, createForecastTable, loadChecks } from '../sql/forecast-table';
import { ident, qualified, typedLiteral } from '../sql/identifiers';
import type { Session } from './database';

/**
 * The types of a forecast table's data columns by name, as PostgreSQL prints them, in order. System
 * columns are left out.
 */
export async function existingColumns(
  session: Session,
  tableName: string,
): Promise<Map<string, string>> {
  const rows = await session.many<{ name: string; type: string }>(
    `SELECT a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type
     FROM pg_attribute a
     JOIN pg_class c ON c.oid = a.attrelid AND c.relname = $1
     JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = 'pf'
     WHERE a.attnum > 0 AND NOT a.attisdropped
       AND a.attname NOT IN ('pf_id', 'pf_iter', 'pf_logid', 'pf_created_at')
     ORDER BY a.attnum`,
    [tableName],
  );
  return new Map(rows.map(({ name, type }) => [name, type]));
}

/** Makes a version's forecast table with its keys. `table` is quoted. */
export async function createTable(
  session: Session,
  table: string,
  columns: readonly ForecastColumn[],
): Promise<void> {
  await session.run(createForecastTable(table, columns));
  await session.run(createEntryIndex(table));
}

/** Drops a forecast table with its rows; does nothing where it is gone. `table` is quoted. */
export const dropTable = (session: Session, table: string): Promise<number> =>
  session.run(`DROP TABLE IF EXISTS ${table}`);

/** Whether any row of the table has something in the column. */
export async function columnHasData(
  session: Session,
  table: string,
  column: string,
): Promise<boolean> {
  const { some } = await session.one<{ some: boolean }>(
    `SELECT EXISTS (SELECT FROM ${table} WHERE ${ident(column)} IS NOT NULL) AS some`,
  );
  return some;
}

/** Takes a column out with whatever it holds; {@link columnHasData} tells whether that is anything. */
export const dropColumn = (session: Session, table: string, column: string): Promise<number> =>
  session.run(`ALTER TABLE ${table} DROP COLUMN ${ident(column)}`);

/** Adds a column that is empty in every row. */
export const addColumn = (
  session: Session,
  table: string,
  column: ForecastColumn,
): Promise<number> =>
  session.run(`ALTER TABLE ${table} ADD COLUMN ${ident(column.name)} ${column.type}`);

/** How many rows and what they add up to; a total is null where the source has no such measure. */
export interface Totals {
  row_count: number;
  value_total: number | null;
  units_total: number | null;
}

/** The totals of no rows. */
export const noTotals = (columns: readonly ForecastColumn[]): Totals => ({
  row_count: 0,
  value_total: columns.some((c) => c.role === 'value') ? 0 : null,
  units_total: columns.some((c) => c.role === 'units') ? 0 : null,
});

const total = (measure: ForecastColumn | undefined): string =>
  measure ? `COALESCE(SUM(${ident(measure.name)}), 0)` : 'NULL';

const totals = (columns: readonly ForecastColumn[]): string => {
  const measure = (role: 'value' | 'units') => measureColumns(columns).find((c) => c.role === role);
  return `count(*) AS row_count, ${total(measure('value'))} AS value_total,
    ${total(measure('units'))} AS units_total`;
};

/**
 * Totals of a forecast table in one pass: of all its rows, and by log entry. An entry without rows is
 * not in the map.
 */
export async function entryTotals(
  session: Session,
  table: string,
  columns: readonly ForecastColumn[],
): Promise<{ overall: Totals; byEntry: Map<number, Totals> }> {
  const allEntries = (['value', 'units'] as const).map((role) =>
    columns.some((c) => c.role === role) ? `COALESCE(SUM(${role}_total), 0)` : 'NULL',
  );
  const rows = await session.many<Totals & { logid: number | null }>(
    // The sums of all rows are PostgreSQL's too: added up here, they would be off by a digit. A
    // distributed table has no GROUPING SETS.
    `WITH entry AS (
       SELECT pf_logid AS logid, ${totals(columns)} FROM ${table} GROUP BY pf_logid
     )
     SELECT * FROM entry
     UNION ALL
     SELECT NULL, COALESCE(SUM(row_count), 0), ${allEntries.join(', ')} FROM entry`,
  );
  const byEntry = new Map<number, Totals>();
  let overall = noTotals(columns);
  for (const { logid, ...entry } of rows) {
    if (logid === null) overall = entry;
    else byEntry.set(logid, entry);
  }
  return { overall, byEntry };
}

/** Rows and totals behind a condition, apart for rows that operations skip and rows they touch. */
export async function sliceTotals(
  session: Session,
  table: string,
  columns: readonly ForecastColumn[],
  where: string,
  exclude: string,
): Promise<Record<'included' | 'excluded', Totals>> {
  const rows = await session.many<Totals & { included: boolean }>(
    `SELECT (${exclude}) AS included, ${totals(columns)} FROM ${table} WHERE ${where} GROUP BY 1`,
  );
  const side = (wanted: boolean): Totals => {
    const row = rows.find(({ included }) => included === wanted);
    if (!row) return noTotals(columns);
    const { included: _, ...found } = row;
    return found;
  };
  return { included: side(true), excluded: side(false) };
}

/**
 * What one entry's freshly written rows hold: the first problem that a load may not bring in, and
 * how many rows have a date that the calendar does not.
 */
export async function checkEntryRows(
  session: Session,
  table: string,
  columns: readonly ForecastColumn[],
  logid: number,
): Promise<{ problem: { column: string; problem: string } | undefined; outsideCalendar: number }> {
  const checks = loadChecks(columns);
  // Joined like a load joins it: a day has one month at most, so no row is counted twice.
  const months = derivingDates(columns).map((date, i) => ({
    day: `f.${ident(date.name)}`,
    as: `p${i}`,
  }));
  const joins = months.map(
    ({ day, as }) =>
      `LEFT JOIN pf.dim_period AS ${as} ON ${as}.sdat = date_trunc('month', ${day})::date`,
  );
  const outside = months.map(({ day, as }) => `(${day} IS NOT NULL AND ${as}.sdat IS NULL)`);
  const row = await session.one<{ problems: (boolean | null)[]; outside: number }>(
    `SELECT ARRAY[${checks.map((c) => `bool_or(${c.test})`).join(', ')}]::boolean[] AS problems,
       count(*) FILTER (WHERE ${outside.join(' OR ') || 'FALSE'}) AS outside
     FROM ${table} AS f ${joins.join(' ')} WHERE f.pf_logid = $1`,
    [logid],
  );
  return { problem: checks.find((_, i) => row.problems[i]), outsideCalendar: row.outside };
}

/** First and last day of each date column for each entry. */
export async function entrySpans(
  session: Session,
  table: string,
  columns: readonly ForecastColumn[],
): Promise<Map<number, Pick<DateSpan, 'cname' | 'min' | 'max'>[]>> {
  const dates = columns.filter((c) => c.role === 'date');
  const rows = await session.many<{ logid: number; spans: (string | null)[] }>(
    `SELECT pf_logid AS logid, ARRAY[${dates
      .map((d) => `min(${ident(d.name)})::text, max(${ident(d.name)})::text`)
      .join(', ')}]::text[] AS spans
     FROM ${table} GROUP BY pf_logid`,
  );
  return new Map(
    rows.map((r) => [
      r.logid,
      dates.map((d, i) => ({
        cname: d.name,
        min: r.spans[2 * i] ?? null,
        max: r.spans[2 * i + 1] ?? null,
      })),
    ]),
  );
}

/** Reads a text as an interval and throws what PostgreSQL throws where it is none. */
export const readInterval = (session: Session, text: string): Promise<{ interval: string }> =>
  session.one('SELECT $1::interval::text AS interval', [text]);

/** Rows, totals and date spans that a load of the source table would bring. */
export async function loadTotals(
  session: Session,
  source: { schema: string; tname: string },
  columns: readonly ForecastColumn[],
  where: string,
  dateOffset: string,
): Promise<Totals & { spans: DateSpan[] }> {
  const dates = columns.filter((c) => c.role === 'date');
  const offset = typedLiteral(dateOffset, 'interval');
  const shifted = (d: ForecastColumn) => `(${ident(d.name)} + ${offset})::date`;
  const { spans, ...found } = await session.one<Totals & { spans: (string | null)[] }>(
    `SELECT ${totals(columns)}, ARRAY[${dates
      .flatMap((d) => [
        `min(${ident(d.name)}::date)::text`,
        `max(${ident(d.name)}::date)::text`,
        `min(${shifted(d)})::text`,
        `max(${shifted(d)})::text`,
      ])
      .join(', ')}]::text[] AS spans
     FROM (SELECT * FROM ${qualified(source.schema, source.tname)} WHERE ${where}) AS s`,
  );
  const span = (i: number) => spans[i] ?? null;
  return {
    ...found,
    spans: dates.map((d, i) => ({
      cname: d.name,
      min: span(4 * i),
      max: span(4 * i + 1),
      shifted_min: span(4 * i + 2),
      shifted_max: span(4 * i + 3),
    })),
  };
}
