/** The `undo` template: deletes the rows of an entry and returns their keys. */
import type { ForecastColumn } from '../forecast-columns';
import { grainColumns } from '../forecast-columns';
import { grainKey } from '../grain';
import type { SqlText } from '../quote';
import { commas, ident, sql } from '../quote';

/**
 * The `undo` template: deletes one entry's rows and returns their keys. At the grain it returns each key
 * once, with the number of its rows (docs/contract/06-log.md#delete-loglogid).
 *
 * @param id the number of a row as the client knows it, named `pf_id`
 */
export function undoTemplate(
  columns: readonly ForecastColumn[],
  id: SqlText = sql`pf_id`,
): SqlText {
  const grain = grainColumns(columns);
  if (grain.length === 0) {
    return sql`DELETE FROM {{fc_table}}
WHERE pf_logid = {{logid}}
RETURNING ${id}
`;
  }
  // RETURNING cannot take DISTINCT, so the delete feeds a CTE. On a distributed table, RETURNING cannot build
  // the key either, since the key depends on settings of the session.
  const parts = [...grain.map((c) => ident(c.name)), sql`pf_iter`, sql`pf_logid`];
  return sql`WITH gone AS (
    DELETE FROM {{fc_table}}
    WHERE pf_logid = {{logid}}
    RETURNING ${commas(parts)}
)
SELECT ${grainKey(grain)} AS pf_gkey, COUNT(*) AS row_count
FROM gone
GROUP BY pf_gkey
`;
}
