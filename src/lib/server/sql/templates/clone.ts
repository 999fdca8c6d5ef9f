import type { ForecastColumn } from '../forecast-columns';
import { leafColumns, measureColumns, measureKind } from '../forecast-columns';
import { ident } from '../identifiers';
import { freeName, IN_CTE, list } from './layout';
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
 * The `clone` template: `{{scale_factor}}` × the slice's leaves, put where `{{set_clause}}` says;
 * exact measures are rounded cumulatively, as in scale, so that the copy's total is the factor times
 * the slice's, rounded once.
 */
export function cloneTemplate(columns: readonly ForecastColumn[]): string {
  const keys = leafColumns(columns).map((c) => ident(c.name));
  const measures = measureColumns(columns);
  const copied = measures.map((m) => `leaves.${ident(m.name)}`);
  const taken = columns.map((c) => c.name);
  const upTo = (m: ForecastColumn) => ident(freeName(`${m.role}_up_to`, taken));
  const factor = '{{scale_factor}}';

  const running = measures.flatMap((m) =>
    measureKind(m).exact
      ? `ROUND(${factor} * SUM(${ident(m.name)}) OVER (leaf_order ROWS UNBOUNDED PRECEDING), ${roundingScale(m, [])}) AS ${upTo(m)}`
      : [],
  );
  const copies = measures.map((m) =>
    measureKind(m).exact
      ? `${upTo(m)} - LAG(${upTo(m)}, 1, 0::numeric) OVER leaf_order AS ${ident(m.name)}`
      : `${withoutSignedZero(m, `${factor}::double precision * ${ident(m.name)}`)} AS ${ident(m.name)}`,
  );
  const anything = copied.map((amount) => `${amount} <> 0`).join(' OR ');

  return `WITH ${leavesCte(columns, nettingHaving(columns))},
running AS (
    SELECT
        ${list(['leaves.*', ...running], IN_CTE)}
    ${fromInLeafOrder('leaves', columns)}
),
copies AS (
    SELECT
        ${list([...keys, ...copies], IN_CTE)}
    ${fromInLeafOrder('running', columns)}
),
${writeAndAnswer(
  'clone',
  columns,
  `SELECT ${[...keys.map((key) => `target.${key}`), ...copied, `'clone'`, '{{logid}}'].join(', ')}
    FROM copies AS leaves
    CROSS JOIN LATERAL (
        SELECT {{set_clause}}
    ) AS target
    WHERE ${anything || 'FALSE'}
    ORDER BY ${leafOrder(columns, 'leaves.')}`,
)}`;
}
