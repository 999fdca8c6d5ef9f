import type { ForecastColumn } from '../forecast-columns';
import { grainGroupBy, grainSelectList, rawSelectList } from '../grain';
import type { SqlText } from '../quote';
import { commas, sql } from '../quote';
import { list } from './lists';

/** The `get_data` template: every row, all columns of the forecast table. */
export const getDataTemplate = (columns: readonly ForecastColumn[]): SqlText => sql`SELECT
    ${list(rawSelectList(columns))}
FROM {{fc_table}}
`;

/** The `get_agg` template: one row for each grain group of each log entry. */
export const getAggTemplate = (columns: readonly ForecastColumn[]): SqlText => sql`SELECT
    ${list(grainSelectList(columns))}
FROM {{fc_table}}
GROUP BY
    ${list(grainGroupBy(columns))}
`;

/** A select of the rows of some entries only. Every template answers `pf_logid`, and groups by it. */
export const ofEntries = (select: SqlText, entries: readonly number[]): SqlText =>
  sql`SELECT * FROM (${select}
) AS entry WHERE pf_logid IN (${idList(entries)})`;

/** What stands between the parentheses of `IN`; nothing is in a list of no ids. */
export const idList = (ids: readonly number[]): SqlText =>
  ids.length > 0 ? commas(ids.map((id) => sql`${id}`)) : sql`NULL`;
