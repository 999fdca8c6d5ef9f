/** The `scale` template: spreads an increment over the leaves of a slice. */
import { MAX_SWING } from '../../../contract/previews';
import type { ForecastColumn } from '../forecast-columns';
import { leafColumns, measureColumns, measureKind, measureWord } from '../forecast-columns';
import type { Identifier, SqlText } from '../quote';
import { commas, ident, join, nameLiteral, sql } from '../quote';
import { token } from '../tokens';
import { freeName, IN_CTE, list } from './lists';
import { leafKeys, leavesCte, netsToSomething, roundingScale, writeAndAnswer } from './leaves';

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
  /** Its decimals; null if they depend on the rows, or if it is a floating-point measure. */
  decimals: number | null;
  increment: SqlText;
  /** For a further measure, whether it follows the percentage of value. */
  follows: SqlText | null;
  /** Names of the intermediate values of a measure. */
  some: Identifier;
  nets: Identifier;
  weight: Identifier;
  running: Identifier;
  total: Identifier;
  swing: Identifier;
  scale: Identifier;
  part: Identifier;
}

/**
 * The `scale` template (docs/contract/14-what-the-operations-compute.md#scale,
 * docs/contract/14-what-the-operations-compute.md#totals-are-exact). It spreads each measure on its own. The
 * weight of a leaf is its amount, or 1 for an equal spread. If all leaves are 0, the weight for an increment is
 * the amount of value or units, or 1 if these are 0 too. If the price is held, the weight of a value is the worth of
 * the leaf's new units. A further measure that follows value changes by the percentage of value: the same for all
 * leaves in a proportional spread, otherwise that of each leaf. An exact measure rounds the running part, so that the
 * differences add up to the increment; a floating-point measure adds the residue to the largest leaf. The leaves are
 * sorted once (docs/decisions/0007-operations-in-one-statement.md).
 *
 * If an increment cannot be spread, the statement writes nothing, and the caller finds out why.
 */
export const scaleTemplate = (columns: readonly ForecastColumn[]): SqlText =>
  scaleStatement(columns);

/** The columns of the edits that {@link scaleStatement} makes in one pass. */
interface EditColumns {
  /** Tells edits apart. */
  edit: Identifier;
  /** The increment of a measure. */
  incrementOf: (measure: ForecastColumn) => SqlText;
}

/**
 * The statement of {@link scaleTemplate}, for one change or for several edits. The CTE `grouped` then has the leaves
 * with the columns of their edits. Everything that one edit knows of all its leaves is known of each edit, and nothing
 * is written if one of the edits cannot be spread by the amounts of its own measures.
 */
export function scaleStatement(
  columns: readonly ForecastColumn[],
  edits?: EditColumns & { grouped: SqlText },
): SqlText {
  const keys = leafColumns(columns).map((c) => ident(c.name));
  const leafKey = leafKeys(columns);
  const leavesInOrder = leafKey.order;
  const order = edits ? sql`${edits.edit}, ${leavesInOrder}` : leavesInOrder;
  const ofEdit = edits ? sql`PARTITION BY ${edits.edit}` : sql``;
  const overAll = sql` OVER (${ofEdit})`;
  const taken = columns.map((c) => c.name);
  const namesOf = (word: string) => {
    const name = (what: string) => ident(freeName(`${word}_${what}`, taken));
    return {
      ...{ weight: name('weight'), running: name('running'), total: name('total') },
      ...{ swing: name('swing'), part: name('part') },
    };
  };
  const leafMeasures = measureColumns(columns).map((column): Measure => {
    const word = measureWord(column, columns);
    const name = (what: string) => ident(freeName(`${word}_${what}`, taken));
    const own = nameLiteral(column.name);
    const kind = measureKind(column);
    const isFurther = column.role === 'measure';
    return {
      column,
      exact: kind.exact,
      decimals: kind.exact ? kind.scale : null,
      increment: edits
        ? edits.incrementOf(column)
        : isFurther
          ? sql`({{measure_incr}}->>${own})::numeric`
          : token(column.role === 'value' ? 'value_incr' : 'units_incr'),
      follows: isFurther ? sql`${own} = ANY ({{with}})` : null,
      ...{ some: name('some'), nets: name('nets'), scale: name('scale') },
      ...namesOf(word),
    };
  });
  const main = leafMeasures.filter((m) => m.follows === null);
  const further = leafMeasures.filter((m) => m.follows !== null);
  const [ofLeaves, units] = ['value', 'units'].map((role) =>
    main.find((m) => m.column.role === role),
  );
  // Beside units, a value may have other weights than its amounts: the worth of the new units.
  const priced = ofLeaves && units && { ...ofLeaves, ...namesOf('priced') };
  const value = priced ?? ofLeaves;
  const measures = leafMeasures.map((m) => (m === ofLeaves && priced ? priced : m));

  const part = (m: Measure, amount: SqlText): SqlText => {
    const percent = m.exact ? sql`{{pct}} * 0.01` : sql`{{pct}}::double precision / 100`;
    const increment = m.exact
      ? sql`(${m.increment} + ${DIGITS})`
      : sql`${m.increment}::double precision`;
    const ofIncrement = sql`${increment} * ${amount} / NULLIF(${m.total}, 0)`;
    // Only at a held price the weights are quotients.
    const share =
      m === priced && m.exact ? sql`ROUND(${ofIncrement}, ${WORTH_SUM_SCALE})` : ofIncrement;
    return sql`CASE
            WHEN {{pct}} IS NOT NULL THEN ${percent} * ${amount}
            WHEN COALESCE(${m.increment}, 0) <> 0 THEN ${share}
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
    return sql`ROUND(${amount}, ${m.decimals === null ? m.scale : sql`${m.decimals}`})`;
  };
  // The amount that a leaf gets. For an exact measure, it is the difference of two rounded running sums: that of the
  // leaf, and the same without the weight of the leaf. So the running sum of the leaf before needs no window.
  const share = (m: Measure): SqlText =>
    m.exact
      ? sql`${upTo(m, m.running)} - ${upTo(m, sql`(${m.running} - ${m.weight})`)}`
      : upTo(m, m.weight);
  // The worth of a leaf's new units at its price; without units, the leaf's share of the value.
  const worth = (value: Measure, units: Measure): SqlText => {
    const type = computedAs(value);
    const amount = sql`${ident(value.column.name)}::${type}`;
    const count = sql`${ident(units.column.name)}::${type}`;
    const digits = value.exact ? sql` + ${WORTH_DIGITS}` : sql``;
    return sql`CASE
                WHEN ${count} <> 0 THEN (${units.part}::${type} * ${amount}${digits}) / ${count}
                ELSE (${units.increment}::${type} * ${amount}${digits}) / NULLIF(${units.total}, 0)::${type}
            END`;
  };
  // The amount of a leaf times the percentage that its value changes by.
  const followed = (m: Measure, value: Measure): SqlText => {
    const [of, amount] = [ident(value.column.name), ident(m.column.name)];
    const [type, own] = [computedAs(value), computedAs(m)];
    const increment = sql`{{with_incr}}::${type}`;
    const ofValue = (amountOfValue: SqlText, whole: SqlText) =>
      value.exact && m.exact
        ? sql`(${amountOfValue} * ${amount}::${own} + ${WORTH_DIGITS}) / NULLIF(${whole}, 0)`
        : sql`${amount}::${own} * (${amountOfValue} / NULLIF(${whole}, 0))::${own}`;
    // Without a change of the value, or without an amount of it, the measure stays.
    return sql`COALESCE(CASE
                WHEN {{spread}} = 'proportional' AND ${value.some} THEN ${ofValue(increment, sql`${value.total}::${type}`)}
                ELSE ${ofValue(sql`${increment} * ${value.weight}`, sql`${value.total}::${type} * ${of}::${type}`)}
            END, 0)`;
  };
  const weight = (m: Measure): SqlText => {
    const amount = ident(m.column.name);
    const type = computedAs(m);
    const fallbacks = main.filter((o) => o !== m);
    const borrowed = join(
      fallbacks.map(
        ({ column, nets }) => sql`
            WHEN ${nets} THEN ${ident(column.name)}::${type}`,
      ),
      sql``,
    );
    const following =
      m.follows && value
        ? sql`
            WHEN ${m.follows} THEN ${followed(m, value)}`
        : sql``;
    return sql`CASE${following}
            WHEN {{spread}} = 'equal' THEN 1
            WHEN {{pct}} IS NOT NULL OR ${m.some} THEN ${amount}::${type}${borrowed}
            ELSE 1
        END AS ${m.weight}`;
  };

  const runningSum = (weights: SqlText) =>
    sql`SUM(${weights}) OVER (leaf_order ROWS UNBOUNDED PRECEDING)`;
  const sums = (m: Measure) => [
    ...(m.exact ? [sql`${runningSum(m.weight)} AS ${m.running}`] : []),
    sql`SUM(${m.weight})${overAll} AS ${m.total}`,
    sql`SUM(ABS(${m.weight}))${overAll} AS ${m.swing}`,
  ];

  const deltas = measures.map((m) => {
    const name = ident(m.column.name);
    if (m.exact) return sql`${m.part} AS ${name}`;
    // Adding the residue, or 0, also turns the "-0" of doubles into 0.
    return sql`${m.part} + CASE
            WHEN {{pct}} IS NULL${m.follows ? sql` AND NOT ${m.follows}` : sql``} AND ROW_NUMBER() OVER (${edits ? sql`${ofEdit} ` : ofEdit}ORDER BY ABS(${m.weight}) DESC, ${leavesInOrder}) = 1
            THEN COALESCE(${m.increment}, 0)::double precision - SUM(${m.part})${overAll}
            ELSE 0
        END AS ${name}`;
  });

  const spreadable = measures.map((m) => {
    const own = edits ? sql`({{spread}} = 'equal' OR ${m.some}) AND ` : sql``;
    return sql`({{pct}} IS NOT NULL OR COALESCE(${m.increment}, 0) = 0 OR ${own}${m.total} <> 0 AND ${m.swing} <= ${MAX_SWING} * ABS(${m.total}))`;
  });
  const written = measures.map((m) => ident(m.column.name));
  const anything = join(
    written.map((name) => sql`${name} <> 0`),
    sql` OR `,
  );

  // Of all leaves: whether they have an amount, whether they add up to something, and the decimals to round to.
  const known = [
    ...measures.map((m) => sql`BOOL_OR(${ident(m.column.name)} <> 0)${overAll} AS ${m.some}`),
    ...main.map((m) => sql`${netsToSomething(m.column, overAll)} AS ${m.nets}`),
    ...measures.flatMap((m) =>
      m.exact && m.decimals === null
        ? [sql`${roundingScale(m.column, [m.increment], overAll)} AS ${m.scale}`]
        : [],
    ),
  ];

  // PostgreSQL merges steps without a window, and then recognizes that the leaves are in their order already.
  const step = (name: SqlText, from: SqlText, more: readonly SqlText[], end = sql``) =>
    sql`${name} AS (
    SELECT
        ${list([sql`${from}.*`, ...more], IN_CTE)}
    FROM ${from}${end}
)`;
  const window = edits ? sql`${ofEdit} ORDER BY ${leavesInOrder}` : sql`ORDER BY ${order}`;
  const inOrder = sql`\n    WINDOW leaf_order AS (${window})`;
  const weightedAndSummed = (from: SqlText, prefix: SqlText, of: readonly Measure[]) => [
    step(sql`${prefix}weighted`, from, of.map(weight)),
    step(
      sql`${prefix}summed`,
      sql`${prefix}weighted`,
      of.flatMap(sums),
      of.some((m) => m.exact) ? inOrder : sql``,
    ),
  ];
  // The weights of a value and their sums, from the amounts or at a held price. Without ORDER BY, PostgreSQL would
  // not notice that the leaves are in order if there is no window.
  const pricedSteps = (own: Measure, count: Measure, to: Measure) => {
    const chosen = (atPrice: SqlText, otherwise: SqlText) =>
      sql`CASE WHEN {{spread}} = 'price' THEN ${atPrice} ELSE ${otherwise} END`;
    const worthOf = ident(freeName('value_worth', taken));
    return [
      step(sql`worth`, sql`counted`, [
        sql`CASE
            WHEN {{spread}} = 'price' THEN ${worth(own, count)}
        END AS ${worthOf}`,
      ]),
      step(
        sql`priced`,
        sql`worth`,
        [
          sql`${chosen(worthOf, own.weight)} AS ${to.weight}`,
          ...(own.exact ? [sql`${chosen(runningSum(worthOf), own.running)} AS ${to.running}`] : []),
          sql`${chosen(sql`SUM(${worthOf})${overAll}`, own.total)} AS ${to.total}`,
          sql`${chosen(sql`SUM(ABS(${worthOf}))${overAll}`, own.swing)} AS ${to.swing}`,
        ],
        own.exact ? sql`${inOrder}\n    ORDER BY ${order}` : sql``,
      ),
    ];
  };
  const shared = (name: SqlText, from: SqlText, of: readonly Measure[]) =>
    step(
      name,
      from,
      of.map((m) => sql`${share(m)} AS ${m.part}`),
    );
  const stages = [
    ...weightedAndSummed(sql`known`, sql``, main),
    ...(ofLeaves && units && priced
      ? [
          // Units come first, since a value may depend on the new units.
          shared(sql`counted`, sql`summed`, [units]),
          ...pricedSteps(ofLeaves, units, priced),
          shared(sql`shared`, sql`priced`, [priced]),
        ]
      : [shared(sql`shared`, sql`summed`, main)]),
    // The further measures come last, since they may follow value.
    ...(further.length > 0
      ? [
          ...weightedAndSummed(sql`shared`, sql`measures_`, further),
          shared(sql`measures_shared`, sql`measures_summed`, further),
        ]
      : []),
  ];

  const every = ident(freeName('every_edit', taken));
  const isSpreadable = spreadable.length > 0 ? join(spreadable, sql`\n        AND `) : sql`FALSE`;
  const wanted = written.length > 0 ? anything : sql`FALSE`;
  const last = further.length > 0 ? sql`measures_shared` : sql`shared`;

  return sql`WITH ${leavesCte(columns)},
${edits ? sql`grouped AS (\n    ${edits.grouped}\n),\n` : sql``}${step(sql`known`, edits ? sql`grouped` : sql`leaves`, edits ? known : [...leafKey.made, ...known])},
${join(stages, sql`,\n`)},
deltas AS (
    SELECT
        ${list([...keys, ...deltas, ...leafKey.names, ...(edits ? [edits.edit, sql`BOOL_AND(${isSpreadable}) OVER () AS ${every}`] : [])], IN_CTE)}
    FROM ${last}${edits ? sql`` : sql`\n    WHERE ${isSpreadable}`}
    ORDER BY ${order}
    OFFSET 0
),
${writeAndAnswer(
  'scale',
  columns,
  sql`SELECT ${commas([...keys, ...written, sql`'scale'`, sql`{{logid}}`])}
    FROM deltas
    WHERE ${edits ? sql`${every} AND (${wanted})` : wanted}
    ORDER BY ${order}`,
)}`;
}
