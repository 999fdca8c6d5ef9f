import type { ForecastColumn } from '../forecast-columns';
import { leafColumns, measureColumns, toldApart } from '../forecast-columns';
import { ident } from '../identifiers';
import { freeName, IN_CTE, list } from './layout';
import { leafOrder, leavesCte, nettingHaving, withoutSignedZero, writeAndAnswer } from './leaves';

/**
 * The `recode` template: every leaf that `{{set_clause}}` changes is taken out where it was and put
 * in where it goes, the negating rows first. `{{set_clause}}` is one named expression for each
 * dimension and date, over `leaves`.
 */
export function recodeTemplate(columns: readonly ForecastColumn[]): string {
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
    return `${withoutSignedZero(m, `side.${sign} * leaves.${name}`)} AS ${name}`;
  });
  const apart = (row: string) =>
    leafColumns(columns)
      .map((c) => toldApart(c, `${row}.${ident(c.name)}`))
      .join(', ');
  const of = (row: string, names: readonly string[]) => names.map((name) => `${row}.${name}`);

  return `WITH ${leavesCte(columns, nettingHaving(columns))},
sides AS (
    SELECT
        ${list([...of('side', [sign, ...keys]), ...moved], IN_CTE)}
    FROM leaves
    CROSS JOIN LATERAL (
        SELECT {{set_clause}}
    ) AS target
    CROSS JOIN LATERAL (
        SELECT ${[`-1 AS ${sign}`, ...of('leaves', keys)].join(', ')}
        UNION ALL
        SELECT ${['1', ...of('target', keys)].join(', ')}
    ) AS side
    WHERE ROW(${apart('leaves')})
        IS DISTINCT FROM ROW(${apart('target')})
),
${writeAndAnswer(
  'recode',
  columns,
  `SELECT ${[...keys, ...measures, `'recode'`, '{{logid}}'].join(', ')}
    FROM sides
    ORDER BY ${sign}, ${leafOrder(columns)}`,
)}`;
}
