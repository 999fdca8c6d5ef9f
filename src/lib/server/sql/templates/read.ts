/** The templates that read a version: `get_data` and `get_agg`. */
import type { ForecastColumn } from '../forecast-columns';
import { measureColumns } from '../forecast-columns';
import { grainGroupBy, grainSelectList, grainSumList, rawSelectList } from '../grain';
import type { ReadableRows, SqlText } from '../quote';
import { commas, ident, sql } from '../quote';
import { IN_CTE, list } from './lists';

/** The `get_data` template: every row, all columns of the forecast table. */
export const getDataTemplate = (columns: readonly ForecastColumn[]): SqlText => sql`SELECT
    ${list(rawSelectList(columns))}
FROM {{fc_table}}
`;

/**
 * The `get_agg` template: one row for each grain group of each log entry. The grain key, and the
 * values that are cast to text, are computed after the grouping: on a distributed table the workers group,
 * and their settings may print the same value differently.
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

/** Selects the rows of some entries, as the value of the token `fc_table` in a template that reads. */
export const ofEntries = (rows: ReadableRows, entries: readonly number[]): SqlText =>
  sql`(SELECT * FROM ${rows} WHERE pf_logid IN (${idList(entries)})) AS entry`;

/** The list inside the parentheses of `IN`. For no ids it is NULL, which matches nothing. */
export const idList = (ids: readonly number[]): SqlText =>
  ids.length > 0 ? commas(ids.map((id) => sql`${id}`)) : sql`NULL`;
