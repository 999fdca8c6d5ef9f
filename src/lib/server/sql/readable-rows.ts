/** The rows of a forecast table that the sender of a request may read. */
import { createHash } from 'node:crypto';
import type { Identifier, ReadableRows, SqlText } from './quote';
import { commas, ident, sql } from './quote';
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

/** The key of the numbers that replace `pf_id`: two numbers below 2²⁶ for each round of a Feistel network. */
export type RowKey = readonly { mask: number; factor: number }[];

const HALF = 26;
const HALVES = 2 ** HALF;
const ROUNDS = 3;

/** @param secret a text that people do not know */
export function rowKey(secret: string): RowKey {
  const bytes = createHash('sha256').update(secret).digest();
  return Array.from({ length: ROUNDS }, (_, i) => ({
    mask: bytes.readUInt32LE(8 * i) % HALVES,
    // An odd factor loses no bit.
    factor: (bytes.readUInt32LE(8 * i + 4) % HALVES) | 1,
  }));
}

/** `pf_id` below 2⁵² as another number below 2⁵²; no two numbers become the same one. */
const hiddenId = (key: RowKey): SqlText => {
  let [left, right] = [sql`(pf_id >> ${HALF})`, sql`(pf_id & ${HALVES - 1})`];
  for (const { mask, factor } of key) {
    const mixed = sql`(((${right} # ${mask}::bigint) * ${factor} >> 13) & ${HALVES - 1})`;
    [left, right] = [right, sql`(${left} # ${mixed})`];
  }
  return sql`(${right} << ${HALF}) | ${left}`;
};

/** The number that replaces a `pf_id`, as {@link rowsInside} computes it. */
export function hiddenNumber(id: number, key: RowKey): number {
  let [left, right] = [Math.floor(id / HALVES), id % HALVES];
  for (const { mask, factor } of key) {
    const mixed = Math.floor(((right ^ mask) * factor) / 2 ** 13) % HALVES;
    [left, right] = [right, left ^ mixed];
  }
  return right * HALVES + left;
}
