/** Queries of forecast tables: creation, checks after a load, totals. */
import * as v from 'valibot';
import type { DateSpan } from '../../contract/loads';
import type { ForecastColumn } from '../sql/forecast-columns';
import { measureKind, measureOf } from '../sql/forecast-columns';
import { createEntryIndex, createForecastTable, createOutsideTrigger } from '../sql/forecast-table';
import type { Identifier, SqlText } from '../sql/quote';
import { commas, ident, literal, sql, typedLiteral } from '../sql/quote';
import { movedDay } from '../sql/loaded-day';
import { NOISE, roundingScale } from '../sql/templates/leaves';
import { LAST_YEAR } from '../sql/values';
import { tableColumns, type TableColumn } from './catalog';
import type { Queryable } from './queryable';
import type { Transaction } from './transaction';
import { distribute, lockUntilCommitted } from './distributed';
import { tableNumber } from './row-schemas';

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
export const dropTable = (db: Queryable, table: Identifier): Promise<number> =>
  db.run(sql`DROP TABLE IF EXISTS ${table}`);

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
export const dropColumn = (db: Queryable, table: Identifier, column: string): Promise<number> =>
  db.run(sql`ALTER TABLE ${table} DROP COLUMN ${ident(column)}`);

/** Adds a column that is null in every row. */
export const addColumn = (
  db: Queryable,
  table: Identifier,
  column: ForecastColumn,
): Promise<number> =>
  db.run(sql`ALTER TABLE ${table} ADD COLUMN ${ident(column.name)} ${column.type}`);

/** Gives a column another type. @throws DatabaseError if a value does not fit */
export const changeType = (
  db: Queryable,
  table: Identifier,
  { name, type }: ForecastColumn,
): Promise<number> => db.run(sql`ALTER TABLE ${table} ALTER COLUMN ${ident(name)} TYPE ${type}`);

/** Number of rows and their sums. A total is null if the source has no such measure. */
export const Totals = v.object({
  row_count: v.number(),
  value_total: v.nullable(tableNumber),
  units_total: v.nullable(tableNumber),
});
export type Totals = v.InferOutput<typeof Totals>;

/** Days as text; null if there is none. */
export const days = v.array(v.nullable(v.string()));

/** The totals of an empty set of rows. */
export const noTotals = (columns: readonly ForecastColumn[]): Totals => ({
  row_count: 0,
  value_total: columns.some((c) => c.role === 'value') ? 0 : null,
  units_total: columns.some((c) => c.role === 'units') ? 0 : null,
});

const total = (measure: ForecastColumn | undefined): SqlText =>
  measure ? sql`COALESCE(SUM(${ident(measure.name)}), 0)` : sql`NULL`;

/** Select list with `row_count`, `value_total` and `units_total` of rows of a forecast table. */
export const totals = (columns: readonly ForecastColumn[]): SqlText =>
  sql`count(*) AS row_count, ${total(measureOf('value', columns))} AS value_total,
    ${total(measureOf('units', columns))} AS units_total`;

/** Totals of an entry as PostgreSQL prints them, with all their digits. */
export const ExactTotals = v.object({
  logid: v.number(),
  row_count: v.number(),
  value_total: v.nullable(v.string()),
  units_total: v.nullable(v.string()),
});
export type ExactTotals = v.InferOutput<typeof ExactTotals>;

/** Number and totals of the rows of one entry. */
export async function exactTotals(
  db: Queryable,
  table: Identifier,
  columns: readonly ForecastColumn[],
  logid: number,
): Promise<ExactTotals> {
  return db.one(
    ExactTotals,
    sql`SELECT $1::bigint AS logid, row_count, value_total::text, units_total::text
     FROM (SELECT ${totals(columns)} FROM ${table} WHERE pf_logid = $1) AS own`,
    [logid],
  );
}

const EntryTotals = v.object({
  ...Totals.entries,
  logid: v.nullable(v.number()),
  value_text: ExactTotals.entries.value_total,
  units_text: ExactTotals.entries.units_total,
});

/**
 * Totals of a forecast table in one pass: of all its rows, and by log entry. An entry without rows is
 * not in the map.
 *
 * @param where which rows are read
 * @param known totals of entries whose rows are not read; the measures are added up exactly
 */
export async function entryTotals(
  db: Queryable,
  table: Identifier,
  columns: readonly ForecastColumn[],
  where: SqlText = sql`TRUE`,
  known: readonly ExactTotals[] = [],
): Promise<{ overall: Totals; byEntry: Map<number, Totals>; exact: ExactTotals[] }> {
  const has = (role: 'value' | 'units') => columns.some((c) => c.role === role);
  const allValues = has('value') ? sql`COALESCE(SUM(value_total), 0)` : sql`NULL`;
  const allUnits = has('units') ? sql`COALESCE(SUM(units_total), 0)` : sql`NULL`;
  const others = sql`UNION ALL
       SELECT logid, row_count, value_total, units_total FROM jsonb_to_recordset($1)
         AS known (logid bigint, row_count bigint, value_total numeric, units_total numeric)`;
  const rows = await db.many(
    EntryTotals,
    // PostgreSQL also adds up the overall sums: JavaScript would round them. GROUPING SETS would do, but
    // a distributed table cannot run them.
    sql`WITH entry AS (
       SELECT pf_logid AS logid, ${totals(columns)} FROM ${table} WHERE ${where} GROUP BY pf_logid
       ${known.length > 0 ? others : sql``}
     )
     SELECT *, value_total::text AS value_text, units_total::text AS units_text FROM entry
     UNION ALL
     SELECT NULL, COALESCE(SUM(row_count), 0), ${allValues}, ${allUnits}, NULL, NULL FROM entry`,
    known.length > 0 ? [JSON.stringify(known)] : [],
  );
  const byEntry = new Map<number, Totals>();
  const exact: ExactTotals[] = [];
  let overall = noTotals(columns);
  for (const { logid, value_text, units_text, ...entry } of rows) {
    if (logid === null) overall = entry;
    else {
      byEntry.set(logid, entry);
      const { row_count } = entry;
      exact.push({ logid, row_count, value_total: value_text, units_total: units_text });
    }
  }
  return { overall, byEntry, exact };
}

/**
 * Totals of the rows that match a condition: the rows that operations change, and the rows that they skip.
 */
export async function sliceTotals(
  db: Queryable,
  table: Identifier,
  columns: readonly ForecastColumn[],
  where: SqlText,
  exclude: SqlText,
): Promise<Record<'included' | 'excluded', Totals>> {
  const rows = await db.many(
    Side,
    sql`SELECT (${exclude}) AS included, ${totals(columns)} FROM ${table} WHERE ${where} GROUP BY 1`,
  );
  return sides(rows, columns);
}

/**
 * Computes a percentage of a measure's total over the rows that match a condition. For an exact type it is
 * rounded to the decimals of the measure.
 *
 * @param percent percentage of the total; 10 is a tenth of it
 * @returns a decimal number as text; null if there are no rows
 */
export async function partOfTotal(
  db: Queryable,
  table: Identifier,
  measure: ForecastColumn,
  where: SqlText,
  percent: number,
): Promise<string | null> {
  const kind = measureKind(measure);
  const column = ident(measure.name);
  const share = typedLiteral(percent, sql`numeric`);
  const part = kind.exact
    ? sql`ROUND(SUM(${column}) * ${share} * 0.01, ${roundingScale(measure, [], sql``)})`
    : sql`SUM(${column}) * ${share}::double precision / 100`;
  return amountOver(db, table, where, part);
}

/**
 * Computes the amount that is missing for a measure's total over the rows that match a condition to become
 * another one. For an exact type that total is rounded to the decimals of the measure; for a floating-point
 * type, noise counts as 0.
 *
 * @returns a decimal number as text; null if there are no rows
 */
export async function gapToTotal(
  db: Queryable,
  table: Identifier,
  measure: ForecastColumn,
  where: SqlText,
  wanted: number | string,
): Promise<string | null> {
  const kind = measureKind(measure);
  const column = ident(measure.name);
  const sum = sql`COALESCE(SUM(${column}), 0)`;
  const total = typedLiteral(wanted, sql`numeric`);
  const gap = kind.exact
    ? sql`${kind.scale === null ? total : sql`ROUND(${total}, ${kind.scale})`} - ${sum}`
    : sql`CASE WHEN ABS(${total}::double precision - ${sum}) > ${NOISE} * COALESCE(SUM(ABS(${column})), 0)
         THEN ${total}::double precision - ${sum} ELSE 0 END`;
  return amountOver(db, table, where, sql`CASE WHEN COUNT(*) > 0 THEN ${gap} END`);
}

/** The total of a measure over the rows that match a condition, as text with all its digits; 0 without rows. */
export const exactTotal = async (
  db: Queryable,
  table: Identifier,
  measure: ForecastColumn,
  where: SqlText,
): Promise<string> =>
  (await amountOver(db, table, where, sql`COALESCE(SUM(${ident(measure.name)}), 0)`)) ?? '0';

/**
 * The months of the days that a date becomes if it is moved by an interval, over the rows that match a condition.
 *
 * @returns the first day of each month as text, and whether all of its days can be shown by a pivot
 */
export const shiftedMonths = (
  db: Queryable,
  table: Identifier,
  { name }: ForecastColumn,
  interval: string,
  where: SqlText,
): Promise<{ month: string; isShown: boolean }[]> => {
  const day = movedDay(ident(name), typedLiteral(interval, sql`interval`));
  return db.many(
    v.object({ month: v.string(), isShown: v.boolean() }),
    sql`SELECT date_trunc('month', ${day})::date::text AS month,
       bool_and(${day} BETWEEN '0001-01-01' AND ${literal(`${LAST_YEAR}-12-31`)}) AS "isShown"
     FROM ${table} WHERE (${where}) AND ${ident(name)} IS NOT NULL GROUP BY 1`,
  );
};

/** Whether some rows match a condition. */
export const hasRows = (db: Queryable, table: Identifier, where: SqlText): Promise<boolean> =>
  db.any(sql`SELECT 1 FROM ${table} WHERE ${where} LIMIT 1`);

/** An aggregate over the rows that match a condition, as text. */
async function amountOver(
  db: Queryable,
  table: Identifier,
  where: SqlText,
  amount: SqlText,
): Promise<string | null> {
  const { amount: text } = await db.one(
    v.object({ amount: v.nullable(v.string()) }),
    sql`SELECT (${amount})::text AS amount FROM ${table} WHERE ${where}`,
  );
  return text;
}

/** Totals of the rows that operations change, or of the rows that they skip. */
const Side = v.object({ ...Totals.entries, included: v.boolean() });

function sides(
  rows: readonly v.InferOutput<typeof Side>[],
  columns: readonly ForecastColumn[],
): Record<'included' | 'excluded', Totals> {
  const side = (wanted: boolean): Totals => {
    const row = rows.find(({ included }) => included === wanted) ?? noTotals(columns);
    const { row_count, value_total, units_total } = row;
    return { row_count, value_total, units_total };
  };
  return { included: side(true), excluded: side(false) };
}

const Part = v.object({ ...Side.entries, logid: v.number() });

/**
 * Totals by entry of the rows that match a condition, oldest entry first, and the totals of the rows that
 * operations change and of those that they skip. Entries without such a row are left out.
 */
export async function entryParts(
  db: Queryable,
  table: Identifier,
  columns: readonly ForecastColumn[],
  where: SqlText,
  exclude: SqlText,
): Promise<Record<'included' | 'excluded', Totals> & { parts: v.InferOutput<typeof Part>[] }> {
  const has = (role: 'value' | 'units') => columns.some((c) => c.role === role);
  const rows = await db.many(
    v.object({ ...Part.entries, logid: v.nullable(v.number()) }),
    // As in entryTotals, PostgreSQL computes the overall sums too.
    sql`WITH part AS (
       SELECT pf_logid AS logid, (${exclude}) AS included, ${totals(columns)}
       FROM ${table} WHERE ${where} GROUP BY 1, 2
     )
     SELECT * FROM part
     UNION ALL
     SELECT NULL, included, SUM(row_count), ${has('value') ? sql`SUM(value_total)` : sql`NULL`},
       ${has('units') ? sql`SUM(units_total)` : sql`NULL`} FROM part GROUP BY included
     ORDER BY logid`,
  );
  const sums = rows.filter(({ logid }) => logid === null);
  return { ...sides(sums, columns), parts: rows.filter((row) => v.is(Part, row)) };
}

/** First and last day of each date column for each entry. */
export async function entrySpans(
  db: Queryable,
  table: Identifier,
  columns: readonly ForecastColumn[],
): Promise<Map<number, Pick<DateSpan, 'cname' | 'min' | 'max'>[]>> {
  const dates = columns.filter((c) => c.role === 'date');
  const rows = await db.many(
    v.object({ logid: v.number(), spans: days }),
    sql`SELECT pf_logid AS logid, ARRAY[${commas(
      dates.map((d) => sql`min(${ident(d.name)})::text, max(${ident(d.name)})::text`),
    )}]::text[] AS spans
     FROM ${table} GROUP BY pf_logid`,
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
