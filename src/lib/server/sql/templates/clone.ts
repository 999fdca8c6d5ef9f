/** The `clone` template: copies the leaves of a slice, multiplied by a factor. */
import type { ForecastColumn } from '../forecast-columns';
import { leafColumns, measureColumns, measureKind } from '../forecast-columns';
import type { SqlText } from '../quote';
import { commas, ident, join, sql } from '../quote';
import { freeName, IN_CTE, list } from './lists';
import {
  fromInLeafOrder,
  leafOrder,
  leavesCte,
  nettingHaving,
  roundingScale,
  withoutSignedZero,
  writeAndAnswer,
} from './leaves';

/**
 * The `clone` template: copies the slice's leaves, multiplied by `{{scale_factor}}`, to the place that
 * `{{set_clause}}` names. Exact measures are rounded cumulatively, as in scale, so the copy's total is the
 * factor times the slice's total, rounded once.
 */
export function cloneTemplate(columns: readonly ForecastColumn[]): SqlText {
  const keys = leafColumns(columns).map((c) => ident(c.name));
  const measures = measureColumns(columns);
  const copied = measures.map((m) => sql`leaves.${ident(m.name)}`);
  const taken = columns.map((c) => c.name);
  const upTo = (m: ForecastColumn) => ident(freeName(`${m.role}_up_to`, taken));
  const factor = sql`{{scale_factor}}`;

  const running = measures.flatMap((m) =>
    measureKind(m).exact
      ? sql`ROUND(${factor} * SUM(${ident(m.name)}) OVER (leaf_order ROWS UNBOUNDED PRECEDING), ${roundingScale(m, [])}) AS ${upTo(m)}`
      : [],
  );
  const copies = measures.map((m) =>
    measureKind(m).exact
      ? sql`${upTo(m)} - LAG(${upTo(m)}, 1, 0::numeric) OVER leaf_order AS ${ident(m.name)}`
      : sql`${withoutSignedZero(m, sql`${factor}::double precision * ${ident(m.name)}`)} AS ${ident(m.name)}`,
  );
  const anything = join(
    copied.map((amount) => sql`${amount} <> 0`),
    sql` OR `,
  );

  return sql`WITH ${leavesCte(columns, nettingHaving(columns))},
running AS (
    SELECT
        ${list([sql`leaves.*`, ...running], IN_CTE)}
    ${fromInLeafOrder(sql`leaves`, columns)}
),
copies AS (
    SELECT
        ${list([...keys, ...copies], IN_CTE)}
    ${fromInLeafOrder(sql`running`, columns)}
),
${writeAndAnswer(
  'clone',
  columns,
  sql`SELECT ${commas([...keys.map((key) => sql`target.${key}`), ...copied, sql`'clone'`, sql`{{logid}}`])}
    FROM copies AS leaves
    CROSS JOIN LATERAL (
        SELECT {{set_clause}}
    ) AS target
    WHERE ${copied.length > 0 ? anything : sql`FALSE`}
    ORDER BY ${leafOrder(columns, sql`leaves.`)}`,
)}`;
}
