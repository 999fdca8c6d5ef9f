/** The `baseline` and `reference` templates: copy rows of the source into a version. */
import type { LoadOperation } from '../../../contract/operations';
import type { ForecastColumn } from '../forecast-columns';
import { dateOfGroup, derivingDates } from '../forecast-columns';
import type { SqlText } from '../quote';
import { ident, join, literal, qualified, sql } from '../quote';
import { shiftedDay } from '../loaded-day';
import { list } from './lists';

/**
 * The `baseline` and `reference` templates: copy rows of the source, shift every date by `{{date_offset}}`,
 * and look up period dimensions for the shifted month (docs/contract/13-forecast-table.md). The filter sees
 * only the source's columns, not the calendar's.
 */
export function loadTemplate(
  operation: LoadOperation,
  source: { schema: string; tname: string },
  columns: readonly ForecastColumn[],
): SqlText {
  const shifted = (date: ForecastColumn) => shiftedDay(date, sql`{{date_offset}}::interval`);
  const groups = derivingDates(columns);
  const period = (date: ForecastColumn) => sql`period_${groups.indexOf(date) + 1}`;

  const values = columns.map((c) => {
    if (c.role === 'date') return shifted(c);
    const date = dateOfGroup(c, columns);
    if (c.periodColumn !== null && date) {
      return sql`${period(date)}.${ident(c.periodColumn)}::${c.type}`;
    }
    const from = sql`s.${ident(c.name)}`;
    return c.source.base === c.type ? from : sql`${from}::${c.type}`;
  });
  const joins = groups.map(
    (date) => sql`
LEFT JOIN pf.dim_period AS ${period(date)}
  ON ${period(date)}.sdat = date_trunc('month', ${shifted(date)})::date`,
  );

  return sql`INSERT INTO {{fc_table}} (
    ${list([...columns.map((c) => ident(c.name)), sql`pf_iter`, sql`pf_logid`])}
)
SELECT
    ${list([...values, literal(operation), sql`{{logid}}`])}
FROM (
    SELECT * FROM ${qualified(source.schema, source.tname)}
    WHERE {{filter_clause}}
) AS s${join(joins, sql``)}
`;
}
