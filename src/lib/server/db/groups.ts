/** Queries of the groups of rows that a shape gives weights to. */
import * as v from 'valibot';
import type { ForecastColumn } from '../sql/forecast-columns';
import { measureKind, measureOf } from '../sql/forecast-columns';
import type { Identifier, SqlText } from '../sql/quote';
import { ident, sql } from '../sql/quote';
import { NOISE } from '../sql/templates/leaves';
import type { Queryable } from './queryable';

const Group = v.object({
  group: v.array(v.nullable(v.string())),
  isFree: v.boolean(),
  value: v.nullable(v.string()),
  units: v.nullable(v.string()),
  /** Absolute amounts below these are noise of a floating-point measure; 0 for an exact one. */
  valueNoise: v.number(),
  unitsNoise: v.number(),
  /** The most decimals that an amount has, if the type of an exact measure does not fix them; else 0. */
  valueDecimals: v.number(),
  unitsDecimals: v.number(),
});
/**
 * A group of rows: its values, whether some of its rows can change, and its totals as text with all their digits,
 * null if the source has no such measure.
 */
export type Group = v.InferOutput<typeof Group>;

/**
 * The groups of the rows that match a condition, in the order of their values as text; null comes last.
 *
 * @param key the group of a row, as `groupKey` makes it
 * @param free the rows that can change
 * @param most one more than this number of groups is answered at most
 */
export async function groupsOf(
  db: Queryable,
  { table, columns }: { table: Identifier; columns: readonly ForecastColumn[] },
  key: SqlText,
  { where, free = sql`TRUE` }: { where: SqlText; free?: SqlText | undefined },
  most: number,
): Promise<Group[]> {
  const measure = (role: 'value' | 'units'): SqlText => {
    const column = measureOf(role, columns);
    const named = (amount: SqlText, noise: SqlText, decimals: SqlText) =>
      role === 'value'
        ? sql`${amount} AS value, ${noise} AS "valueNoise", ${decimals} AS "valueDecimals"`
        : sql`${amount} AS units, ${noise} AS "unitsNoise", ${decimals} AS "unitsDecimals"`;
    if (!column) return named(sql`NULL`, sql`0`, sql`0`);
    const name = ident(column.name);
    const total = sql`COALESCE(SUM(${name}), 0)`;
    const kind = measureKind(column);
    if (kind.exact) {
      const decimals = kind.scale === null ? sql`COALESCE(MAX(scale(${name})), 0)` : sql`0`;
      return named(sql`${total}::text`, sql`0`, decimals);
    }
    const noise = sql`${NOISE} * COALESCE(SUM(ABS(${name})), 0)`;
    const net = sql`CASE WHEN ABS(${total}) > ${noise} THEN ${total} ELSE 0 END`;
    return named(sql`(${net})::text`, noise, sql`0`);
  };
  const groups = await db.many(
    Group,
    sql`SELECT ${key} AS "group", bool_or(${free}) AS "isFree", ${measure('value')}, ${measure('units')}
     FROM ${table} WHERE ${where} GROUP BY 1 LIMIT ${most + 1}`,
  );
  return groups.toSorted((one, other) => compare(one.group, other.group));
}

function compare(one: Group['group'], other: Group['group']): number {
  for (const [i, a] of one.entries()) {
    const b = other[i] ?? null;
    if (a === b) continue;
    if (a === null) return 1;
    return b === null || a < b ? -1 : 1;
  }
  return 0;
}
