import type { ForecastColumn } from '../forecast-columns';
import { grainGroupBy, grainSelectList, rawSelectList } from '../grain';
import { list } from './layout';

/** The `get_data` template: every row, all columns of the forecast table. */
export const getDataTemplate = (columns: readonly ForecastColumn[]): string => `SELECT
    ${list(rawSelectList(columns))}
FROM {{fc_table}}
`;

/** The `get_agg` template: one row for each grain group of each log entry. */
export const getAggTemplate = (columns: readonly ForecastColumn[]): string => `SELECT
    ${list(grainSelectList(columns))}
FROM {{fc_table}}
GROUP BY
    ${list(grainGroupBy(columns))}
`;
