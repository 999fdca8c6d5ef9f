/** Totals of conversions of the rows of slices, grouped by the effect of a scale on them. */
import * as v from 'valibot';
import type { EditedSlice } from '../../sql/edited-leaves';
import { convertedTotals, type JoinedConversion, type JoinedLookup } from '../../sql/lookups';
import type { ReadableRows, SqlText } from '../../sql/quote';
import { sql } from '../../sql/quote';
import type { SliceFields } from '../../sql/slice';
import type { Queryable } from '../connection/queryable';
import { type Effects, numberedRows } from './reached-rows';

const SIDES = ['held', 'free'] as const;

const sums = { number: v.number(), totals: v.array(v.string()), missing: v.array(v.string()) };
/** Null for the rows of all sides. */
const ConvertedSide = v.object({ side: v.nullable(v.picklist(SIDES)), ...sums });
const ConvertedEntry = v.object({ side: v.nullable(v.string()), ...sums });

/** A lookup with its conversions. */
export interface Conversions {
  joined: JoinedLookup;
  conversions: readonly JoinedConversion[];
}

/** The total of a conversion, and how many amounts have no rate. */
export interface Converted {
  total: number;
  missing: number;
}

/** Conversions of the rows of a slice by name: of those that operations see, and of those of them that are free. */
export type ConvertedRows = Record<'included' | 'free', Record<string, Converted>>;

/**
 * Adds up conversions of the rows behind a condition.
 *
 * @param lookup its keys are unique
 * @param where which rows there are
 * @returns a list of one
 */
export function convertedRows(
  db: Queryable,
  from: ReadableRows,
  lookup: Conversions,
  { where, exclude, held }: Effects & { where: SqlText },
): Promise<ConvertedRows[]> {
  const rows = sql`${from} WHERE (${where}) AND (${exclude})`;
  return converted(db, lookup, [0], { rows, number: sql`0`, held });
}

/**
 * Adds up conversions of the rows of each of some slices, as {@link convertedRows}.
 *
 * @param among the rows to read: those of every slice are among them
 * @returns the conversions of each slice in their order
 */
export function convertedBySlice(
  db: Queryable,
  from: ReadableRows,
  fields: SliceFields,
  lookup: Conversions,
  slices: readonly Omit<EditedSlice, 'values'>[],
  { among, exclude, held }: Effects & { among: SqlText },
): Promise<ConvertedRows[]> {
  const all = sql`${from} WHERE (${among}) AND (${exclude})`;
  const { numbered, number } = numberedRows(all, fields, slices);
  const rows = sql`numbered`;
  const numbers = slices.map((slice) => slice.number);
  return converted(db, lookup, numbers, { with: sql`WITH ${numbered}\n`, rows, number, held });
}

/** The conversions of an entry's rows of one origin, by name. */
export interface ConvertedPart {
  logid: number;
  iter: string;
  conversions: Record<string, Converted>;
}

/**
 * Adds up conversions of the rows behind a condition by entry and origin.
 *
 * @param lookup its keys are unique
 */
export async function convertedParts(
  db: Queryable,
  from: ReadableRows,
  { joined, conversions }: Conversions,
  where: SqlText,
): Promise<ConvertedPart[]> {
  const rows = sql`${from} WHERE ${where}`;
  const by = { number: sql`pf_logid`, side: sql`pf_iter`, rows };
  const parts = await db.many(ConvertedEntry, convertedTotals(joined, conversions, by));
  return parts.flatMap(({ number: logid, side: iter, ...part }) =>
    iter === null ? [] : [{ logid, iter, conversions: byName(conversions, part) }],
  );
}

/** Returns the totals of conversions by name. @param part undefined without rows */
const byName = (
  conversions: Conversions['conversions'],
  part: { totals: string[]; missing: string[] } | undefined,
): Record<string, Converted> =>
  Object.fromEntries(
    conversions.map(({ name }, i) => [
      name,
      { total: Number(part?.totals[i] ?? 0), missing: Number(part?.missing[i] ?? 0) },
    ]),
  );

async function converted(
  db: Queryable,
  { joined, conversions }: Conversions,
  numbers: readonly number[],
  read: Record<'rows' | 'number' | 'held', SqlText> & { with?: SqlText },
): Promise<ConvertedRows[]> {
  const side = sql`CASE WHEN (${read.held}) IS TRUE THEN 'held' ELSE 'free' END`;
  const totals = convertedTotals(joined, conversions, { ...read, side });
  const sides = await db.many(ConvertedSide, sql`${read.with ?? sql``}${totals}`);
  return numbers.map((wanted) => {
    const of = (side: (typeof SIDES)[number] | null) =>
      byName(
        conversions,
        sides.find((each) => each.number === wanted && each.side === side),
      );
    return { included: of(null), free: of('free') };
  });
}
