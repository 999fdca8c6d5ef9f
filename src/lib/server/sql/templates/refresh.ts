/** The statements of a refresh: what a load and its earlier refreshes hold, and how that differs from the source. */
import type { CopyingLoad } from '../../../contract/operations';
import type { ForecastColumn } from '../forecast-columns';
import { startOfPeriod } from '../loaded-day';
import type { SqlText } from '../quote';
import { commas, either, ident, join, literal, sql } from '../quote';
import type { TokenValues } from '../tokens';
import { substitute } from '../tokens';
import { differenceCte, differenceTemplate } from './difference';

/** Rows that a refresh has written for a load: its entry, and the time of these rows. */
export interface WrittenForLoad {
  logid: number;
  /** An instant of PostgreSQL, to the microsecond. No other rows of the version that a refresh wrote have it. */
  at: string;
}

/** An instant as a literal. */
const instant = (at: string): SqlText => sql`${literal(at)}::timestamptz`;

/**
 * The rows that a load and its refreshes hold, as a condition on a forecast table. A refresh writes the rows of each
 * load with a time of their own, so that two loads with the same leaves are told apart.
 */
export function heldByLoad(logid: number, refreshes: readonly WrittenForLoad[]): SqlText {
  if (refreshes.length === 0) return sql`pf_logid = ${logid}`;
  const entries = commas(refreshes.map((written) => sql`${written.logid}`));
  const times = commas(refreshes.map(({ at }) => instant(at)));
  return sql`(pf_logid = ${logid} OR (pf_logid IN (${entries}) AND pf_created_at IN (${times})))`;
}

/**
 * The statement that refreshes one load: for each leaf of `{{where_clause}}`, the rows of the source as the load writes
 * them minus those that it holds. It is not stored and answers no rows.
 *
 * @param held the rows that the load holds
 * @param at the time of the written rows
 */
export const refreshTemplate = (
  source: { schema: string; tname: string },
  columns: readonly ForecastColumn[],
  load: { iter: CopyingLoad; held: SqlText; at: string },
): SqlText =>
  differenceTemplate(source, columns, load.held, {
    iter: literal(load.iter),
    writtenAt: instant(load.at),
  });

/**
 * The query that counts the leaves of a load that differ from the source and meet one of some conditions, by the first
 * of these and by month. Its columns are `place`, `month` and `rows`.
 *
 * @param held the rows that the load holds
 * @param date the column of the months; undefined for a source without dates
 * @param conditions at least one
 */
export function differingQuery(
  source: { schema: string; tname: string },
  columns: readonly ForecastColumn[],
  {
    held,
    date,
    conditions,
  }: { held: SqlText; date?: ForecastColumn | undefined; conditions: readonly SqlText[] },
  tokens: TokenValues,
): SqlText {
  const cases = conditions.map((condition, i) => sql`WHEN ${condition} THEN ${i}`);
  const where_clause = sql`(${either(conditions)})`;
  // The conditions may have texts that look like tokens.
  return sql`${substitute(differenceCte(source, columns, held), { ...tokens, where_clause })}SELECT
    CASE ${join(cases, sql` `)} END AS place,
    ${monthOf(date)} AS month,
    count(*) AS rows
FROM leaves
GROUP BY 1, 2
ORDER BY 1, 2`;
}

/** The first day of the month of a row as text; null without a date. */
export const monthOf = (date: ForecastColumn | undefined): SqlText =>
  date ? sql`${startOfPeriod(ident(date.name), 'month')}::text` : sql`NULL::text`;
