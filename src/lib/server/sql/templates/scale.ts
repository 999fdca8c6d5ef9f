import type { ForecastColumn } from '../forecast-columns';
import { leafColumns, measureColumns, measureKind } from '../forecast-columns';
import { ident } from '../identifiers';
import { freeName, IN_CTE, list } from './layout';
import {
  fromInLeafOrder,
  leafOrder,
  leavesCte,
  netsToSomething,
  roundingScale,
  writeAndAnswer,
} from './leaves';

/**
 * Parts that add up, in absolute terms, to more than this many increments are refused: the leaves
 * nearly cancel out, and a small increment would tear them apart.
 */
const MAX_SWING = 1000;

/**
 * A zero with so many decimals: a quotient has as many as what is divided. By itself PostgreSQL keeps
 * 16 digits of a quotient, and what is rounded twice may be off by one.
 */
const DIGITS = '0e-30';

interface Measure {
  column: ForecastColumn;
  exact: boolean;
  increment: string;
  /** Names of the values that are computed for it on the way. */
  weight: string;
  running: string;
  total: string;
  swing: string;
  upTo: string;
}

/**
 * The `scale` template (docs/contract/14-what-the-operations-compute.md#scale,
 * docs/contract/14-what-the-operations-compute.md#totals-are-exact). Each measure on its own: a
 * leaf's weight is its own amount, or, where an increment meets leaves that are all 0, the other
 * measure's, or else 1. Exact measures round the running part, so that the parts telescope to the
 * increment; floating-point ones give the residue to the largest leaf. It writes nothing where an
 * increment cannot be spread; the caller finds out why.
 */
export function scaleTemplate(columns: readonly ForecastColumn[]): string {
  const keys = leafColumns(columns).map((c) => ident(c.name));
  const order = leafOrder(columns);
  const taken = columns.map((c) => c.name);
  const measures = measureColumns(columns).map((column): Measure => {
    const name = (what: string) => ident(freeName(`${column.role}_${what}`, taken));
    return {
      column,
      exact: measureKind(column).exact,
      increment: `{{${column.role}_incr}}`,
      weight: name('weight'),
      running: name('running'),
      total: name('total'),
      swing: name('swing'),
      upTo: name('up_to'),
    };
  });
  const other = (m: Measure) => measures.find((o) => o !== m);

  const weights = measures.map((m) => {
    const amount = ident(m.column.name);
    const type = m.exact ? 'numeric' : 'double precision';
    const fallback = other(m);
    const borrowed = fallback
      ? `
            WHEN ${netsToSomething(fallback.column, ' OVER ()')} THEN ${ident(fallback.column.name)}::${type}`
      : '';
    return `CASE
            WHEN {{pct}} IS NOT NULL OR BOOL_OR(${amount} <> 0) OVER () THEN ${amount}::${type}${borrowed}
            ELSE 1
        END AS ${m.weight}`;
  });

  const sums = measures.flatMap((m) => [
    ...(m.exact
      ? [`SUM(${m.weight}) OVER (leaf_order ROWS UNBOUNDED PRECEDING) AS ${m.running}`]
      : []),
    `SUM(${m.weight}) OVER () AS ${m.total}`,
    `SUM(ABS(${m.weight})) OVER () AS ${m.swing}`,
  ]);

  const part = (m: Measure, amount: string) => {
    const percent = m.exact ? '{{pct}} * 0.01' : '{{pct}}::double precision / 100';
    const increment = m.exact ? `(${m.increment} + ${DIGITS})` : `${m.increment}::double precision`;
    return `CASE
            WHEN {{pct}} IS NOT NULL THEN ${percent} * ${amount}
            WHEN COALESCE(${m.increment}, 0) <> 0 THEN ${increment} * ${amount} / ${m.total}
            ELSE 0
        END`;
  };
  const shares = measures.map((m) =>
    m.exact
      ? `ROUND(${part(m, m.running)}, ${roundingScale(m.column, [m.increment])}) AS ${m.upTo}`
      : `${part(m, m.weight)} AS ${m.upTo}`,
  );

  const deltas = measures.map((m) => {
    const name = ident(m.column.name);
    if (m.exact) return `${m.upTo} - LAG(${m.upTo}, 1, 0::numeric) OVER leaf_order AS ${name}`;
    // The sum with the residue, or with 0, also turns the "-0" of doubles into 0.
    return `${m.upTo} + CASE
            WHEN {{pct}} IS NULL AND ROW_NUMBER() OVER (ORDER BY ABS(${m.weight}) DESC, ${order}) = 1
            THEN COALESCE(${m.increment}, 0)::double precision - SUM(${m.upTo}) OVER ()
            ELSE 0
        END AS ${name}`;
  });

  const spreadable = measures.map(
    (m) =>
      `({{pct}} IS NOT NULL OR COALESCE(${m.increment}, 0) = 0 OR ${m.swing} <= ${MAX_SWING} * ABS(${m.total}))`,
  );
  const written = measures.map((m) => ident(m.column.name));
  const anything = written.map((name) => `${name} <> 0`).join(' OR ');

  return `WITH ${leavesCte(columns)},
weighted AS (
    SELECT
        ${list(['leaves.*', ...weights], IN_CTE)}
    FROM leaves
),
summed AS (
    SELECT
        ${list(['weighted.*', ...sums], IN_CTE)}
    ${fromInLeafOrder('weighted', columns)}
),
shared AS (
    SELECT
        ${list(['summed.*', ...shares], IN_CTE)}
    FROM summed
    WHERE ${spreadable.length > 0 ? spreadable.join('\n        AND ') : 'FALSE'}
),
deltas AS (
    SELECT
        ${list([...keys, ...deltas], IN_CTE)}
    ${fromInLeafOrder('shared', columns)}
),
${writeAndAnswer(
  'scale',
  columns,
  `SELECT ${[...keys, ...written, `'scale'`, '{{logid}}'].join(', ')}
    FROM deltas
    WHERE ${anything || 'FALSE'}
    ORDER BY ${order}`,
)}`;
}
