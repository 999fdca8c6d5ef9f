/** The statement that closes months: adds the difference between the source and the plan. */
import { OPERATIONS } from '../../../contract/operations';
import type { ForecastColumn } from '../forecast-columns';
import { leafColumns, measureColumns, measureKind } from '../forecast-columns';
import { groupedBy } from '../grain';
import type { SqlText } from '../quote';
import { ident, join, literal, sql } from '../quote';
import { exactSum, netsToSomething } from './leaves';
import { IN_CTE, list } from './lists';
import { loadedRows, loadedValue } from './load';

/**
 * The statement that closes months: for each leaf of `{{where_clause}}`, the rows of the source as a load writes
 * them minus the rows of the plan. Leaves that do not differ are left out. It is not stored and answers no rows.
 */
export function actualTemplate(
  source: { schema: string; tname: string },
  columns: readonly ForecastColumn[],
): SqlText {
  const measures = measureColumns(columns);
  const keys = leafColumns(columns).map((c) => ident(c.name));
  const names = measures.map((m) => ident(m.name));
  const loaded = columns.map((c) => sql`${loadedValue(c, columns)} AS ${ident(c.name)}`);
  const minus = names.map((name) => sql`-${name}`);
  const tests = measures.map(differs);
  const having = tests.length > 0 ? sql`\n    HAVING ${join(tests, sql` OR `)}` : sql``;

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
        AND {{exclude_clause}}
),
leaves AS (
    SELECT
        ${list([...keys, ...measures.map((m) => sql`${difference(m)} AS ${ident(m.name)}`)], IN_CTE)}
    FROM sides
    GROUP BY
        ${list(groupedBy(leafColumns(columns)), IN_CTE)}${having}
)
INSERT INTO {{fc_table}} (
    ${list([...keys, ...names, sql`pf_iter`, sql`pf_logid`])}
)
SELECT
    ${list([...keys, ...names, literal(OPERATIONS.actual.iter), sql`{{logid}}`])}
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

function difference(measure: ForecastColumn): SqlText {
  const sum = exactSum(measure, ident(measure.name));
  return measureKind(measure).exact
    ? sql`COALESCE(${sum}, 0)`
    : sql`CASE WHEN ${differs(measure)} THEN (${sum})::double precision ELSE 0 END`;
}
