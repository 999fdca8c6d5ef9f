/** Queries of the cells of an import. */
import * as v from 'valibot';
import { measureKey } from '../../../contract/columns';
import { byColumn } from '../../../contract/primitives';
import type { EditedSlice } from '../../sql/edited-leaves';
import { editedLeaves } from '../../sql/edited-leaves';
import type { ForecastColumn } from '../../sql/forecast-columns';
import { leafColumns, measureColumns, measureKind, measureWord } from '../../sql/forecast-columns';
import { groupedBy } from '../../sql/grain';
import type { SliceFields } from '../../sql/slice';
import type { ReadableRows, SqlText } from '../../sql/quote';
import { commas, ident, join, literal, sql } from '../../sql/quote';
import { exactSum, NOISE } from '../../sql/templates/leaves';
import { freeName } from '../../sql/templates/lists';
import { isInProportion } from '../../sql/templates/parting';
import type { Queryable } from '../connection/queryable';
import { numbersByColumn, Totals, totals } from './totals';

const Cell = v.object({
  number: v.number(),
  /** Number of rows that operations see. */
  rows: v.number(),
  isFree: v.boolean(),
  /** Whether the sender may not change one of the rows among which the amount is parted; a row of 0 gets no part. */
  isBeyond: v.boolean(),
  /** Totals of the rows that operations see, by measure, as text with all their digits. */
  totals: byColumn(v.string()),
  /** Absolute amounts below these are noise of a floating-point measure; 0 for an exact one. */
  noise: numbersByColumn,
  /** The most decimals that an amount of an exact measure has; 0 for a floating-point one. */
  decimals: numbersByColumn,
  /**
   * The highest number of an edit that changes a measure of a leaf that this one changes too; its own if there is no
   * other. Leaves that no edit can change do not count.
   */
  shared: v.number(),
});
/** A cell that has rows. Measures are named by their keys. */
export type Cell = v.InferOutput<typeof Cell>;

/** The rows of a version. */
interface Rows extends SliceFields {
  rows: ReadableRows;
  /** The rows that operations see. */
  seen: SqlText;
  /** The rows that can change. */
  free: SqlText;
  /** The rows that the sender may not change. */
  beyond?: SqlText | undefined;
  /** The rows to read, if not all of them: those of every slice are among them. */
  among?: SqlText | undefined;
}

/** Names of intermediate values that no column has. */
function namesFor(columns: readonly ForecastColumn[]) {
  const own = (name: string) =>
    ident(
      freeName(
        name,
        columns.map((c) => c.name),
      ),
    );
  const edit = own('edit_number');
  const measures = measureColumns(columns).map((column) => {
    const word = measureWord(column, columns);
    return {
      ...{ column, key: measureKey(column), name: ident(column.name) },
      exact: measureKind(column).exact,
      changes: own(`changes_${word}`),
      shares: own(`shares_${word}`),
      noise: own(`${word}_noise`),
      decimals: own(`${word}_decimals`),
    };
  });
  return {
    ...{ edit, measures },
    ...{ leaf: own('leaf_number'), rows: own('row_count'), seen: own('is_seen') },
    ...{ free: own('is_free'), beyond: own('is_beyond') },
  };
}

/** A slice, and the keys of the measures that its edit changes. */
export interface EditedMeasures extends Omit<EditedSlice, 'values'> {
  keys: ReadonlySet<string>;
}

/** The cells of some slices that have rows, in one pass over the version. @throws AppError as {@link editedLeaves} */
export function cellsOf(
  db: Queryable,
  { rows: from, columns, attributes, seen, free, beyond = sql`FALSE`, among = sql`TRUE` }: Rows,
  edits: readonly EditedMeasures[],
): Promise<Cell[]> {
  const leaves = leafColumns(columns);
  const { measures, ...own } = namesFor(columns);
  const changed = measures.filter(({ key }) => edits.some(({ keys }) => keys.has(key)));
  const perLeaf = measures.flatMap(({ column, name, exact, noise, decimals }) => [
    sql`COALESCE(${exactSum(column, name)}, 0) AS ${name}`,
    sql`${exact ? sql`0` : sql`COALESCE(SUM(ABS(${name})), 0)`} AS ${noise}`,
    sql`${exact ? sql`COALESCE(MAX(scale(${name})), 0)` : sql`0`} AS ${decimals}`,
  ]);
  const perCell = measures.map(({ name, exact, noise, decimals }) => {
    const total = sql`COALESCE(SUM(${name}) FILTER (WHERE ${own.seen}), 0)`;
    const most = exact
      ? sql`0`
      : sql`${NOISE} * COALESCE(SUM(${noise}) FILTER (WHERE ${own.seen}), 0)::numeric`;
    const net = exact ? total : sql`CASE WHEN ABS(${total}) > ${most} THEN ${total} ELSE 0 END`;
    return { total: net, noise: most, decimals: sql`MAX(${decimals})` };
  });
  const byKey = (amount: (cell: (typeof perCell)[number]) => SqlText) => {
    const names = commas(measures.map(({ key }) => literal(key)));
    const texts = commas(perCell.map((cell) => sql`(${amount(cell)})::text`));
    return sql`jsonb_object(ARRAY[${names}]::text[], ARRAY[${texts}]::text[])`;
  };
  const newest = ({ changes, shares }: (typeof measures)[number]) =>
    sql`CASE WHEN ${changes} AND ${own.seen} AND ${own.free} THEN
         MAX(${own.edit}) FILTER (WHERE ${changes}) OVER (PARTITION BY ${own.leaf}) END AS ${shares}`;
  const isBeyond = ({ name, changes }: (typeof measures)[number]) => {
    const parted = sql`FILTER (WHERE ${changes} AND ${own.seen} AND ${own.free})`;
    const proportion = isInProportion(
      sql`SUM(${name}) ${parted}`,
      sql`SUM(ABS(${name})) ${parted}`,
    );
    return sql`COALESCE(BOOL_OR(${own.beyond} AND ${name} <> 0) ${parted}
         OR BOOL_OR(${own.beyond}) ${parted} AND NOT (${proportion}), FALSE)`;
  };
  return db.many(
    Cell,
    sql`WITH grouped AS (
       SELECT ${commas([
         ...leaves.map((c) => ident(c.name)),
         sql`(${seen}) AS ${own.seen}`,
         sql`(${free}) AS ${own.free}`,
         sql`(${beyond}) AS ${own.beyond}`,
         sql`COUNT(*) AS ${own.rows}`,
         ...perLeaf,
       ])}
       FROM ${from} WHERE ${among}
       GROUP BY ${commas([...groupedBy(leaves), own.seen, own.free, own.beyond])}
     ),
     leaves AS (SELECT *, ROW_NUMBER() OVER () AS ${own.leaf} FROM grouped),
     edited AS (${editedLeaves(
       edits.map((edit) => ({
         ...edit,
         values: changed.map(({ key }) => (edit.keys.has(key) ? sql`TRUE` : sql`FALSE`)),
       })),
       { columns, attributes },
       [own.edit, ...changed.map(({ changes }) => changes)],
     )}),
     paired AS (SELECT ${commas([sql`*`, ...changed.map(newest)])} FROM edited)
     SELECT ${commas([
       sql`${own.edit} AS number`,
       sql`COALESCE(SUM(${own.rows}) FILTER (WHERE ${own.seen}), 0)::bigint AS rows`,
       sql`COALESCE(BOOL_OR(${own.free}) FILTER (WHERE ${own.seen}), FALSE) AS "isFree"`,
       sql`(${join([sql`FALSE`, ...changed.map(isBeyond)], sql` OR `)}) AS "isBeyond"`,
       sql`${byKey(({ total }) => total)} AS totals`,
       sql`${byKey(({ noise }) => noise)} AS noise`,
       sql`${byKey(({ decimals }) => decimals)} AS decimals`,
       sql`COALESCE(GREATEST(${commas([
         ...changed.map(({ shares }) => sql`MAX(${shares})`),
         sql`NULL`,
       ])}), ${own.edit}) AS shared`,
     ])}
     FROM paired GROUP BY ${own.edit} ORDER BY ${own.edit}`,
  );
}

const Part = v.object({ number: v.number(), logid: v.number(), ...Totals.entries });

/** What each entry after another one added to some slices, oldest first. */
export function laterParts(
  db: Queryable,
  { rows: from, columns, attributes, seen }: Omit<Rows, 'free' | 'among'>,
  slices: readonly Omit<EditedSlice, 'values'>[],
  since: number,
): Promise<v.InferOutput<typeof Part>[]> {
  const { edit } = namesFor(columns);
  return db.many(
    Part,
    sql`WITH leaves AS (SELECT * FROM ${from} WHERE pf_logid > ${since} AND (${seen})),
     edited AS (${editedLeaves(
       slices.map((slice) => ({ ...slice, values: [] })),
       { columns, attributes },
       [edit],
     )})
     SELECT ${edit} AS number, pf_logid AS logid, ${totals(columns)}
     FROM edited GROUP BY 1, 2 ORDER BY 1, 2`,
  );
}
