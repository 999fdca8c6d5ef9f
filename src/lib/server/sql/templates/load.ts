/**
 * The `baseline` and `reference` templates: copy rows of the source into a version. Also the rows of the source
 * as a load writes them, for other statements.
 */
import type { CopyingLoad } from '../../../contract/operations';
import type { ForecastColumn } from '../forecast-columns';
import { dateOfGroup, derivingDates, leafColumns } from '../forecast-columns';
import type { SqlText } from '../quote';
import { ident, join, literal, qualified, sql } from '../quote';
import { shiftedDay } from '../loaded-day';
import { substitute } from '../tokens';
import { list } from './lists';

/** The offset of a load, as an interval. */
const OFFSET = sql`{{date_offset}}::interval`;

/** The alias of `pf.dim_period` for the dimensions that are derived from a date. */
const period = (date: ForecastColumn, columns: readonly ForecastColumn[]): SqlText =>
  sql`period_${derivingDates(columns).indexOf(date) + 1}`;

/**
 * The value that a load writes into a column, in a query of {@link loadedRows}.
 *
 * @param offset an interval by which dates are moved
 */
export function loadedValue(
  c: ForecastColumn,
  columns: readonly ForecastColumn[],
  offset = OFFSET,
): SqlText {
  if (c.role === 'date') return shiftedDay(c, offset);
  const date = dateOfGroup(c, columns);
  if (c.periodColumn !== null && date) {
    return sql`${period(date, columns)}.${ident(c.periodColumn)}::${c.type}`;
  }
  const from = sql`s.${ident(c.name)}`;
  return c.source.base === c.type ? from : sql`${from}::${c.type}`;
}

/**
 * The rows of the source that a load copies, joined to the calendar, as a FROM clause.
 *
 * @param offset an interval by which dates are moved
 * @param joined another join, which the offset may depend on
 */
export function loadedRows(
  source: { schema: string; tname: string },
  columns: readonly ForecastColumn[],
  offset = OFFSET,
  joined = sql``,
): SqlText {
  const joins = derivingDates(columns).map(
    (date) => sql`
LEFT JOIN pf.dim_period AS ${period(date, columns)}
  ON ${period(date, columns)}.sdat = date_trunc('month', ${shiftedDay(date, offset)})::date`,
  );
  return sql`FROM (
    SELECT * FROM ${qualified(source.schema, source.tname)}
    WHERE {{filter_clause}}
) AS s${joined}${join(joins, sql``)}`;
}

/**
 * A column of the source rows that a load without an offset would write as rows that match a condition.
 *
 * @param where a condition on the dimensions and dates of the forecast table
 * @returns the rows as a FROM clause, and the name that the column has there
 */
export function valuesInside(
  source: { schema: string; tname: string },
  columns: readonly ForecastColumn[],
  column: string,
  where: SqlText,
): { from: SqlText; value: SqlText } {
  const leaves = leafColumns(columns);
  const none = sql`interval '0'`;
  // No column of the forecast table may have the same name.
  let name = 'value';
  while (leaves.some((leaf) => leaf.name === name)) name += '_';
  const values = leaves.map((c) => sql`${loadedValue(c, columns, none)} AS ${ident(c.name)}`);
  const rows = substitute(loadedRows(source, columns, none), { filter_clause: sql`TRUE` });
  const select = sql`SELECT ${list([...values, sql`s.${ident(column)} AS ${ident(name)}`])} ${rows}`;
  return { from: sql`(${select}) AS loaded WHERE ${where}`, value: ident(name) };
}

/**
 * The `baseline` and `reference` templates: copy rows of the source, shift every date by `{{date_offset}}`,
 * and look up period dimensions for the shifted month (docs/contract/13-forecast-table.md). The filter sees
 * only the source's columns, not the calendar's.
 */
export function loadTemplate(
  operation: CopyingLoad,
  source: { schema: string; tname: string },
  columns: readonly ForecastColumn[],
): SqlText {
  const values = columns.map((c) => loadedValue(c, columns));
  return sql`INSERT INTO {{fc_table}} (
    ${list([...columns.map((c) => ident(c.name)), sql`pf_iter`, sql`pf_logid`])}
)
SELECT
    ${list([...values, literal(operation), sql`{{logid}}`])}
${loadedRows(source, columns)}
`;
}
