/** The difference between the source and rows of a version, leaf by leaf: what closes and refreshes write. */
import type { ForecastColumn } from '../forecast-columns';
import { leafColumns, measureColumns, measureKind } from '../forecast-columns';
import { groupedBy } from '../grain';
import type { SqlText } from '../quote';
import { ident, sql } from '../quote';
import { netsToSomething, netted, nettingHaving } from './leaves';
import { IN_CTE, list } from './lists';
import { loadedRows, loadedValue } from './load';

/**
 * The beginning of a statement whose last CTE, `leaves`, has the rows of the source as a load writes them minus rows of
 * the version, for each leaf of `{{where_clause}}`. Leaves that do not differ are left out.
 *
 * @param among the rows of the version
 */
export function differenceCte(
  source: { schema: string; tname: string },
  columns: readonly ForecastColumn[],
  among: SqlText,
): SqlText {
  const measures = measureColumns(columns);
  const keys = leafColumns(columns).map((c) => ident(c.name));
  const names = measures.map((m) => ident(m.name));
  // The source may compare texts without regard to case. The forecast table has both spellings as leaves of their own.
  const collation = (c: ForecastColumn) => (c.type === 'text' ? sql` COLLATE "default"` : sql``);
  const loaded = columns.map(
    (c) => sql`${loadedValue(c, columns)}${collation(c)} AS ${ident(c.name)}`,
  );
  const minus = names.map((name) => sql`-${name}`);
  const sums = measures.map((m) => sql`${netted(m, differs(m))} AS ${ident(m.name)}`);

  return sql`WITH happened AS (
SELECT
    ${list(loaded)}
${loadedRows(source, columns)}
),
sides AS (
    SELECT
        ${list([...keys, ...names], IN_CTE)}
    FROM happened
    WHERE {{where_clause}}
    UNION ALL
    SELECT
        ${list([...keys, ...minus], IN_CTE)}
    FROM {{fc_table}}
    WHERE {{where_clause}}
        AND ${among}
),
leaves AS (
    SELECT
        ${list([...keys, ...sums], IN_CTE)}
    FROM sides
    GROUP BY
        ${list(groupedBy(leafColumns(columns)), IN_CTE)}${nettingHaving(columns, differs)}
)
`;
}

/** The statement that writes the difference of {@link differenceCte}. It answers no rows. */
export function differenceTemplate(
  source: { schema: string; tname: string },
  columns: readonly ForecastColumn[],
  among: SqlText,
  system: { iter: SqlText; writtenAt?: SqlText },
): SqlText {
  const data = [...leafColumns(columns), ...measureColumns(columns)].map((c) => ident(c.name));
  const { iter, writtenAt } = system;
  return sql`${differenceCte(source, columns, among)}INSERT INTO {{fc_table}} (
    ${list([...data, sql`pf_iter`, sql`pf_logid`, ...(writtenAt ? [sql`pf_created_at`] : [])])}
)
SELECT
    ${list([...data, iter, sql`{{logid}}`, ...(writtenAt ? [writtenAt] : [])])}
FROM leaves
`;
}

/**
 * SQL that tests whether the two sides of a leaf differ. Doubles that are infinite or no numbers always do, so that
 * they are written and found by the checks of a load.
 */
function differs(measure: ForecastColumn): SqlText {
  const nets = netsToSomething(measure);
  if (measureKind(measure).exact) return nets;
  return sql`${nets} OR SUM(ABS(${ident(measure.name)})) >= 'Infinity'`;
}
