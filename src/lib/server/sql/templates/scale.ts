/** The `scale` template: spreads an increment over the leaves of a slice. */
import { MAX_SWING } from '../../../contract/previews';
import type { ForecastColumn } from '../forecast-columns';
import { leafColumns, measureColumns, measureKind, measureWord } from '../forecast-columns';
import type { Identifier, SqlText } from '../quote';
import { commas, ident, join, nameLiteral, sql } from '../quote';
import { token } from '../tokens';
import { freeName, IN_CTE, list } from './lists';
import {
  fromInLeafOrder,
  leafOrder,
  leavesCte,
  netsToSomething,
  roundingScale,
  writeAndAnswer,
} from './leaves';

/**
 * A zero with 30 decimals. A quotient has as many decimals as its dividend. By default PostgreSQL keeps 16
 * digits, and the final rounding would then round a second time.
 */
export const DIGITS = sql`0e-30`;

/**
 * Like {@link DIGITS}, with 60 decimals, for value at a held price (units × price), and for measures that follow
 * the percentage of value. Truncated quotients such as 1/3 would move a sum that lies exactly halfway, so running
 * sums are rounded to 40 decimals first.
 */
const WORTH_DIGITS = sql`0e-60`;
const WORTH_SUM_SCALE = 40;

/** The type that a measure is computed in. */
const computedAs = ({ exact }: Measure): SqlText => (exact ? sql`numeric` : sql`double precision`);

interface Measure {
  column: ForecastColumn;
  exact: boolean;
  increment: SqlText;
  /** For a further measure, whether it follows the percentage of value. */
  follows: SqlText | null;
  /** Names of the intermediate values of a measure. */
  weight: Identifier;
  running: Identifier;
  total: Identifier;
  swing: Identifier;
  upTo: Identifier;
}

/**
 * The `scale` template (docs/contract/14-what-the-operations-compute.md#scale,
 * docs/contract/14-what-the-operations-compute.md#totals-are-exact). It spreads each measure on its own. The
 * weight of a leaf is its amount, or 1 for an equal spread. If all leaves are 0, the weight for an increment is
 * the amount of value or units, or 1 if these are 0 too. If the price is held, the weight of a value is the worth of
 * the leaf's new units. A further measure that follows value changes by the percentage of value: the same for all
 * leaves in a proportional spread, otherwise that of each leaf. An exact measure rounds the running part, so that the differences add up
 * to the increment; a floating-point measure adds the residue to the largest leaf.
 *
 * If an increment cannot be spread, the statement writes nothing, and the caller finds out why.
 */
export function scaleTemplate(columns: readonly ForecastColumn[]): SqlText {
  const keys = leafColumns(columns).map((c) => ident(c.name));
  const order = leafOrder(columns);
  const taken = columns.map((c) => c.name);
  const measures = measureColumns(columns).map((column): Measure => {
    const word = measureWord(column, columns);
    const name = (what: string) => ident(freeName(`${word}_${what}`, taken));
    const own = nameLiteral(column.name);
    const isFurther = column.role === 'measure';
    return {
      column,
      exact: measureKind(column).exact,
      increment: isFurther
        ? sql`({{measure_incr}}->>${own})::numeric`
        : token(column.role === 'value' ? 'value_incr' : 'units_incr'),
      follows: isFurther ? sql`${own} = ANY ({{with}})` : null,
      weight: name('weight'),
      running: name('running'),
      total: name('total'),
      swing: name('swing'),
      upTo: name('up_to'),
    };
  });
  const [value, units] = ['value', 'units'].map((role) =>
    measures.find((m) => m.column.role === role),
  );
  const main = measures.filter((m) => m.follows === null);
  const further = measures.filter((m) => m.follows !== null);

  const part = (m: Measure, amount: SqlText): SqlText => {
    const percent = m.exact ? sql`{{pct}} * 0.01` : sql`{{pct}}::double precision / 100`;
    const increment = m.exact
      ? sql`(${m.increment} + ${DIGITS})`
      : sql`${m.increment}::double precision`;
    return sql`CASE
            WHEN {{pct}} IS NOT NULL THEN ${percent} * ${amount}
            WHEN COALESCE(${m.increment}, 0) <> 0 THEN ${increment} * ${amount} / NULLIF(${m.total}, 0)
            ELSE 0
        END`;
  };
  const upTo = (m: Measure, running: SqlText): SqlText => {
    const own = part(m, m.exact ? running : m.weight);
    // The weights of a measure that follows value are its changes.
    const amount =
      m.follows && value
        ? sql`CASE WHEN ${m.follows} THEN ${m.exact ? sql`ROUND(${running}, ${WORTH_SUM_SCALE})` : m.weight} ELSE ${own} END`
        : own;
    if (!m.exact) return amount;
    const sumSoFar = m === value && units ? sql`ROUND(${amount}, ${WORTH_SUM_SCALE})` : amount;
    return sql`ROUND(${sumSoFar}, ${roundingScale(m.column, [m.increment])})`;
  };
  // The worth of a leaf's new units at its price; without units, the leaf's share of the value.
  const worth = (value: Measure, units: Measure): SqlText => {
    const type = computedAs(value);
    const amount = sql`${ident(value.column.name)}::${type}`;
    const count = sql`${ident(units.column.name)}::${type}`;
    const counted = units.exact
      ? sql`(${upTo(units, sql`${units.running}`)} - ${upTo(units, sql`(${units.running} - ${units.weight})`)})`
      : upTo(units, units.weight);
    const digits = value.exact ? sql` + ${WORTH_DIGITS}` : sql``;
    return sql`CASE
                WHEN ${count} <> 0 THEN (${counted}::${type} * ${amount}${digits}) / ${count}
                ELSE (${units.increment}::${type} * ${amount}${digits}) / NULLIF(${units.total}, 0)::${type}
            END`;
  };
  // The amount of a leaf times the percentage that its value changes by.
  const followed = (m: Measure, value: Measure): SqlText => {
    const [of, amount] = [ident(value.column.name), ident(m.column.name)];
    const [type, own] = [computedAs(value), computedAs(m)];
    const increment = sql`{{with_incr}}::${type}`;
    const share = (amountOfValue: SqlText, whole: SqlText) =>
      value.exact && m.exact
        ? sql`(${amountOfValue} * ${amount}::${own} + ${WORTH_DIGITS}) / NULLIF(${whole}, 0)`
        : sql`${amount}::${own} * (${amountOfValue} / NULLIF(${whole}, 0))::${own}`;
    // Without a change of the value, or without an amount of it, the measure stays.
    return sql`COALESCE(CASE
                WHEN {{spread}} = 'proportional' AND BOOL_OR(${of} <> 0) OVER () THEN ${share(increment, sql`${value.total}::${type}`)}
                ELSE ${share(sql`${increment} * ${value.weight}`, sql`${value.total}::${type} * ${of}::${type}`)}
            END, 0)`;
  };
  const weight = (m: Measure): SqlText => {
    const amount = ident(m.column.name);
    const type = computedAs(m);
    const fallbacks = main.filter((o) => o !== m);
    const borrowed = join(
      fallbacks.map(
        ({ column }) => sql`
            WHEN ${netsToSomething(column, sql` OVER ()`)} THEN ${ident(column.name)}::${type}`,
      ),
      sql``,
    );
    const following =
      m.follows && value
        ? sql`
            WHEN ${m.follows} THEN ${followed(m, value)}`
        : sql``;
    const priced =
      m === value && units
        ? sql`
            WHEN {{spread}} = 'price' THEN ${worth(value, units)}`
        : sql``;
    return sql`CASE${following}
            WHEN {{spread}} = 'equal' THEN 1${priced}
            WHEN {{pct}} IS NOT NULL OR BOOL_OR(${amount} <> 0) OVER () THEN ${amount}::${type}${borrowed}
            ELSE 1
        END AS ${m.weight}`;
  };

  const sums = (m: Measure) => [
    ...(m.exact
      ? [sql`SUM(${m.weight}) OVER (leaf_order ROWS UNBOUNDED PRECEDING) AS ${m.running}`]
      : []),
    sql`SUM(${m.weight}) OVER () AS ${m.total}`,
    sql`SUM(ABS(${m.weight})) OVER () AS ${m.swing}`,
  ];

  const shares = measures.map((m) => sql`${upTo(m, m.running)} AS ${m.upTo}`);

  const deltas = measures.map((m) => {
    const name = ident(m.column.name);
    if (m.exact) return sql`${m.upTo} - LAG(${m.upTo}, 1, 0::numeric) OVER leaf_order AS ${name}`;
    // Adding the residue, or 0, also turns the "-0" of doubles into 0.
    return sql`${m.upTo} + CASE
            WHEN {{pct}} IS NULL${m.follows ? sql` AND NOT ${m.follows}` : sql``} AND ROW_NUMBER() OVER (ORDER BY ABS(${m.weight}) DESC, ${order}) = 1
            THEN COALESCE(${m.increment}, 0)::double precision - SUM(${m.upTo}) OVER ()
            ELSE 0
        END AS ${name}`;
  });

  const spreadable = measures.map(
    (m) =>
      sql`({{pct}} IS NOT NULL OR COALESCE(${m.increment}, 0) = 0 OR ${m.total} <> 0 AND ${m.swing} <= ${MAX_SWING} * ABS(${m.total}))`,
  );
  const written = measures.map((m) => ident(m.column.name));
  const anything = join(
    written.map((name) => sql`${name} <> 0`),
    sql` OR `,
  );

  const stage = (
    from: SqlText,
    weighted: SqlText,
    summed: SqlText,
    of: readonly Measure[],
  ) => sql`${weighted} AS (
    SELECT
        ${list([sql`${from}.*`, ...of.map(weight)], IN_CTE)}
    FROM ${from}
),
${summed} AS (
    SELECT
        ${list([sql`${weighted}.*`, ...of.flatMap(sums)], IN_CTE)}
    ${fromInLeafOrder(weighted, columns)}
)`;
  // Units come first, since a value may depend on the new units; the further measures last, since they may follow
  // value.
  const stages = [
    value && units
      ? sql`${stage(sql`leaves`, sql`counted`, sql`units_summed`, [units])},
${stage(sql`units_summed`, sql`weighted`, sql`summed`, [value])}`
      : stage(sql`leaves`, sql`weighted`, sql`summed`, main),
    ...(further.length > 0
      ? [stage(sql`summed`, sql`measures_weighted`, sql`measures_summed`, further)]
      : []),
  ];
  const summed = further.length > 0 ? sql`measures_summed` : sql`summed`;

  return sql`WITH ${leavesCte(columns)},
${join(stages, sql`,\n`)},
shared AS (
    SELECT
        ${list([sql`${summed}.*`, ...shares], IN_CTE)}
    FROM ${summed}
    WHERE ${spreadable.length > 0 ? join(spreadable, sql`\n        AND `) : sql`FALSE`}
),
deltas AS (
    SELECT
        ${list([...keys, ...deltas], IN_CTE)}
    ${fromInLeafOrder(sql`shared`, columns)}
),
${writeAndAnswer(
  'scale',
  columns,
  sql`SELECT ${commas([...keys, ...written, sql`'scale'`, sql`{{logid}}`])}
    FROM deltas
    WHERE ${written.length > 0 ? anything : sql`FALSE`}
    ORDER BY ${order}`,
)}`;
}
