import type { LoadOperation } from '../../../contract/operations';
import type { ForecastColumn } from '../forecast-columns';
import { dateOfGroup, derivingDates } from '../forecast-columns';
import { ident, qualified } from '../identifiers';
import { list } from './layout';

/**
 * The `baseline` and `reference` templates: rows of the source, every date shifted by
 * `{{date_offset}}`, period dimensions looked up for the shifted month
 * (docs/contract/13-forecast-table.md). The filter sees the source's columns only, never the
 * calendar's.
 */
export function loadTemplate(
  operation: LoadOperation,
  source: { schema: string; tname: string },
  columns: readonly ForecastColumn[],
): string {
  const shifted = (date: ForecastColumn) =>
    `(s.${ident(date.name)} + {{date_offset}}::interval)::date`;
  const groups = derivingDates(columns);
  const period = (date: ForecastColumn) => `period_${groups.indexOf(date) + 1}`;

  const values = columns.map((c) => {
    if (c.role === 'date') return shifted(c);
    const date = c.periodColumn === null ? undefined : dateOfGroup(c, columns);
    const from = date ? `${period(date)}.${ident(c.periodColumn!)}` : `s.${ident(c.name)}`;
    return !date && c.source.base === c.type ? from : `${from}::${c.type}`;
  });
  const joins = groups.map(
    (date) => `
LEFT JOIN pf.dim_period AS ${period(date)}
  ON ${period(date)}.sdat = date_trunc('month', ${shifted(date)})::date`,
  );

  return `INSERT INTO {{fc_table}} (
    ${list([...columns.map((c) => ident(c.name)), 'pf_iter', 'pf_logid'])}
)
SELECT
    ${list([...values, `'${operation}'`, '{{logid}}'])}
FROM (
    SELECT * FROM ${qualified(source.schema, source.tname)}
    WHERE {{filter_clause}}
) AS s${joins.join('')}
`;
}
