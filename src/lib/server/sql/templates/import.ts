/** The statement of an import: parts an amount of each cell over its leaves. */
import type { ForecastColumn } from '../forecast-columns';
import { leafColumns, measureColumns } from '../forecast-columns';
import type { SqlText } from '../quote';
import { commas, ident, sql } from '../quote';
import { anyOf } from './copies';
import { leafOrder, leavesCte, writeAndAnswer } from './leaves';
import { groupColumns, partingCtes } from './parting';

/**
 * The statement of an import (docs/contract/14-what-the-operations-compute.md#import). `{{groups}}` is a query of the
 * leaves of each cell with the increments of value and units of the cell. It is not stored.
 */
export function importTemplate(columns: readonly ForecastColumn[]): SqlText {
  const keys = leafColumns(columns).map((c) => ident(c.name));
  const written = measureColumns(columns).map((m) => ident(m.name));

  return sql`WITH ${leavesCte(columns)},
grouped AS (
    {{groups}}
),
${partingCtes(columns, groupColumns(columns), sql`deltas`)},
${writeAndAnswer(
  'import',
  columns,
  sql`SELECT ${commas([...keys, ...written, sql`'import'`, sql`{{logid}}`])}
    FROM deltas
    WHERE ${anyOf(written)}
    ORDER BY ${leafOrder(columns)}`,
)}`;
}
