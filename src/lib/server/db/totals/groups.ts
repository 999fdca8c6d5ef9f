/** Queries of the groups of rows that a shape gives weights to. */
import * as v from 'valibot';
import { measureKey } from '../../../contract/columns';
import type { ForecastColumn } from '../../sql/forecast-columns';
import { measureColumns, measureKind } from '../../sql/forecast-columns';
import type { ReadableRows, SqlText } from '../../sql/quote';
import { commas, ident, sql } from '../../sql/quote';
import { exactSum, NOISE } from '../../sql/templates/leaves';
import type { Queryable } from '../connection/queryable';

const Group = v.object({
  group: v.array(v.nullable(v.string())),
  isFree: v.boolean(),
  totals: v.array(v.string()),
  noise: v.array(v.number()),
  decimals: v.array(v.number()),
});

/** An amount of a group. */
export interface GroupAmount {
  /** Its total as text with all its digits. */
  total: string;
  /** Absolute amounts below this are noise of a floating-point measure; 0 for an exact one. */
  noise: number;
  /** The most decimals that an amount has, if the type of an exact measure does not fix them; else 0. */
  decimals: number;
}

/** A group of rows: its values, whether some of its rows can change, and its amounts by the key of the measure. */
export interface Group {
  group: (string | null)[];
  isFree: boolean;
  amounts: ReadonlyMap<string, GroupAmount>;
}

/** The total, the noise and the decimals of a measure, as SQL over the rows of a group. */
function amountOf(column: ForecastColumn): Record<keyof GroupAmount, SqlText> {
  const name = ident(column.name);
  const total = sql`COALESCE(${exactSum(column, name)}, 0)`;
  const kind = measureKind(column);
  if (kind.exact) {
    const decimals = kind.scale === null ? sql`COALESCE(MAX(scale(${name})), 0)` : sql`0`;
    return { total: sql`${total}::text`, noise: sql`0`, decimals };
  }
  const noise = sql`${NOISE} * COALESCE(SUM(ABS(${name})), 0)`;
  const net = sql`CASE WHEN ABS(${total}) > (${noise})::numeric THEN ${total} ELSE 0 END`;
  return { total: sql`(${net})::text`, noise, decimals: sql`0` };
}

/**
 * The groups of the rows that match a condition, in the order of their values as text; null comes last.
 *
 * @param key the group of a row, as `groupKey` makes it
 * @param free the rows that can change
 * @param most one more than this number of groups is answered at most
 */
export async function groupsOf(
  db: Queryable,
  { rows: from, columns }: { rows: ReadableRows; columns: readonly ForecastColumn[] },
  key: SqlText,
  { where, free = sql`TRUE` }: { where: SqlText; free?: SqlText | undefined },
  most: number,
): Promise<Group[]> {
  const measures = measureColumns(columns);
  const amounts = measures.map(amountOf);
  const all = (of: keyof GroupAmount, type: SqlText) =>
    sql`ARRAY[${commas(amounts.map((amount) => amount[of]))}]::${type}[]`;
  const groups = await db.many(
    Group,
    sql`SELECT ${key} AS "group", bool_or(${free}) AS "isFree", ${all('total', sql`text`)} AS totals,
       ${all('noise', sql`double precision`)} AS noise, ${all('decimals', sql`integer`)} AS decimals
     FROM ${from} WHERE ${where} GROUP BY 1 LIMIT ${most + 1}`,
  );
  return groups
    .map(({ group, isFree, totals, noise, decimals }) => ({
      ...{ group, isFree },
      amounts: new Map(
        measures.map((measure, i) => [
          measureKey(measure),
          { total: totals[i] ?? '0', noise: noise[i] ?? 0, decimals: decimals[i] ?? 0 },
        ]),
      ),
    }))
    .toSorted((one, other) => compare(one.group, other.group));
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
