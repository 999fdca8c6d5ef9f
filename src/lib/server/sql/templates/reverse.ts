/** The statement of a reverse: negates what some entries add up to. */
import type { ForecastColumn } from '../forecast-columns';
import { leafColumns, measureColumns } from '../forecast-columns';
import type { SqlText } from '../quote';
import { commas, ident, sql } from '../quote';
import { leafOrder, leavesCte, nettingHaving, withoutSignedZero, writeAndAnswer } from './leaves';

/**
 * The statement of a reverse: for each leaf of the slice, the negated sums of some rows. Unlike other templates,
 * this text is not stored with the source.
 *
 * @param among a condition that selects the rows of the entry and of its earlier reverses
 */
export function reverseTemplate(columns: readonly ForecastColumn[], among: SqlText): SqlText {
  const keys = leafColumns(columns).map((c) => ident(c.name));
  const negated = measureColumns(columns).map((m) => withoutSignedZero(m, sql`-${ident(m.name)}`));
  return sql`WITH ${leavesCte(columns, nettingHaving(columns), among)},
${writeAndAnswer(
  'reverse',
  columns,
  sql`SELECT ${commas([...keys, ...negated, sql`'reverse'`, sql`{{logid}}`])}
    FROM leaves
    ORDER BY ${leafOrder(columns)}`,
)}`;
}
