/** Queries of forecast tables: creation, changes of columns, and amounts that a change needs. */
import * as v from 'valibot';
import type { DateSpan } from '../../../contract/loads';
import type { ForecastColumn } from '../../sql/forecast-columns';
import { measureKind } from '../../sql/forecast-columns';
import {
  createEntryIndex,
  createForecastTable,
  createOutsideTrigger,
} from '../../sql/forecast-table';
import type { Identifier, ReadableRows, SqlText } from '../../sql/quote';
import { commas, ident, literal, sql, typedLiteral } from '../../sql/quote';
import { movedDay } from '../../sql/loaded-day';
import { NOISE, roundingScale } from '../../sql/templates/leaves';
import { LAST_YEAR } from '../../sql/values';
import { tableColumns, type TableColumn } from '../setup/catalog';
import type { Queryable } from '../connection/queryable';
import type { Transaction } from '../connection/transaction';
import { distribute, lockUntilCommitted } from './distributed';
import { changeTable } from './slice-indexes';

/** The system columns of a forecast table. */
const SYSTEM_COLUMNS = ['pf_id', 'pf_iter', 'pf_logid', 'pf_created_at'];

/** The types of a forecast table's data columns by name, as PostgreSQL prints them, in order. */
export const dataColumns = (columns: readonly TableColumn[]): Map<string, SqlText> =>
  new Map(
    columns.flatMap(({ cname, type }) =>
      SYSTEM_COLUMNS.includes(cname) ? [] : [[cname, type.declared]],
    ),
  );

/** {@link dataColumns} of the forecast table with this name; empty if there is no such table. */
export const existingColumns = async (
  db: Queryable,
  tableName: string,
): Promise<Map<string, SqlText>> => dataColumns(await tableColumns(db, 'pf', tableName));

/**
 * Creates the forecast table of a new version with its indexes (docs/contract/13-forecast-table.md).
 *
 * @param shards number of shards; null if the table is not distributed
 */
export async function createTable(
  transaction: Transaction,
  { id, table }: { id: number; table: Identifier },
  columns: readonly Pick<ForecastColumn, 'name' | 'type'>[],
  shards: number | null,
): Promise<void> {
  await transaction.run(createForecastTable(table, columns));
  await transaction.run(createEntryIndex(table));
  if (shards === null) {
    await transaction.run(createOutsideTrigger(table, id));
    return;
  }
  await distribute(transaction, id, shards);
  await lockUntilCommitted(transaction, id);
}

/** Drops a forecast table with its rows. Does nothing if it does not exist. */
export const dropTable = (tx: Transaction, tableName: string): Promise<number> =>
  changeTable(tx, tableName, (table) => sql`DROP TABLE IF EXISTS ${table}`);

/** Whether any row has a value in the column. */
export async function columnHasData(
  db: Queryable,
  table: Identifier,
  column: string,
): Promise<boolean> {
  const { some } = await db.one(
    v.object({ some: v.boolean() }),
    sql`SELECT EXISTS (SELECT 1 FROM ${table} WHERE ${ident(column)} IS NOT NULL) AS some`,
  );
  return some;
}

/** Drops a column with its data. Call {@link columnHasData} first. */
export const dropColumn = (tx: Transaction, tableName: string, column: string): Promise<number> =>
  changeTable(tx, tableName, (table) => sql`ALTER TABLE ${table} DROP COLUMN ${ident(column)}`);

/** Adds a column that is null in every row. */
export const addColumn = (
  db: Queryable,
  table: Identifier,
  column: ForecastColumn,
): Promise<number> =>
  db.run(sql`ALTER TABLE ${table} ADD COLUMN ${ident(column.name)} ${column.type}`);

/** Gives a column another type. @throws DatabaseError if a value does not fit */
export const changeType = (
  tx: Transaction,
  tableName: string,
  { name, type }: ForecastColumn,
): Promise<number> =>
  changeTable(
    tx,
    tableName,
    (table) => sql`ALTER TABLE ${table} ALTER COLUMN ${ident(name)} TYPE ${type}`,
  );

/** Days as text; null if there is none. */
export const days = v.array(v.nullable(v.string()));

/**
 * A percentage of a measure's total, as SQL over rows. For an exact type it is rounded to the decimals of the
 * measure.
 *
 * @param percent percentage of the total; 10 is a tenth of it
 */
export function partOfTotal(measure: ForecastColumn, percent: number): SqlText {
  const column = ident(measure.name);
  const share = typedLiteral(percent, sql`numeric`);
  return measureKind(measure).exact
    ? sql`ROUND(SUM(${column}) * ${share} * 0.01, ${roundingScale(measure, [], sql``)})`
    : sql`SUM(${column}) * ${share}::double precision / 100`;
}

/**
 * The amount that is missing for a measure's total to become another one, as SQL over rows; null without rows. For
 * an exact type that total is rounded to the decimals of the measure; for a floating-point type, noise counts as 0.
 */
export function gapToTotal(measure: ForecastColumn, wanted: number | string): SqlText {
  const kind = measureKind(measure);
  const column = ident(measure.name);
  const sum = sql`COALESCE(SUM(${column}), 0)`;
  const total = typedLiteral(wanted, sql`numeric`);
  const gap = kind.exact
    ? sql`${kind.scale === null ? total : sql`ROUND(${total}, ${kind.scale})`} - ${sum}`
    : sql`CASE WHEN ABS(${total}::double precision - ${sum}) > ${NOISE} * COALESCE(SUM(ABS(${column})), 0)
         THEN ${total}::double precision - ${sum} ELSE 0 END`;
  return sql`CASE WHEN COUNT(*) > 0 THEN ${gap} END`;
}

/** The total of a measure as SQL over rows; 0 without rows. */
export const exactTotal = ({ name }: ForecastColumn): SqlText =>
  sql`COALESCE(SUM(${ident(name)}), 0)`;

/**
 * Computes aggregates over the rows that match a condition.
 *
 * @returns decimal numbers as text with all digits; null for an aggregate that is null
 */
export async function amountsOver(
  db: Queryable,
  from: ReadableRows,
  where: SqlText,
  aggregates: readonly SqlText[],
): Promise<(string | null)[]> {
  if (aggregates.length === 0) return [];
  const texts = commas(aggregates.map((aggregate) => sql`(${aggregate})::text`));
  const { amounts } = await db.one(
    v.object({ amounts: v.array(v.nullable(v.string())) }),
    sql`SELECT ARRAY[${texts}] AS amounts FROM ${from} WHERE ${where}`,
  );
  return amounts;
}

/**
 * The months of the days that a date becomes if it is moved by an interval, over the rows that match a condition.
 *
 * @returns the first day of each month as text, and whether all of its days can be shown by a pivot
 */
export const shiftedMonths = (
  db: Queryable,
  from: ReadableRows,
  { name }: ForecastColumn,
  interval: string,
  where: SqlText,
): Promise<{ month: string; isShown: boolean }[]> => {
  const day = movedDay(ident(name), typedLiteral(interval, sql`interval`));
  return db.many(
    v.object({ month: v.string(), isShown: v.boolean() }),
    sql`SELECT date_trunc('month', ${day})::date::text AS month,
       bool_and(${day} BETWEEN '0001-01-01' AND ${literal(`${LAST_YEAR}-12-31`)}) AS "isShown"
     FROM ${from} WHERE (${where}) AND ${ident(name)} IS NOT NULL GROUP BY 1`,
  );
};

/** Whether some rows match a condition. */
export const hasRows = (db: Queryable, from: ReadableRows, where: SqlText): Promise<boolean> =>
  db.any(sql`SELECT 1 FROM ${from} WHERE ${where} LIMIT 1`);

/** The id of the newest entry that has some of the rows; 0 if there are none. */
export const newestWithRows = async (db: Queryable, from: ReadableRows): Promise<number> =>
  (
    await db.one(
      v.object({ id: v.number() }),
      sql`SELECT COALESCE(MAX(pf_logid), 0) AS id FROM ${from}`,
    )
  ).id;

/** First and last day of each date column for each entry. */
export async function entrySpans(
  db: Queryable,
  from: ReadableRows,
  columns: readonly ForecastColumn[],
): Promise<Map<number, Pick<DateSpan, 'cname' | 'min' | 'max'>[]>> {
  const dates = columns.filter((c) => c.role === 'date');
  const rows = await db.many(
    v.object({ logid: v.number(), spans: days }),
    sql`SELECT pf_logid AS logid, ARRAY[${commas(
      dates.map((d) => sql`min(${ident(d.name)})::text, max(${ident(d.name)})::text`),
    )}]::text[] AS spans
     FROM ${from} GROUP BY pf_logid`,
  );
  return new Map(
    rows.map((r) => [
      r.logid,
      dates.map((d, i) => ({
        cname: d.name,
        min: r.spans[2 * i] ?? null,
        max: r.spans[2 * i + 1] ?? null,
      })),
    ]),
  );
}
