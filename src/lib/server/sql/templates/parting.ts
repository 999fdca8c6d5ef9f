/** CTEs that part amounts over the leaves of groups. */
import { measureKey, SINGLE_ROLES } from '../../../contract/columns';
import { MAX_SWING } from '../../../contract/previews';
import type { ForecastColumn } from '../forecast-columns';
import {
  furtherMeasures,
  leafColumns,
  measureColumns,
  measureKind,
  measureWord,
} from '../forecast-columns';
import type { Identifier, SqlText } from '../quote';
import { ident, sql } from '../quote';
import { leafOrder, roundingScale } from './leaves';
import { freeName, IN_CTE, list } from './lists';
import { DIGITS } from './scale';

/** The columns of the CTE `grouped`, beside those of the leaves. */
export interface GroupColumns {
  /** Tells groups apart. */
  group: Identifier;
  /** The amount to part of each measure, by its key. */
  amounts: ReadonlyMap<string, Identifier>;
}

/** @param columns whose names are taken */
export function groupColumns(columns: readonly ForecastColumn[]): GroupColumns {
  const taken = columns.map((c) => c.name);
  const own = (name: string) => ident(freeName(name, taken));
  return {
    group: own('leaf_group'),
    amounts: new Map([
      ...SINGLE_ROLES.map((role): [string, Identifier] => [role, own(`${role}_incr`)]),
      ...furtherMeasures(columns).map((m): [string, Identifier] => [
        measureKey(m),
        own(`${measureWord(m, columns)}_incr`),
      ]),
    ]),
  };
}

/** The amount of a group to part among its leaves. */
export function amountOf(column: ForecastColumn, { amounts }: GroupColumns): Identifier {
  const amount = amounts.get(measureKey(column));
  if (amount === undefined) throw new Error(`${column.name} is not a measure`);
  return amount;
}

/**
 * Whether an amount is parted in proportion to the leaves, as SQL: not if they cancel each other out.
 *
 * @param swing the sum of the absolute amounts
 */
export const isInProportion = (sum: SqlText, swing: SqlText): SqlText =>
  sql`${sum} <> 0 AND ${swing} <= ${MAX_SWING} * ABS(${sum})`;

/** The keys of the measures in the order of the amounts of a group. */
export const amountKeys = (columns: readonly ForecastColumn[]): string[] => [
  ...groupColumns(columns).amounts.keys(),
];

/**
 * The CTEs up to `parts`: parts the amounts of each group over its leaves, in proportion to the leaves, or equally
 * if they cancel each other out. Exact measures round running sums within the group; for a floating-point measure,
 * the largest leaf of the group takes the residue. They read the CTE `grouped`, which has the leaves with the
 * columns of their groups.
 *
 * @param parts name of the CTE with the parts: the keys of the leaves, and for each measure its part
 */
export function partingCtes(
  columns: readonly ForecastColumn[],
  named: GroupColumns,
  parts: SqlText,
): SqlText {
  const keys = leafColumns(columns).map((c) => ident(c.name));
  const order = leafOrder(columns);
  const taken = columns.map((c) => c.name);
  const own = (name: string) => ident(freeName(name, taken));
  const { group } = named;
  const measures = measureColumns(columns).map((column) => {
    const word = measureWord(column, columns);
    const { exact } = measureKind(column);
    return {
      ...{ column, exact, name: ident(column.name), amount: amountOf(column, named) },
      weight: own(`${word}_weight`),
      running: own(`${word}_running`),
      total: own(`${word}_total`),
      upTo: own(`${word}_up_to`),
    };
  });
  const inGroup = sql`OVER (PARTITION BY ${group})`;
  const inOrder = sql`OVER (PARTITION BY ${group} ORDER BY ${order} ROWS UNBOUNDED PRECEDING)`;

  const weights = measures.map(({ name, weight }) => {
    const sum = sql`SUM(${name}) ${inGroup}`;
    const swing = sql`SUM(ABS(${name})) ${inGroup}`;
    return sql`CASE WHEN ${isInProportion(sum, swing)} THEN ${name} ELSE 1 END AS ${weight}`;
  });
  const sums = measures.flatMap(({ exact, weight, running, total }) => [
    ...(exact ? [sql`SUM(${weight}) ${inOrder} AS ${running}`] : []),
    sql`SUM(${weight}) ${inGroup} AS ${total}`,
  ]);
  const shares = measures.map(({ column, exact, amount, weight, running, total, upTo }) =>
    exact
      ? sql`ROUND((${amount} + ${DIGITS}) * ${running} / ${total}, ${roundingScale(column, [amount])}) AS ${upTo}`
      : sql`${amount}::double precision * ${weight} / ${total} AS ${upTo}`,
  );
  const deltas = measures.map(({ name, exact, amount, weight, upTo }) => {
    if (exact) {
      return sql`${upTo} - LAG(${upTo}, 1, 0::numeric) OVER (PARTITION BY ${group} ORDER BY ${order}) AS ${name}`;
    }
    // Adding the residue, or 0, also turns the "-0" of doubles into 0.
    return sql`${upTo} + CASE
            WHEN ROW_NUMBER() OVER (PARTITION BY ${group} ORDER BY ABS(${weight}) DESC, ${order}) = 1
            THEN ${amount}::double precision - SUM(${upTo}) ${inGroup}
            ELSE 0
        END AS ${name}`;
  });
  const stage = (name: SqlText, from: SqlText, more: readonly SqlText[]) => sql`${name} AS (
    SELECT
        ${list([sql`${from}.*`, ...more], IN_CTE)}
    FROM ${from}
)`;

  return sql`${stage(sql`weighted`, sql`grouped`, weights)},
${stage(sql`summed`, sql`weighted`, sums)},
${stage(sql`shared`, sql`summed`, shares)},
${parts} AS (
    SELECT
        ${list([...keys, ...deltas], IN_CTE)}
    FROM shared
)`;
}
