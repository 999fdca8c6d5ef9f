import { commas, ident, literal, sql, type SqlText } from '../../src/lib/server/sql/quote';
import { byIndex } from '../../src/lib/server/sql/slice';
import { substitute, type TokenValues } from '../../src/lib/server/sql/tokens';
import { trusted } from '../../src/lib/server/sql/trusted';
import { plannedOrders } from './shapes';

const LEAF_COLUMNS = plannedOrders(0, { grain: false })
  .columns.filter(({ role }) => role === 'dimension' || role === 'date')
  .map(({ cname }) => cname);

/** The set clause that moves a slice to another region. */
export const MOVED: SqlText = commas(
  LEAF_COLUMNS.map((name) =>
    name === 'Region'
      ? sql`'Elsewhere'::text AS "Region"`
      : sql`leaves.${ident(name)} AS ${ident(name)}`,
  ),
);

/**
 * Returns the statement of the service for an operation on planned orders.
 *
 * @param template the stored template
 * @param batch the batch whose leaves are changed; null for all
 * @param tokens further tokens of this operation
 * @param indexedTo the newest entry whose rows are in the indexes for slices; null without such indexes
 */
export const statementOf = (
  template: string,
  table: string,
  batch: string | null,
  logid: number,
  tokens: TokenValues,
  indexedTo: number | null = null,
): SqlText =>
  substitute(trusted(template), {
    fc_table: trusted(table),
    where_clause: byIndex(
      batch === null ? sql`TRUE` : sql`"Batch" = ${literal(batch)}::text`,
      indexedTo,
    ),
    exclude_clause: sql`pf_iter NOT IN ('reference')`,
    logid: sql`${logid}`,
    note: sql`NULL::text`,
    ...tokens,
  });

/** Returns the tokens of a scale by amounts or by a percentage. */
export const scaleTokens = (by: { pct: number } | { value: string; units: string }) => ({
  pct: 'pct' in by ? sql`${by.pct}::numeric` : sql`NULL::numeric`,
  value_incr: 'pct' in by ? sql`NULL::numeric` : sql`${literal(by.value)}::numeric`,
  units_incr: 'pct' in by ? sql`NULL::numeric` : sql`${literal(by.units)}::numeric`,
  spread: sql`'proportional'`,
});
