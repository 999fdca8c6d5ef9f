/** The form of a scale that parts amounts over groups of leaves; it is not stored. */
import type { ForecastColumn } from '../forecast-columns';
import { leafColumns, measureColumns } from '../forecast-columns';
import type { Grouping } from '../groups';
import { groupKey } from '../groups';
import type { SqlText } from '../quote';
import { commas, ident, sql } from '../quote';
import { anyOf } from './copies';
import { leafOrder, leavesCte, writeAndAnswer } from './leaves';
import { groupColumns, partingCtes } from './parting';

/**
 * The statement of a scale with a shape (docs/contract/14-what-the-operations-compute.md#shapes). `{{groups}}` is a
 * query of groups, each with its increments of value, of units and of the further measures. An increment is parted over the leaves of its group.
 */
export function scaleShapeTemplate(columns: readonly ForecastColumn[], by: Grouping): SqlText {
  const keys = leafColumns(columns).map((c) => ident(c.name));
  const order = leafOrder(columns);
  const named = groupColumns(columns);
  const { group, amounts } = named;
  const written = measureColumns(columns).map((m) => ident(m.name));

  return sql`WITH ${leavesCte(columns)},
groups (${commas([group, ...amounts.values()])}) AS (
    {{groups}}
),
grouped AS (
    SELECT leaves.*, groups.*
    FROM leaves
    JOIN groups ON groups.${group} = ${groupKey(by, sql`leaves.`)}
),
${partingCtes(columns, named, sql`deltas`)},
${writeAndAnswer(
  'scale',
  columns,
  sql`SELECT ${commas([...keys, ...written, sql`'scale'`, sql`{{logid}}`])}
    FROM deltas
    WHERE ${anyOf(written)}
    ORDER BY ${order}`,
)}`;
}
