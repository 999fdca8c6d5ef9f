/** Totals of the rows of a slice, grouped by the effect of a scale on them. */
import * as v from 'valibot';
import { CANCELS_FROM } from '../../contract/previews';
import type { ForecastColumn } from '../sql/forecast-columns';
import { measureKind, measureOf } from '../sql/forecast-columns';
import type { Identifier, SqlText } from '../sql/quote';
import { commas, ident, sql } from '../sql/quote';
import { leavesCte, roundingScale } from '../sql/templates/leaves';
import { substitute } from '../sql/tokens';
import { noTotals, Totals, totals } from './forecast';
import type { Queryable } from './queryable';
import { tableNumber } from './row-schemas';

/** Number of decimals to which the amounts of some rows are rounded, as SQL; NULL for a floating-point measure. */
const decimals = (measure: ForecastColumn | undefined): SqlText =>
  measure && measureKind(measure).exact ? roundingScale(measure, [], sql``) : sql`NULL::integer`;

/** The sum of the absolute amounts of some rows, as SQL; NULL without the measure. */
const absolute = (measure: ForecastColumn | undefined): SqlText =>
  measure ? sql`COALESCE(SUM(ABS(${ident(measure.name)})), 0)` : sql`NULL::numeric`;

const SIDES = ['excluded', 'held', 'free', 'included'] as const;

const RoundedTotals = v.object({
  ...Totals.entries,
  value_decimals: v.nullable(v.number()),
  units_decimals: v.nullable(v.number()),
});
type RoundedTotals = v.InferOutput<typeof RoundedTotals>;

const gross = { value_gross: v.nullable(tableNumber), units_gross: v.nullable(tableNumber) };
const Gross = v.object(gross);

const ReachedSide = v.object({ ...RoundedTotals.entries, ...gross, side: v.picklist(SIDES) });

/** Rows that a scale would change, with what their leaves add up to if their signs do not count. */
type FreeRows = RoundedTotals & v.InferOutput<typeof Gross>;

/** The rows of a slice, grouped by the effect of a scale on them. */
interface ReachedRows {
  /** Rows that operations see: those that are held, and those that are free. */
  included: RoundedTotals;
  /** Rows that operations skip because of their origin. */
  excluded: Totals;
  held: Totals;
  free: FreeRows;
}

/**
 * Adds up the rows behind a condition grouped by the effect of a scale on them, in one pass over the rows, and in
 * a second one over the leaves if much of them cancels out.
 *
 * @param conditions which rows there are, which of them operations see, and which keep their amounts; `held`
 * may be null for rows that do not
 */
export async function reachedRows(
  db: Queryable,
  table: Identifier,
  columns: readonly ForecastColumn[],
  { where, exclude, held }: Record<'where' | 'exclude' | 'held', SqlText>,
): Promise<ReachedRows> {
  const value = measureOf('value', columns);
  const units = measureOf('units', columns);
  const summed = (role: 'value' | 'units', of: 'total' | 'gross') => {
    if (measureOf(role, columns)) return sql`SUM(${ident(`${role}_${of}`)})`;
    return of === 'total' ? sql`NULL` : sql`NULL::numeric`;
  };
  const rows = await db.many(
    ReachedSide,
    // As in entryTotals, PostgreSQL also sums the groups.
    sql`WITH part AS (
       SELECT CASE WHEN NOT (${exclude}) THEN 'excluded' WHEN (${held}) IS TRUE THEN 'held' ELSE 'free' END AS side,
         ${totals(columns)}, ${absolute(value)} AS value_gross, ${absolute(units)} AS units_gross,
         ${decimals(value)} AS value_decimals, ${decimals(units)} AS units_decimals
       FROM ${table} WHERE ${where} GROUP BY 1
     )
     SELECT * FROM part
     UNION ALL
     SELECT 'included', SUM(row_count), ${commas([
       summed('value', 'total'),
       summed('units', 'total'),
       summed('value', 'gross'),
       summed('units', 'gross'),
     ])}, MAX(value_decimals), MAX(units_decimals)
     FROM part WHERE side <> 'excluded' HAVING count(*) > 0`,
  );
  const side = (name: (typeof SIDES)[number]) =>
    rows.find((row) => row.side === name) ?? {
      ...noTotals(columns),
      ...{ value_gross: null, units_gross: null, value_decimals: null, units_decimals: null },
    };
  const free = side('free');
  const cancels = (['value', 'units'] as const).some(
    (role) => (free[`${role}_gross`] ?? 0) > CANCELS_FROM * Math.abs(free[`${role}_total`] ?? 0),
  );
  const leaves = cancels
    ? await leavesGross(db, columns, {
        fc_table: table,
        where_clause: sql`(${where})
        AND (${held}) IS NOT TRUE`,
        exclude_clause: exclude,
      })
    : null;
  const grossOf = (role: 'value' | 'units') => {
    const found = leaves?.[`${role}_gross`] ?? null;
    const net = Math.abs(free[`${role}_total`] ?? 0);
    return found !== null && found > CANCELS_FROM * net ? found : null;
  };
  return {
    included: rounded(side('included')),
    excluded: plain(side('excluded')),
    held: plain(side('held')),
    free: { ...rounded(free), value_gross: grossOf('value'), units_gross: grossOf('units') },
  };
}

/** What the absolute amounts of the leaves of a slice add up to. */
async function leavesGross(
  db: Queryable,
  columns: readonly ForecastColumn[],
  tokens: Record<'fc_table' | 'where_clause' | 'exclude_clause', SqlText>,
): Promise<v.InferOutput<typeof Gross>> {
  return db.one(
    Gross,
    sql`WITH ${substitute(leavesCte(columns), tokens)}
     SELECT ${absolute(measureOf('value', columns))} AS value_gross,
       ${absolute(measureOf('units', columns))} AS units_gross FROM leaves`,
  );
}

const plain = ({ row_count, value_total, units_total }: Totals): Totals => ({
  row_count,
  value_total,
  units_total,
});

const rounded = ({ value_decimals, units_decimals, ...row }: RoundedTotals): RoundedTotals => ({
  ...plain(row),
  value_decimals,
  units_decimals,
});
