/** The `recode` template: moves the leaves of a slice to other values. */
import type { ForecastColumn } from '../forecast-columns';
import { leafColumns, measureColumns, toldApart } from '../forecast-columns';
import type { SqlText } from '../quote';
import { commas, ident, sql } from '../quote';
import { anyOf, copiesCtes } from './copies';
import { freeName, IN_CTE, list } from './lists';
import { leafOrder, leavesCte, nettingHaving, withoutSignedZero, writeAndAnswer } from './leaves';

/**
 * The `recode` template: removes every leaf that `{{set_clause}}` changes from its old place and adds it at
 * its new one, negating rows first. Leaves that move to one place have an order too. `{{set_clause}}` is one named expression over `leaves` for each dimension
 * and date.
 *
 * @param what `share` if only the share `{{scale_factor}}` of each leaf moves; such a statement is not stored
 */
export function recodeTemplate(
  columns: readonly ForecastColumn[],
  what: 'all' | 'share' = 'all',
): SqlText {
  const keys = leafColumns(columns).map((c) => ident(c.name));
  const measures = measureColumns(columns).map((c) => ident(c.name));
  const sign = ident(
    freeName(
      'sign',
      columns.map((c) => c.name),
    ),
  );
  const moved = measureColumns(columns).map((m) => {
    const name = ident(m.name);
    return sql`${withoutSignedZero(m, sql`side.${sign} * leaves.${name}`)} AS ${name}`;
  });
  const apart = (row: SqlText) =>
    commas(leafColumns(columns).map((c) => toldApart(c, sql`${row}.${ident(c.name)}`)));
  const of = (row: SqlText, names: readonly SqlText[]) => names.map((name) => sql`${row}.${name}`);

  const target = sql`CROSS JOIN LATERAL (
        SELECT {{set_clause}}
    ) AS target`;
  const differs = sql`ROW(${apart(sql`leaves`)})
        IS DISTINCT FROM ROW(${apart(sql`target`)})`;
  const moving = sql`moving AS (
    SELECT leaves.*
    FROM leaves
    ${target}
    WHERE ${differs}
),
${copiesCtes(sql`moving`, columns, 'slice')},
`;
  const isShare = what === 'share';

  return sql`WITH ${leavesCte(columns, nettingHaving(columns))},
${isShare ? moving : sql``}sides AS (
    SELECT
        ${list([...of(sql`side`, [sign, ...keys]), ...moved], IN_CTE)}
    FROM ${isShare ? sql`copies AS leaves` : sql`leaves`}
    ${target}
    CROSS JOIN LATERAL (
        SELECT ${commas([sql`-1 AS ${sign}`, ...of(sql`leaves`, keys)])}
        UNION ALL
        SELECT ${commas([sql`1`, ...of(sql`target`, keys)])}
    ) AS side
    WHERE ${isShare ? anyOf(of(sql`leaves`, measures)) : differs}
),
${writeAndAnswer(
  'recode',
  columns,
  sql`SELECT ${commas([...keys, ...measures, sql`'recode'`, sql`{{logid}}`])}
    FROM sides
    ORDER BY ${commas([sign, leafOrder(columns), ...measures.map((name) => sql`${name} DESC`)])}`,
)}`;
}
