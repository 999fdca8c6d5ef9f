/** Totals of the rows of slices, grouped by the effect of a scale on them. */
import * as v from 'valibot';
import { measureKey } from '../../../contract/columns';
import { withoutNoise } from '../../../contract/decimals';
import { figuresBy, grossIn, totalOf, totalsBy } from '../../../contract/measures';
import { CANCELS_FROM } from '../../../contract/previews';
import { byColumn } from '../../../contract/primitives';
import type { EditedSlice } from '../../sql/edited-leaves';
import { editedLeaves } from '../../sql/edited-leaves';
import type { ForecastColumn } from '../../sql/forecast-columns';
import { measureColumns, measureKeys, measureKind, measureOf } from '../../sql/forecast-columns';
import type { Identifier, ReadableRows, SqlText } from '../../sql/quote';
import { commas, ident, literal, sql } from '../../sql/quote';
import { leavesCte, roundingScale } from '../../sql/templates/leaves';
import { freeName } from '../../sql/templates/lists';
import { substitute } from '../../sql/tokens';
import type { SliceFields } from '../../sql/slice';
import type { Queryable } from '../connection/queryable';
import { tableNumber } from '../connection/row-schemas';
import { furtherList, noTotals, Totals, totals, totalsIn, totalsOfTotals } from './totals';

/** Number of decimals to which the amounts of some rows are rounded, as SQL; NULL for a floating-point measure. */
const decimals = (measure: ForecastColumn | undefined): SqlText =>
  measure && measureKind(measure).exact ? roundingScale(measure, [], sql``) : sql`NULL::integer`;

/** The sum of the absolute amounts of some rows, as SQL; NULL without the measure. */
const absolute = (measure: ForecastColumn | undefined): SqlText =>
  measure ? sql`COALESCE(SUM(ABS(${ident(measure.name)})), 0)` : sql`NULL::numeric`;

const SIDES = ['excluded', 'held', 'free', 'included'] as const;

/** Something of each further measure, which may be missing; PostgreSQL answers it as text. */
const byMeasure = v.optional(
  byColumn(
    v.pipe(
      v.nullable(v.string()),
      v.transform((text) => (text === null ? null : Number(text))),
    ),
  ),
);

const RoundedTotals = v.object({
  ...Totals.entries,
  value_decimals: v.nullable(v.number()),
  units_decimals: v.nullable(v.number()),
  measure_decimals: byMeasure,
});
type RoundedTotals = v.InferOutput<typeof RoundedTotals>;

const gross = {
  value_gross: v.nullable(tableNumber),
  units_gross: v.nullable(tableNumber),
  measure_gross: byMeasure,
};
const Gross = v.object(gross);
type Gross = v.InferOutput<typeof Gross>;

const ReachedSide = v.object({
  ...{ ...RoundedTotals.entries, ...gross },
  ...{ number: v.number(), side: v.picklist(SIDES) },
});

/** Rows that a scale would change, with what their leaves add up to if their signs do not count. */
type FreeRows = RoundedTotals & Gross;

/** The rows of a slice, grouped by the effect of a scale on them. */
export interface ReachedRows {
  /** Rows that operations see: those that are held, and those that are free. */
  included: RoundedTotals;
  /** Rows that operations skip because of their origin. */
  excluded: Totals;
  held: Totals;
  free: FreeRows;
}

/** Select list of the absolute amounts of rows or leaves: `value_gross`, `units_gross` and `measure_gross`. */
const grossList = (columns: readonly ForecastColumn[]): SqlText =>
  sql`${absolute(measureOf('value', columns))} AS value_gross,
       ${absolute(measureOf('units', columns))} AS units_gross${furtherList(columns, absolute, sql`measure_gross`)}`;

/** Which rows operations see, and which of them keep their amounts; `held` may be null for rows that do not. */
export type Effects = Record<'exclude' | 'held', SqlText>;

/**
 * Adds up the rows behind a condition grouped by the effect of a scale on them, in one pass over the rows, and in
 * a second one over the leaves if much of them cancels out.
 *
 * @param where which rows there are
 */
export async function reachedRows(
  db: Queryable,
  from: ReadableRows,
  columns: readonly ForecastColumn[],
  { where, ...effects }: Effects & { where: SqlText },
): Promise<ReachedRows> {
  const sides = await db.many(
    ReachedSide,
    sql`WITH ${sidesOf(columns, effects, sql`0`, sql`${from} WHERE ${where}`)}`,
  );
  return reached(db, from, columns, sides, { where, ...effects });
}

const ReadOnlyRows = v.object({ number: v.number(), row_count: v.number(), ...gross });

/** Rows that a scale would change and the sender may not: their number, and their absolute amounts added up. */
export type ReadOnlyRows = Omit<v.InferOutput<typeof ReadOnlyRows>, 'number'>;

/**
 * Counts those of the rows of some slices that a scale would change and the sender may not.
 *
 * @param changeable the rows that the sender may change
 * @returns the rows by the number of their slice; slices without such rows are missing
 */
export async function readOnlyRows(
  db: Queryable,
  from: ReadableRows,
  fields: SliceFields,
  slices: readonly Omit<EditedSlice, 'values'>[],
  { among, exclude, held, changeable }: Effects & Record<'among' | 'changeable', SqlText>,
): Promise<Map<number, ReadOnlyRows>> {
  const rows = sql`${from} WHERE (${among}) AND (${exclude})
       AND (${held}) IS NOT TRUE AND (${changeable}) IS NOT TRUE`;
  const { numbered, number } = numberedRows(rows, fields, slices);
  const found = await db.many(
    ReadOnlyRows,
    sql`WITH ${numbered}
     SELECT ${number} AS number, COUNT(*) AS row_count, ${grossList(fields.columns)} FROM numbered GROUP BY 1`,
  );
  return new Map(found.map(({ number: own, ...rows }) => [own, rows]));
}

/**
 * The CTE `numbered` of the rows of some slices: their columns, and the number of the slice. A row in several slices is
 * there for each of them.
 *
 * @param rows the rows of all slices, after FROM
 */
export function numberedRows(
  rows: SqlText,
  fields: SliceFields,
  slices: readonly Omit<EditedSlice, 'values'>[],
): { numbered: SqlText; number: Identifier } {
  const taken = fields.columns.map((c) => c.name);
  const number = ident(freeName('slice_number', taken));
  const edits = slices.map((slice) => ({ ...slice, values: [] }));
  const numbered = sql`leaves AS (SELECT * FROM ${rows}),
     numbered AS (${editedLeaves(edits, fields, [number])})`;
  return { numbered, number };
}

/** A slice, with its condition on the forecast table. */
interface NumberedSlice extends Omit<EditedSlice, 'values'> {
  where: SqlText;
}

/**
 * Adds up the rows of each of some slices like {@link reachedRows}, in one pass over all of them.
 *
 * @param among the rows to read: those of every slice are among them
 * @returns the rows of each slice in their order
 */
export async function reachedBySlice(
  db: Queryable,
  from: ReadableRows,
  fields: SliceFields,
  slices: readonly NumberedSlice[],
  { among, ...effects }: Effects & { among: SqlText },
): Promise<ReachedRows[]> {
  const { columns } = fields;
  const { numbered, number } = numberedRows(sql`${from} WHERE ${among}`, fields, slices);
  const sides = await db.many(
    ReachedSide,
    sql`WITH ${numbered},
     ${sidesOf(columns, effects, number, sql`numbered`)}`,
  );
  const answers: ReachedRows[] = [];
  for (const { number: own, where } of slices) {
    const ofSlice = sides.filter((side) => side.number === own);
    answers.push(await reached(db, from, columns, ofSlice, { where, ...effects }));
  }
  return answers;
}

/**
 * The end of a query that adds up rows by the number of their slice and by the effect of a scale on them.
 *
 * @param rows the rows, after FROM
 */
function sidesOf(
  columns: readonly ForecastColumn[],
  { exclude, held }: Effects,
  number: SqlText,
  rows: SqlText,
): SqlText {
  const summedGross = (role: 'value' | 'units') =>
    measureOf(role, columns) ? sql`SUM(${ident(`${role}_gross`)})` : sql`NULL::numeric`;
  const of = (object: SqlText, { name }: ForecastColumn) => sql`${object}->>${literal(name)}`;
  const measureDecimals = sql`measure_decimals`;
  const measureGross = sql`measure_gross`;
  // As in entryTotals, PostgreSQL also sums the groups.
  return sql`part AS (
       SELECT ${number} AS number,
         CASE WHEN NOT (${exclude}) THEN 'excluded' WHEN (${held}) IS TRUE THEN 'held' ELSE 'free' END AS side,
         ${totals(columns)}, ${grossList(columns)},
         ${decimals(measureOf('value', columns))} AS value_decimals,
         ${decimals(measureOf('units', columns))} AS units_decimals${furtherList(columns, decimals, measureDecimals)}
       FROM ${rows} GROUP BY 1, 2
     )
     SELECT * FROM part
     UNION ALL
     SELECT number, 'included', ${totalsOfTotals(columns)}, ${commas([
       summedGross('value'),
       summedGross('units'),
     ])}${furtherList(columns, (m) => sql`SUM((${of(measureGross, m)})::numeric)`, measureGross)},
       MAX(value_decimals), MAX(units_decimals)${furtherList(
         columns,
         (m) => sql`MAX((${of(measureDecimals, m)})::integer)`,
         measureDecimals,
       )}
     FROM part WHERE side <> 'excluded' GROUP BY number`;
}

/** Returns the sides of a slice, with what its leaves add up to if much of them cancels out. */
async function reached(
  db: Queryable,
  from: ReadableRows,
  columns: readonly ForecastColumn[],
  sides: readonly v.InferOutput<typeof ReachedSide>[],
  { where, exclude, held }: Effects & { where: SqlText },
): Promise<ReachedRows> {
  const side = (name: (typeof SIDES)[number]): FreeRows => {
    const row = sides.find((each) => each.side === name);
    return row ? settled(row, columns) : nothing(columns);
  };
  const free = side('free');
  const leaves = cancellations(free, free, columns).isAny
    ? await leavesGross(db, columns, {
        fc_table: from,
        where_clause: sql`(${where})
        AND (${held}) IS NOT TRUE`,
        exclude_clause: exclude,
      })
    : null;
  return {
    included: rounded(side('included')),
    excluded: totalsIn(side('excluded')),
    held: totalsIn(side('held')),
    free: { ...rounded(free), ...cancellations(leaves, free, columns).gross },
  };
}

/** Returns totals with 0 for those of floating-point measures that are only rounding errors. */
function settled(row: FreeRows, columns: readonly ForecastColumn[]): FreeRows {
  const measures = measureColumns(columns);
  const exact = new Set(measures.filter((m) => measureKind(m).exact).map(measureKey));
  const settledTotal = (key: string) => {
    const total = totalOf(row, key) ?? 0;
    return exact.has(key) ? total : withoutNoise(total, grossIn(row, key) ?? 0);
  };
  return { ...row, ...totalsBy(measureKeys(columns), settledTotal) };
}

const nothing = (columns: readonly ForecastColumn[]): Omit<FreeRows, 'side'> => {
  const { measures: none } = figuresBy(measureKeys(columns), () => null);
  return {
    ...noTotals(columns),
    ...{ value_gross: null, units_gross: null, value_decimals: null, units_decimals: null },
    ...(none && { measure_gross: none, measure_decimals: none }),
  };
};

/**
 * Returns the absolute amounts of measures that cancel out, null for all others.
 *
 * @param found absolute amounts; null if nothing cancels out
 * @param free the totals
 */
function cancellations(
  found: Gross | null,
  free: Totals,
  columns: readonly ForecastColumn[],
): { gross: Gross; isAny: boolean } {
  const cancelled = (key: string) => {
    const amount = found && grossIn(found, key);
    const isLarge = amount !== null && amount > CANCELS_FROM * Math.abs(totalOf(free, key) ?? 0);
    return isLarge ? amount : null;
  };
  const keys = measureKeys(columns);
  const { value: value_gross, units: units_gross, measures } = figuresBy(keys, cancelled);
  return {
    gross: { value_gross, units_gross, ...(measures && { measure_gross: measures }) },
    isAny: keys.some((key) => cancelled(key) !== null),
  };
}

/** What the absolute amounts of the leaves of a slice add up to. */
async function leavesGross(
  db: Queryable,
  columns: readonly ForecastColumn[],
  tokens: Record<'fc_table' | 'where_clause' | 'exclude_clause', SqlText>,
): Promise<Gross> {
  return db.one(
    Gross,
    sql`WITH ${substitute(leavesCte(columns), tokens)}
     SELECT ${grossList(columns)} FROM leaves`,
  );
}

const rounded = (row: RoundedTotals): RoundedTotals => ({
  ...totalsIn(row),
  ...{ value_decimals: row.value_decimals, units_decimals: row.units_decimals },
  ...(row.measure_decimals && { measure_decimals: row.measure_decimals }),
});
