/** The statement that closes months: adds the difference between the source and the plan. */
import { OPERATIONS } from '../../../contract/operations';
import type { ForecastColumn } from '../forecast-columns';
import type { SqlText } from '../quote';
import { literal, sql } from '../quote';
import { differenceTemplate } from './difference';

/**
 * The statement that closes months: for each leaf of `{{where_clause}}`, the rows of the source as a load writes
 * them minus the rows of the plan. Leaves that do not differ are left out. It is not stored and answers no rows.
 */
export const actualTemplate = (
  source: { schema: string; tname: string },
  columns: readonly ForecastColumn[],
): SqlText =>
  differenceTemplate(source, columns, sql`{{exclude_clause}}`, {
    iter: literal(OPERATIONS.actual.iter),
  });
