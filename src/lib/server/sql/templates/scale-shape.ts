/** The form of a scale that parts amounts over groups of leaves; it is not stored. */
import { MAX_SWING } from '../../../contract/previews';
import type { ForecastColumn } from '../forecast-columns';
import { leafColumns, measureColumns, measureKind } from '../forecast-columns';
import type { Grouping } from '../groups';
import { groupKey } from '../groups';
import type { SqlText } from '../quote';
import { commas, ident, sql } from '../quote';
import { anyOf } from './copies';
import { leafOrder, leavesCte, roundingScale, writeAndAnswer } from './leaves';
import { freeName, IN_CTE, list } from './lists';
import { DIGITS } from './scale';

/**
 * The statement of a scale with a shape (docs/contract/14-what-the-operations-compute.md#shapes). `{{groups}}` is a
 * query of groups, each with its increments of value and units. An increment is spread over the leaves of its group
 * in proportion, or equally if they cancel each other out. Exact measures round running sums within the group; for a
 * floating-point measure, the largest leaf of the group takes the residue.
 */
export function scaleShapeTemplate(columns: readonly ForecastColumn[], by: Grouping): SqlText {
  const keys = leafColumns(columns).map((c) => ident(c.name));
  const order = leafOrder(columns);
  const taken = columns.map((c) => c.name);
  const own = (name: string) => ident(freeName(name, taken));
  const group = own('leaf_group');
  const increments = { value: own('value_incr'), units: own('units_incr') };
  const measures = measureColumns(columns).map((column) => {
    const role = column.role === 'value' ? 'value' : 'units';
    const { exact } = measureKind(column);
    return {
      ...{ column, exact, name: ident(column.name), increment: increments[role] },
      weight: own(`${role}_weight`),
      running: own(`${role}_running`),
      total: own(`${role}_total`),
      upTo: own(`${role}_up_to`),
    };
  });
  const inGroup = sql`OVER (PARTITION BY ${group})`;
  const inOrder = sql`OVER (PARTITION BY ${group} ORDER BY ${order} ROWS UNBOUNDED PRECEDING)`;

  const weights = measures.map(({ name, weight }) => {
    const sum = sql`SUM(${name}) ${inGroup}`;
    const swing = sql`SUM(ABS(${name})) ${inGroup}`;
    return sql`CASE WHEN ${sum} <> 0 AND ${swing} <= ${MAX_SWING} * ABS(${sum}) THEN ${name} ELSE 1 END AS ${weight}`;
  });
  const sums = measures.flatMap(({ exact, weight, running, total }) => [
    ...(exact ? [sql`SUM(${weight}) ${inOrder} AS ${running}`] : []),
    sql`SUM(${weight}) ${inGroup} AS ${total}`,
  ]);
  const shares = measures.map(({ column, exact, increment, weight, running, total, upTo }) =>
    exact
      ? sql`ROUND((${increment} + ${DIGITS}) * ${running} / ${total}, ${roundingScale(column, [increment])}) AS ${upTo}`
      : sql`${increment}::double precision * ${weight} / ${total} AS ${upTo}`,
  );
  const deltas = measures.map(({ name, exact, increment, weight, upTo }) => {
    if (exact) {
      return sql`${upTo} - LAG(${upTo}, 1, 0::numeric) OVER (PARTITION BY ${group} ORDER BY ${order}) AS ${name}`;
    }
    // Adding the residue, or 0, also turns the "-0" of doubles into 0.
    return sql`${upTo} + CASE
            WHEN ROW_NUMBER() OVER (PARTITION BY ${group} ORDER BY ABS(${weight}) DESC, ${order}) = 1
            THEN ${increment}::double precision - SUM(${upTo}) ${inGroup}
            ELSE 0
        END AS ${name}`;
  });
  const written = measures.map(({ name }) => name);
  const stage = (name: SqlText, from: SqlText, more: readonly SqlText[]) => sql`${name} AS (
    SELECT
        ${list([sql`${from}.*`, ...more], IN_CTE)}
    FROM ${from}
)`;

  return sql`WITH ${leavesCte(columns)},
groups (${commas([group, increments.value, increments.units])}) AS (
    {{groups}}
),
grouped AS (
    SELECT leaves.*, groups.*
    FROM leaves
    JOIN groups ON groups.${group} = ${groupKey(by, sql`leaves.`)}
),
${stage(sql`weighted`, sql`grouped`, weights)},
${stage(sql`summed`, sql`weighted`, sums)},
${stage(sql`shared`, sql`summed`, shares)},
deltas AS (
    SELECT
        ${list([...keys, ...deltas], IN_CTE)}
    FROM shared
),
${writeAndAnswer(
  'scale',
  columns,
  sql`SELECT ${commas([...keys, ...written, sql`'scale'`, sql`{{logid}}`])}
    FROM deltas
    WHERE ${anyOf(written)}
    ORDER BY ${order}`,
)}`;
}
