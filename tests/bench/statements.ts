import { commas, ident, literal, sql, type SqlText } from '../../src/lib/server/sql/quote';
import { indexedOrLater } from '../../src/lib/server/sql/slice';
import { substitute, type TokenValues } from '../../src/lib/server/sql/tokens';
import { trusted } from '../../src/lib/server/sql/trusted';
import { plannedOrders, type Shape } from './shapes';

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
    where_clause: batch === null ? sql`TRUE` : sql`"Batch" = ${literal(batch)}::text`,
    exclude_clause: sql`pf_iter NOT IN ('reference')${indexedTo === null ? sql`` : sql` AND ${indexedOrLater(indexedTo)}`}`,
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

/**
 * Returns an insert that writes all loaded rows of a forecast table once more, and answers them: as many rows as a
 * scale of all leaves writes, without a computation.
 *
 * @param from the FROM clause, with its conditions; by default the rows of the table's baseline
 */
export const bareInsert = (
  { columns }: Shape,
  table: string,
  logid: number,
  from: SqlText = sql`${trusted(table)} WHERE pf_iter = 'baseline'`,
): SqlText => {
  const names = commas(columns.map(({ cname }) => ident(cname)));
  return sql`WITH written AS (
    INSERT INTO ${trusted(table)} (${names}, pf_iter, pf_logid)
    SELECT ${names}, 'scale', ${logid}
    FROM ${from}
    RETURNING *
)
SELECT * FROM written`;
};

/**
 * Returns the same insert of rows that are netted to leaves and sorted by their columns, as every operation must do
 * before it computes anything. The templates sort by one text instead, which is faster with many columns.
 */
export const insertInOrder = (shape: Shape, table: string, logid: number): SqlText => {
  const keys = shape.columns
    .filter(({ role }) => role === 'dimension' || role === 'date')
    .map(({ cname, role }) => ({
      name: ident(cname),
      key: role === 'dimension' ? sql`${ident(cname)} COLLATE "C"` : ident(cname),
    }));
  const measures = shape.columns
    .filter(({ role }) => role === 'value' || role === 'units')
    .map(({ cname }) => sql`SUM(${ident(cname)}) AS ${ident(cname)}`);
  const leaves = sql`(
        SELECT ${commas([...keys.map(({ key, name }) => sql`${key} AS ${name}`), ...measures])}
        FROM ${trusted(table)}
        GROUP BY ${commas(keys.map(({ key }) => key))}
        ORDER BY ${commas(keys.map(({ name }) => name))}
    ) AS leaves`;
  return bareInsert(shape, table, logid, leaves);
};
