/** The rows of a forecast table that the sender of a request may read. */
import { createHash } from 'node:crypto';
import type { Identifier, ReadableRows, SqlText } from './quote';
import { commas, ident, literal, sql } from './quote';
import { trusted } from './trusted';

/** All rows of a forecast table: for senders who may read them, and for the entries that the service writes. */
export const everyRow = (table: Identifier): ReadableRows => trusted<ReadableRows>(table);

/**
 * The rows of a forecast table that fulfil a condition. Their `pf_id` is replaced by another unique number, since
 * the gaps between the numbers would tell how many rows are left out.
 *
 * @param columns names of the data columns
 */
export function rowsInside(
  table: Identifier,
  columns: readonly string[],
  condition: SqlText,
  key: RowKey,
): ReadableRows {
  const names = commas([...columns.map(ident), sql`pf_iter`, sql`pf_logid`, sql`pf_created_at`]);
  const rows = sql`(SELECT ${names}, ${hiddenId(key)} AS pf_id FROM ${table} WHERE ${condition}) AS inside`;
  return trusted<ReadableRows>(rows);
}

/** Those of some rows that fulfil a condition. */
export const rowsAmong = (rows: ReadableRows, condition: SqlText): ReadableRows =>
  trusted<ReadableRows>(sql`(SELECT * FROM ${rows} WHERE ${condition}) AS among`);

/** The key of the numbers that replace `pf_id`: a seed for each round of a Feistel network. */
export type RowKey = readonly [bigint, bigint];

/** @param secret a text that people do not know */
export function rowKey(secret: string): RowKey {
  const bytes = createHash('sha256').update(secret).digest();
  return [bytes.readBigInt64LE(0), bytes.readBigInt64LE(8)];
}

const HALF = 26;
const LOW_HALF = 2 ** HALF - 1;

/** `pf_id` below 2⁵² as another number below 2⁵²; no two numbers become the same one. */
export const hiddenId = ([first, second]: RowKey): SqlText => {
  const left = sql`((pf_id >> ${HALF}) # ${hashed(sql`pf_id & ${LOW_HALF}`, first)})`;
  const right = sql`((pf_id & ${LOW_HALF}) # ${hashed(left, second)})`;
  return sql`(${right} << ${HALF}) | ${left}`;
};

const hashed = (half: SqlText, seed: bigint): SqlText =>
  sql`(hashint8extended(${half}, ${literal(String(seed))}::bigint) & ${LOW_HALF})`;
