/** The `clone` template: copies the leaves of a slice, multiplied by a factor. */
import type { ForecastColumn } from '../forecast-columns';
import { leafColumns, measureColumns } from '../forecast-columns';
import type { SqlText } from '../quote';
import { commas, ident, sql } from '../quote';
import { anyOf, copiesCtes } from './copies';
import { leafOrder, leavesCte, nettingHaving, writeAndAnswer } from './leaves';

/**
 * The `clone` template: copies the slice's leaves, multiplied by `{{scale_factor}}`, to the place that
 * `{{set_clause}}` names. Exact measures are rounded cumulatively, as in scale, so the copy's total is the
 * factor times the slice's total, rounded once.
 *
 * @param of `leaf` if `{{scale_factor}}` is an expression over `leaves`; such a statement is not stored
 */
export function cloneTemplate(
  columns: readonly ForecastColumn[],
  of: 'slice' | 'leaf' = 'slice',
): SqlText {
  const keys = leafColumns(columns).map((c) => ident(c.name));
  const copied = measureColumns(columns).map((m) => sql`leaves.${ident(m.name)}`);
  return sql`WITH ${leavesCte(columns, nettingHaving(columns))},
${copiesCtes(sql`leaves`, columns, of)},
${writeAndAnswer(
  'clone',
  columns,
  sql`SELECT ${commas([...keys.map((key) => sql`target.${key}`), ...copied, sql`'clone'`, sql`{{logid}}`])}
    FROM copies AS leaves
    CROSS JOIN LATERAL (
        SELECT {{set_clause}}
    ) AS target
    WHERE ${anyOf(copied)}
    ORDER BY ${leafOrder(columns, sql`leaves.`)}`,
)}`;
}
