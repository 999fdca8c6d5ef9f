/** Totals of forecast rows: of all, by entry, and of those that operations see. */
import * as v from 'valibot';
import { totalsBy } from '../../../contract/measures';
import { byColumn } from '../../../contract/primitives';
import type { ForecastColumn } from '../../sql/forecast-columns';
import {
  furtherMeasures,
  measureColumns,
  measureKeys,
  measureKind,
  measureOf,
} from '../../sql/forecast-columns';
import type { ReadableRows, SqlText } from '../../sql/quote';
import { commas, ident, literal, sql } from '../../sql/quote';
import { exactSum, NOISE } from '../../sql/templates/leaves';
import { idList } from '../../sql/templates/read';
import type { Queryable } from '../connection/queryable';
import { tableNumber } from '../connection/row-schemas';

/** Numbers by column; PostgreSQL answers them as texts with all their digits. */
export const numbersByColumn = byColumn(v.pipe(v.string(), v.transform(Number)));

/**
 * Number of rows and their sums. A total is null if the source has no such measure; `measures` is absent without
 * further measures.
 */
export const Totals = v.object({
  row_count: v.number(),
  value_total: v.nullable(tableNumber),
  units_total: v.nullable(tableNumber),
  measures: v.optional(numbersByColumn),
});
export type Totals = v.InferOutput<typeof Totals>;

/** The totals of an empty set of rows. */
export const noTotals = (columns: readonly ForecastColumn[]): Totals => ({
  row_count: 0,
  ...totalsBy(measureKeys(columns), () => 0),
});

/** Returns the totals of a row that has other fields too. */
export const totalsIn = ({ row_count, value_total, units_total, measures }: Totals): Totals => ({
  ...{ row_count, value_total, units_total },
  ...(measures && { measures }),
});

/** The exact total of rows. Doubles that cancel out add up to 0, without rounding noise. */
function total(measure: ForecastColumn | undefined): SqlText {
  if (!measure) return sql`NULL`;
  const name = ident(measure.name);
  const sum = sql`COALESCE(${exactSum(measure, name)}, 0)`;
  return measureKind(measure).exact ? sum : settled(sum, sql`SUM(ABS(${name}))`);
}

const settled = (sum: SqlText, gross: SqlText): SqlText =>
  sql`CASE WHEN ABS(${sum}) > ${NOISE} * (${gross})::numeric THEN ${sum} ELSE 0 END`;

const doubles = (columns: readonly ForecastColumn[]): ForecastColumn[] =>
  measureColumns(columns).filter((measure) => !measureKind(measure).exact);

/** The end of a select list: the absolute amounts of floating-point measures by column; empty without any. */
function grossList(
  columns: readonly ForecastColumn[],
  amount: (measure: ForecastColumn) => SqlText,
): SqlText {
  const inexact = doubles(columns);
  if (inexact.length === 0) return sql``;
  const names = commas(inexact.map(({ name }) => literal(name)));
  const amounts = commas(inexact.map((m) => sql`COALESCE(${amount(m)}, 0)::text`));
  return sql`, jsonb_object(ARRAY[${names}]::text[], ARRAY[${amounts}]) AS gross`;
}

/**
 * The end of a select list: a comma and an object with an amount of each further measure by column, as text with all
 * digits. Empty without further measures.
 *
 * @param as the column of the result
 */
export function furtherList(
  columns: readonly ForecastColumn[],
  amount: (measure: ForecastColumn) => SqlText,
  as: SqlText = sql`measures`,
): SqlText {
  const further = furtherMeasures(columns);
  if (further.length === 0) return sql``;
  const names = commas(further.map(({ name }) => literal(name)));
  const amounts = commas(further.map((m) => sql`(${amount(m)})::text`));
  return sql`, jsonb_object(ARRAY[${names}]::text[], ARRAY[${amounts}]) AS ${as}`;
}

/**
 * The end of a list of columns: `measures` if there are further measures, and `gross` if there are floating-point ones.
 *
 * @param type follows each name, for a list of definitions
 */
export const withMeasures = (columns: readonly ForecastColumn[], type = sql``): SqlText =>
  sql`${furtherMeasures(columns).length > 0 ? sql`, measures${type}` : sql``}${
    doubles(columns).length > 0 ? sql`, gross${type}` : sql``
  }`;

/**
 * Select list with `row_count`, `value_total`, `units_total`, `measures` and `gross` of rows of a forecast table. The
 * last are the absolute amounts of floating-point measures, which decide what is noise once totals are added up.
 */
export const totals = (columns: readonly ForecastColumn[]): SqlText =>
  sql`count(*) AS row_count, ${total(measureOf('value', columns))} AS value_total,
    ${total(measureOf('units', columns))} AS units_total${furtherList(columns, total)}${grossList(
      columns,
      ({ name }) => sql`SUM(ABS(${ident(name)}))`,
    )}`;

/** Select list that adds up the columns of {@link totals}, in their order. */
export function totalsOfTotals(columns: readonly ForecastColumn[]): SqlText {
  const own = (measure: ForecastColumn) =>
    measure.role === 'measure'
      ? sql`(measures->>${literal(measure.name)})::numeric`
      : ident(`${measure.role}_total`);
  // A total that was stored without its absolute amounts counts as one amount.
  const gross = (measure: ForecastColumn) =>
    sql`SUM(COALESCE((gross->>${literal(measure.name)})::numeric, ABS(${own(measure)})))`;
  const sum = (measure: ForecastColumn) => {
    const all = sql`COALESCE(SUM(${own(measure)}), 0)`;
    return measureKind(measure).exact ? all : settled(all, gross(measure));
  };
  const single = (role: 'value' | 'units') => {
    const measure = measureOf(role, columns);
    return measure ? sum(measure) : sql`NULL`;
  };
  const further = furtherList(columns, sum);
  return sql`COALESCE(SUM(row_count), 0), ${single('value')}, ${single('units')}${further}${grossList(columns, gross)}`;
}

/** Totals of rows as PostgreSQL prints them, with all their digits. */
export const SumTotals = v.object({
  row_count: v.number(),
  value_total: v.nullable(v.string()),
  units_total: v.nullable(v.string()),
  measures: v.optional(byColumn(v.string())),
  /** The absolute amounts of floating-point measures. */
  gross: v.optional(byColumn(v.string())),
});
export type SumTotals = v.InferOutput<typeof SumTotals>;

/** Totals of the rows of one origin. */
const OriginTotals = v.object({ iter: v.string(), ...Totals.entries });
export type OriginTotals = v.InferOutput<typeof OriginTotals>;

/** {@link SumTotals} of an entry. */
export const ExactTotals = v.object({ logid: v.number(), ...SumTotals.entries });
export interface ExactTotals extends v.InferOutput<typeof ExactTotals> {
  /** Its totals by origin, if the cache has them. */
  origins?: readonly OriginTotals[] | undefined;
}

/** Exact totals of the rows that match a condition. */
export const sumTotals = (
  db: Queryable,
  from: ReadableRows,
  columns: readonly ForecastColumn[],
  where: SqlText,
): Promise<SumTotals> =>
  db.one(
    SumTotals,
    sql`SELECT row_count, value_total::text, units_total::text${withMeasures(columns)}
     FROM (SELECT ${totals(columns)} FROM ${from} WHERE ${where}) AS own`,
  );

/** Number and totals of the rows of one entry. */
export const exactTotals = async (
  db: Queryable,
  from: ReadableRows,
  columns: readonly ForecastColumn[],
  logid: number,
): Promise<ExactTotals> => ({
  logid,
  ...(await sumTotals(db, from, columns, sql`pf_logid = ${logid}`)),
});

/** Converts totals with all their digits to numbers. */
export const numbersOf = ({ row_count, value_total, units_total, measures }: SumTotals): Totals =>
  totalsIn({
    row_count,
    value_total: value_total === null ? null : Number(value_total),
    units_total: units_total === null ? null : Number(units_total),
    measures: measures && v.parse(numbersByColumn, measures),
  });

/** Returns exact totals with the opposite signs. */
export function negated(totals: SumTotals): SumTotals {
  const { row_count, value_total, units_total, measures, gross } = totals;
  const opposite = (text: string) => (text.startsWith('-') ? text.slice(1) : `-${text}`);
  const orNull = (text: string | null) => (text === null ? null : opposite(text));
  return {
    row_count: -row_count,
    value_total: orNull(value_total),
    units_total: orNull(units_total),
    ...(gross && { gross }),
    ...(measures && {
      measures: Object.fromEntries(
        Object.entries(measures).map(([name, text]) => [name, opposite(text)]),
      ),
    }),
  };
}

/** Totals as numbers, and with all their digits. */
export const BothTotals = v.object({
  ...Totals.entries,
  value_text: ExactTotals.entries.value_total,
  units_text: ExactTotals.entries.units_total,
  measures: ExactTotals.entries.measures,
  gross: ExactTotals.entries.gross,
});

/** Splits a row of {@link BothTotals} into both forms; other fields of the row are left out. */
export function bothTotals({
  value_text,
  units_text,
  measures,
  gross,
  ...row
}: v.InferOutput<typeof BothTotals>): { totals: Totals; exact: Omit<ExactTotals, 'logid'> } {
  const { row_count } = row;
  const numbers = measures && v.parse(numbersByColumn, measures);
  return {
    totals: totalsIn({ ...row, measures: numbers }),
    exact: {
      ...{ row_count, value_total: value_text, units_total: units_text },
      ...(measures && { measures }),
      ...(gross && { gross }),
    },
  };
}

const EntryTotals = v.object({ ...BothTotals.entries, logid: v.nullable(v.number()) });

/**
 * Totals of a forecast table in one pass: of all its rows, and by log entry. An entry without rows is
 * not in the map.
 *
 * @param where which rows are read
 * @param known totals of entries whose rows are not read; the measures are added up exactly
 */
export async function entryTotals(
  db: Queryable,
  from: ReadableRows,
  columns: readonly ForecastColumn[],
  where: SqlText = sql`TRUE`,
  known: readonly ExactTotals[] = [],
): Promise<{ overall: Totals; byEntry: Map<number, Totals>; exact: ExactTotals[] }> {
  const measures = withMeasures(columns);
  const others = sql`UNION ALL
       SELECT logid, row_count, value_total, units_total${measures} FROM jsonb_to_recordset($1)
         AS known (logid bigint, row_count bigint, value_total numeric, units_total numeric${withMeasures(columns, sql` jsonb`)})`;
  const rows = await db.many(
    EntryTotals,
    // PostgreSQL also adds up the overall sums: JavaScript would round them. GROUPING SETS would do, but
    // a distributed table cannot run them.
    sql`WITH entry AS (
       SELECT pf_logid AS logid, ${totals(columns)} FROM ${from} WHERE ${where} GROUP BY pf_logid
       ${known.length > 0 ? others : sql``}
     )
     SELECT *, value_total::text AS value_text, units_total::text AS units_text FROM entry
     UNION ALL
     SELECT NULL, ${totalsOfTotals(columns)}, NULL, NULL FROM entry`,
    known.length > 0 ? [JSON.stringify(known)] : [],
  );
  const byEntry = new Map<number, Totals>();
  const exact: ExactTotals[] = [];
  let overall = noTotals(columns);
  for (const { logid, ...row } of rows) {
    const both = bothTotals(row);
    if (logid === null) overall = both.totals;
    else {
      byEntry.set(logid, both.totals);
      exact.push({ logid, ...both.exact });
    }
  }
  return { overall, byEntry, exact };
}

const OriginRow = v.object({ logid: v.number(), ...OriginTotals.entries });

/** Totals of the rows of some entries by entry and origin. @param entries at least one */
export const totalsByOrigin = (
  db: Queryable,
  from: ReadableRows,
  columns: readonly ForecastColumn[],
  entries: readonly number[],
): Promise<v.InferOutput<typeof OriginRow>[]> =>
  db.many(
    OriginRow,
    sql`SELECT pf_logid AS logid, pf_iter AS iter, ${totals(columns)} FROM ${from}
     WHERE pf_logid IN (${idList(entries)}) GROUP BY 1, 2 ORDER BY 1, 2`,
  );

/**
 * Totals of the rows that match a condition: the rows that operations change, and the rows that they skip.
 */
export async function sliceTotals(
  db: Queryable,
  from: ReadableRows,
  columns: readonly ForecastColumn[],
  where: SqlText,
  exclude: SqlText,
): Promise<Record<'included' | 'excluded', Totals>> {
  const rows = await db.many(
    Side,
    sql`SELECT (${exclude}) AS included, ${totals(columns)} FROM ${from} WHERE ${where} GROUP BY 1`,
  );
  return sides(rows, columns);
}

/** Totals of the rows that operations change, or of the rows that they skip. */
const Side = v.object({ ...Totals.entries, included: v.boolean() });

function sides(
  rows: readonly v.InferOutput<typeof Side>[],
  columns: readonly ForecastColumn[],
): Record<'included' | 'excluded', Totals> {
  const side = (wanted: boolean): Totals =>
    totalsIn(rows.find(({ included }) => included === wanted) ?? noTotals(columns));
  return { included: side(true), excluded: side(false) };
}

/** The totals of one entry, of its rows of one origin. */
type Part = v.InferOutput<typeof Side> & { logid: number; iter: string };

/**
 * Totals by entry and origin of the rows that match a condition, oldest entry first, and the totals of the rows that
 * operations change and of those that they skip. Entries without such a row are left out.
 */
export async function entryParts(
  db: Queryable,
  from: ReadableRows,
  columns: readonly ForecastColumn[],
  where: SqlText,
  exclude: SqlText,
): Promise<Record<'included' | 'excluded', Totals> & { parts: Part[] }> {
  const rows = await db.many(
    v.object({ ...Side.entries, logid: v.nullable(v.number()), iter: v.nullable(v.string()) }),
    // As in entryTotals, PostgreSQL computes the overall sums too.
    sql`WITH part AS (
       SELECT pf_logid AS logid, pf_iter AS iter, (${exclude}) AS included, ${totals(columns)}
       FROM ${from} WHERE ${where} GROUP BY 1, 2, 3
     )
     SELECT * FROM part
     UNION ALL
     SELECT NULL, NULL, included, ${totalsOfTotals(columns)} FROM part GROUP BY included
     ORDER BY logid, iter`,
  );
  const sums = rows.filter(({ logid }) => logid === null);
  const parts = rows.flatMap(({ logid, iter, ...row }) =>
    logid === null || iter === null ? [] : { ...row, logid, iter },
  );
  return { ...sides(sums, columns), parts };
}
