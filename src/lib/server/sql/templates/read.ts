import type { ForecastColumn } from '../forecast-columns';
import { grainGroupBy, grainSelectList, rawSelectList } from '../grain';
import type { SqlText } from '../quote';
import { sql } from '../quote';
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
