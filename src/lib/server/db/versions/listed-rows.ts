/** Queries of the list of forecast rows behind a slice: entry by entry, newest first. */
import * as v from 'valibot';
import { ListedRowKey } from '../../../contract/log';
import type { ReadableRows, SqlText } from '../../sql/quote';
import { commas, join, sql } from '../../sql/quote';
import { idList } from '../../sql/templates/read';
import type { Queryable } from '../connection/queryable';

/** The order of the list: the newest entry first, and its rows as they were written. */
export const IN_LIST_ORDER = sql`pf_logid DESC, pf_id`;

/** The rows of the list after one of them, as a condition; all rows after null. */
export const listedAfter = (after: ListedRowKey | null): SqlText =>
  after
    ? sql`(pf_logid < ${after.pf_logid} OR (pf_logid = ${after.pf_logid} AND pf_id > ${after.pf_id}))`
    : sql`TRUE`;

/**
 * The keys of some rows in the order of the list.
 *
 * One index has the order of the entries, another one has the order of the rows inside an entry. No index has both. So
 * the first statement reads the entries, and the second one the rows of these entries. PostgreSQL can end both at the
 * end of the page, without a sort of the rows behind it.
 *
 * @param where which rows the list has
 * @param after the row before the first one; null for the first rows of the list
 */
export async function listedKeys(
  db: Queryable,
  from: ReadableRows,
  where: SqlText,
  after: ListedRowKey | null,
  limit: number,
): Promise<ListedRowKey[]> {
  const older = after ? sql`pf_logid < ${after.pf_logid}` : sql`TRUE`;
  const found = await db.many(
    v.object({ pf_logid: v.number() }),
    sql`SELECT pf_logid FROM ${from} WHERE (${where}) AND ${older} ORDER BY pf_logid DESC LIMIT ${limit}`,
  );
  const entries = [...new Set(found.map(({ pf_logid }) => pf_logid))];
  const last = entries.pop();
  const keys = (condition: SqlText) =>
    sql`(SELECT pf_logid, pf_id FROM ${from} WHERE (${where}) AND ${condition} ORDER BY pf_id LIMIT ${limit})`;
  const parts = [
    ...(after ? [keys(sql`pf_logid = ${after.pf_logid} AND pf_id > ${after.pf_id}`)] : []),
    ...(entries.length > 0 ? [keys(sql`pf_logid IN (${idList(entries)})`)] : []),
    ...(last === undefined ? [] : [keys(sql`pf_logid = ${last}`)]),
  ];
  if (parts.length === 0) return [];
  return db.many(
    ListedRowKey,
    sql`SELECT pf_logid, pf_id FROM (${join(parts, sql` UNION ALL `)}) AS part
     ORDER BY ${IN_LIST_ORDER} LIMIT ${limit}`,
  );
}

/** The rows with some keys, as the value of the token `fc_table` in a template that reads. */
export const rowsOfKeys = (rows: ReadableRows, keys: readonly ListedRowKey[]): SqlText =>
  sql`(SELECT * FROM ${rows} WHERE pf_logid IN (${idList([...new Set(keys.map((key) => key.pf_logid))])})
     AND pf_id IN (${commas(keys.map((key) => sql`${key.pf_id}`))})) AS listed`;
