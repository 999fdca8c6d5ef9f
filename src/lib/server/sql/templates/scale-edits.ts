/** The template of a scale with several edits. It is generated for each request and not stored. */
import type { ForecastColumn } from '../forecast-columns';
import type { SqlText } from '../quote';
import { commas, sql } from '../quote';
import { leafKeys } from './leaves';
import { amountOf, groupColumns } from './parting';
import { scaleStatement } from './scale';

/**
 * The statement of a scale with several edits whose leaves differ (docs/decisions/0007-operations-in-one-statement.md).
 * It writes the rows that the stored statement writes edit by edit, in the same order. `{{groups}}` is a query of the
 * leaves of each edit with its increments.
 */
export function scaleEditsTemplate(columns: readonly ForecastColumn[]): SqlText {
  const named = groupColumns(columns);
  const { made, order } = leafKeys(columns);
  return scaleStatement(columns, {
    edit: named.group,
    incrementOf: (measure) => amountOf(measure, named),
    grouped: sql`SELECT ${commas([sql`edited.*`, ...made])} FROM (
    {{groups}}
    ) AS edited
    ORDER BY ${named.group}, ${order}`,
  });
}
