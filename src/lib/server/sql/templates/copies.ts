/** Leaves multiplied by a factor, rounded so that their sums are exact. */
import type { ForecastColumn } from '../forecast-columns';
import { leafColumns, measureColumns, measureKind, measureWord } from '../forecast-columns';
import type { SqlText } from '../quote';
import { ident, join, sql } from '../quote';
import { freeName, IN_CTE, list } from './lists';
import { fromInLeafOrder, roundingScale, withoutSignedZero } from './leaves';

/**
 * The CTEs `running` and `copies`: leaves times `{{scale_factor}}`. Exact measures are rounded cumulatively
 * (docs/contract/14-what-the-operations-compute.md#totals-are-exact); doubles are not rounded.
 *
 * @param from the CTE with the leaves
 * @param of `leaf` if the factor is an expression over `leaves`, otherwise it is one number for all of them
 */
export function copiesCtes(
  from: SqlText,
  columns: readonly ForecastColumn[],
  of: 'slice' | 'leaf',
): SqlText {
  const keys = leafColumns(columns).map((c) => ident(c.name));
  const measures = measureColumns(columns);
  const taken = columns.map((c) => c.name);
  const upTo = (m: ForecastColumn) => ident(freeName(`${measureWord(m, columns)}_up_to`, taken));
  const factor = sql`{{scale_factor}}`;
  const named = (cte: SqlText) => (of === 'leaf' && cte !== 'leaves' ? sql`${cte} AS leaves` : cte);

  const running = measures.flatMap((m) => {
    const name = ident(m.name);
    const over = sql`OVER (leaf_order ROWS UNBOUNDED PRECEDING)`;
    const sum =
      of === 'leaf' ? sql`SUM(${factor} * ${name}) ${over}` : sql`${factor} * SUM(${name}) ${over}`;
    return measureKind(m).exact ? sql`ROUND(${sum}, ${roundingScale(m, [])}) AS ${upTo(m)}` : [];
  });
  const copies = measures.map((m) =>
    measureKind(m).exact
      ? sql`${upTo(m)} - LAG(${upTo(m)}, 1, 0::numeric) OVER leaf_order AS ${ident(m.name)}`
      : sql`${withoutSignedZero(m, sql`${factor}::double precision * ${ident(m.name)}`)} AS ${ident(m.name)}`,
  );

  return sql`running AS (
    SELECT
        ${list([sql`${from}.*`, ...running], IN_CTE)}
    ${fromInLeafOrder(named(from), columns)}
),
copies AS (
    SELECT
        ${list([...keys, ...copies], IN_CTE)}
    ${fromInLeafOrder(named(sql`running`), columns)}
)`;
}

/** SQL that tests whether any of some amounts is not 0. */
export const anyOf = (amounts: readonly SqlText[]): SqlText =>
  amounts.length === 0
    ? sql`FALSE`
    : join(
        amounts.map((amount) => sql`${amount} <> 0`),
        sql` OR `,
      );
