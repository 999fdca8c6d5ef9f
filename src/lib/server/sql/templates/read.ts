import type { ForecastColumn } from '../forecast-columns';
import { measureColumns } from '../forecast-columns';
import { grainGroupBy, grainSelectList, grainSumList, rawSelectList } from '../grain';
import type { Identifier, SqlText } from '../quote';
import { commas, ident, sql } from '../quote';
import { IN_CTE, list } from './lists';

/** The `get_data` template: every row, all columns of the forecast table. */
export const getDataTemplate = (columns: readonly ForecastColumn[]): SqlText => sql`SELECT
    ${list(rawSelectList(columns))}
FROM {{fc_table}}
`;

/**
 * The `get_agg` template: one row for each grain group of each log entry. Text is made of groups, not of
 * rows: if the table is distributed, the rows are grouped on its workers, whose settings may differ.
 */
export function getAggTemplate(columns: readonly ForecastColumn[]): SqlText {
  const measures = measureColumns(columns).map((m) => ident(m.name));
  return sql`SELECT
    ${list(grainSelectList(columns, measures))}
FROM (
    SELECT
        ${list(grainSumList(columns), IN_CTE)}
    FROM {{fc_table}}
    GROUP BY
        ${list(grainGroupBy(columns), IN_CTE)}
) AS grain
`;
}

/** The rows of some entries in a forecast table, for the token `fc_table` of a template that reads. */
export const ofEntries = (table: Identifier, entries: readonly number[]): SqlText =>
  sql`(SELECT * FROM ${table} WHERE pf_logid IN (${idList(entries)})) AS entry`;

/** What stands between the parentheses of `IN`; nothing is in a list of no ids. */
export const idList = (ids: readonly number[]): SqlText =>
  ids.length > 0 ? commas(ids.map((id) => sql`${id}`)) : sql`NULL`;
