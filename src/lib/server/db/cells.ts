/** Queries of the cells of an import. */
import * as v from 'valibot';
import type { EditedSlice } from '../sql/edited-leaves';
import { editedLeaves } from '../sql/edited-leaves';
import type { ForecastColumn } from '../sql/forecast-columns';
import { leafColumns, measureKind, measureOf } from '../sql/forecast-columns';
import { groupedBy } from '../sql/grain';
import type { Identifier, SqlText } from '../sql/quote';
import { commas, ident, sql } from '../sql/quote';
import { NOISE } from '../sql/templates/leaves';
import { freeName } from '../sql/templates/lists';
import type { Queryable } from './queryable';

const exactAmount = v.nullable(v.string());

const Cell = v.object({
  number: v.number(),
  /** Number of rows that operations see, and of the others. */
  rows: v.number(),
  skipped: v.number(),
  isFree: v.boolean(),
  /** Totals of the rows that operations see, as text with all their digits; null without such a measure. */
  value: exactAmount,
  units: exactAmount,
  /** Absolute amounts below these are noise of a floating-point measure; 0 for an exact one. */
  valueNoise: v.number(),
  unitsNoise: v.number(),
  /** The most decimals that an amount has. */
  valueDecimals: v.number(),
  unitsDecimals: v.number(),
  /**
   * The highest number of an edit that changes a measure of a leaf that this one changes too; its own if there is no
   * other. Leaves that no edit can change do not count.
   */
  shared: v.number(),
});
/** A cell that has rows. */
export type Cell = v.InferOutput<typeof Cell>;

/** The rows of a version. */
interface Rows {
  table: Identifier;
  columns: readonly ForecastColumn[];
  /** The rows that operations see. */
  seen: SqlText;
  /** The rows that can change. */
  free: SqlText;
}

const ROLES = ['value', 'units'] as const;

/** Names of intermediate values that no column has. */
function namesFor(columns: readonly ForecastColumn[]) {
  const own = (name: string) =>
    ident(
      freeName(
        name,
        columns.map((c) => c.name),
      ),
    );
  return {
    edit: own('edit_number'),
    changes: { value: own('changes_value'), units: own('changes_units') },
    shares: { value: own('shares_value'), units: own('shares_units') },
    leaf: own('leaf_number'),
    rows: own('row_count'),
    seen: own('is_seen'),
    free: own('is_free'),
    noise: { value: own('value_noise'), units: own('units_noise') },
    decimals: { value: own('value_decimals'), units: own('units_decimals') },
  };
}

/** A slice, and which measures its edit changes. */
export interface EditedMeasures extends Omit<EditedSlice, 'values'> {
  value: boolean;
  units: boolean;
}

const isTrue = (value: boolean): SqlText => (value ? sql`TRUE` : sql`FALSE`);

/** The cells of some slices that have rows, in one pass over the version. @throws AppError as {@link editedLeaves} */
export function cellsOf(
  db: Queryable,
  { table, columns, seen, free }: Rows,
  edits: readonly EditedMeasures[],
): Promise<Cell[]> {
  const keys = leafColumns(columns);
  const own = namesFor(columns);
  const isExact = (c: ForecastColumn) => measureKind(c).exact;
  const perLeaf = ROLES.flatMap((role) => {
    const column = measureOf(role, columns);
    if (!column) return [];
    const name = ident(column.name);
    return [
      sql`COALESCE(SUM(${name}), 0) AS ${name}`,
      sql`${isExact(column) ? sql`0` : sql`COALESCE(SUM(ABS(${name})), 0)`} AS ${own.noise[role]}`,
      sql`${isExact(column) ? sql`COALESCE(MAX(scale(${name})), 0)` : sql`0`} AS ${own.decimals[role]}`,
    ];
  });
  const perCell = ROLES.flatMap((role) => {
    const column = measureOf(role, columns);
    const [amount, noise, decimals] = [
      ident(role),
      ident(`${role}Noise`),
      ident(`${role}Decimals`),
    ];
    if (!column) return [sql`NULL AS ${amount}`, sql`0 AS ${noise}`, sql`0 AS ${decimals}`];
    const total = sql`COALESCE(SUM(${ident(column.name)}) FILTER (WHERE ${own.seen}), 0)`;
    const most = isExact(column)
      ? sql`0`
      : sql`${NOISE} * COALESCE(SUM(${own.noise[role]}) FILTER (WHERE ${own.seen}), 0)`;
    const net = isExact(column)
      ? total
      : sql`CASE WHEN ABS(${total}) > ${most} THEN ${total} ELSE 0 END`;
    return [
      sql`(${net})::text AS ${amount}`,
      sql`(${most})::double precision AS ${noise}`,
      sql`MAX(${own.decimals[role]})::int AS ${decimals}`,
    ];
  });
  const newest = (role: (typeof ROLES)[number]) =>
    sql`CASE WHEN ${own.changes[role]} AND ${own.seen} AND ${own.free} THEN
         MAX(${own.edit}) FILTER (WHERE ${own.changes[role]}) OVER (PARTITION BY ${own.leaf}) END`;
  const counted = sql`COALESCE(SUM(${own.rows}) FILTER (WHERE`;
  return db.many(
    Cell,
    sql`WITH grouped AS (
       SELECT ${commas([
         ...keys.map((c) => ident(c.name)),
         sql`(${seen}) AS ${own.seen}`,
         sql`(${free}) AS ${own.free}`,
         sql`COUNT(*) AS ${own.rows}`,
         ...perLeaf,
       ])}
       FROM ${table} GROUP BY ${commas([...groupedBy(keys), own.seen, own.free])}
     ),
     leaves AS (SELECT *, ROW_NUMBER() OVER () AS ${own.leaf} FROM grouped),
     edited AS (${editedLeaves(
       edits.map((edit) => ({ ...edit, values: ROLES.map((role) => sql`${isTrue(edit[role])}`) })),
       columns,
       [own.edit, own.changes.value, own.changes.units],
     )}),
     paired AS (SELECT *, ${commas(ROLES.map((role) => sql`${newest(role)} AS ${own.shares[role]}`))} FROM edited)
     SELECT ${commas([
       sql`${own.edit} AS number`,
       sql`${counted} ${own.seen}), 0)::bigint AS rows`,
       sql`${counted} NOT ${own.seen}), 0)::bigint AS skipped`,
       sql`COALESCE(BOOL_OR(${own.free}) FILTER (WHERE ${own.seen}), FALSE) AS "isFree"`,
       ...perCell,
       sql`COALESCE(GREATEST(${commas(ROLES.map((role) => sql`MAX(${own.shares[role]})`))}), ${own.edit}) AS shared`,
     ])}
     FROM paired GROUP BY ${own.edit} ORDER BY ${own.edit}`,
  );
}

const Part = v.object({
  number: v.number(),
  logid: v.number(),
  rows: v.number(),
  value: exactAmount,
  units: exactAmount,
});

/** What each entry after another one added to some slices, oldest first. */
export function laterParts(
  db: Queryable,
  { table, columns, seen }: Omit<Rows, 'free'>,
  slices: readonly Omit<EditedSlice, 'values'>[],
  since: number,
): Promise<v.InferOutput<typeof Part>[]> {
  const { edit } = namesFor(columns);
  const sum = (role: 'value' | 'units') => {
    const column = measureOf(role, columns);
    return column ? sql`COALESCE(SUM(${ident(column.name)}), 0)::text` : sql`NULL`;
  };
  return db.many(
    Part,
    sql`WITH leaves AS (SELECT * FROM ${table} WHERE pf_logid > ${since} AND (${seen})),
     edited AS (${editedLeaves(
       slices.map((slice) => ({ ...slice, values: [] })),
       columns,
       [edit],
     )})
     SELECT ${edit} AS number, pf_logid AS logid, COUNT(*) AS rows, ${sum('value')} AS value, ${sum('units')} AS units
     FROM edited GROUP BY 1, 2 ORDER BY 1, 2`,
  );
}
