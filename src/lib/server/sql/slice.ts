/** A slice as a condition on the forecast table. */
import type { AskedSlice, DateRange } from '../../contract/slices';
import { isDateRange } from '../../contract/slices';
import type { Scalar } from '../../contract/primitives';
import { UnusableValue } from '../../contract/unusable';
import type { Place } from '../errors';
import { AppError, columnPlace, faultAt } from '../errors';
import type { ForecastColumn } from './forecast-columns';
import { leafColumns, toldApart } from './forecast-columns';
import type { Attribute, BrokenAttribute, MatchedRows } from './lookups';
import { keyColumns, matching } from './lookups';
import type { SqlText } from './quote';
import { commas, ident, join, literal, sql } from './quote';
import { valueLiteral } from './values';

export interface CompiledSlice {
  /** The condition on dimensions, dates and attributes, of the forecast table or elsewhere; `TRUE` for the whole version. */
  where: SqlText;
  /** Keys that are not dimension or date columns or attributes, in the order of the slice. */
  skipped: string[];
  /** The rows of lookups on which the condition depends, beside the forecast table. */
  matched: MatchedRows[];
}

/** What a slice can name. */
export interface SliceFields {
  columns: readonly ForecastColumn[];
  /** The attributes of lookups; a column of the same name goes before. */
  attributes: readonly (Attribute | BrokenAttribute)[];
  /** The keys of rows of lookups that have been read, to be listed in the condition; none by default. */
  keysOf?: (rows: MatchedRows) => readonly string[] | undefined;
}

/** The dates and dimensions by which a slice may select rows: if any keys are marked, only these dimensions. */
export function selectingColumns(columns: readonly ForecastColumn[]): ForecastColumn[] {
  const leaves = leafColumns(columns);
  const keysMarked = leaves.some((c) => c.role === 'dimension' && c.isKey);
  return leaves.filter((c) => c.role === 'date' || !keysMarked || c.isKey);
}

/**
 * Compiles a slice to a condition (docs/contract/05-operations.md,
 * docs/contract/14-what-the-operations-compute.md#is_key). An attribute becomes a condition on the keys of its lookup
 * (docs/contract/24-lookups.md#slices-with-attributes).
 *
 * @param at place of the slice in the body
 * @throws AppError 400 if a value is not of its column's type, for a range that ends before it begins or is
 * on a column that is not a date, or if the source marks keys and the slice names an unmarked dimension:
 * ignoring it would widen the selection. 409 for an attribute whose lookup cannot be joined
 */
export function compileSlice(
  slice: AskedSlice,
  { columns, attributes, keysOf = () => undefined }: SliceFields,
  at = 'slice',
): CompiledSlice {
  const leaves = leafColumns(columns);
  const selecting = selectingColumns(columns);
  const skipped: string[] = [];
  const conditions: SqlText[] = [];
  const matched: MatchedRows[] = [];

  for (const [name, wanted] of Object.entries(slice)) {
    const column = leaves.find((c) => c.name === name);
    const place = columnPlace(at, name);
    const isColumn = columns.some((c) => c.name === name);
    // A measure of the same name would be skipped, and the slice would select more rows.
    const attribute = column ? undefined : attributes.find((each) => each.name === name);
    const isKnown = isColumn || attribute !== undefined;
    if (wanted instanceof UnusableValue && isKnown) throw unusable(place, wanted);
    if (isDateRange(wanted) && isKnown) {
      conditions.push(within(place, column, wanted));
      continue;
    }
    if (attribute && !(wanted instanceof UnusableValue) && !isDateRange(wanted)) {
      const joined = usableAttribute(place, attribute);
      for (const key of keyColumns(joined.lookup)) requireSelecting(at, place, selecting, key);
      const found = matchedRows(place, joined, listOf(wanted));
      matched.push(...found);
      conditions.push(having(found, listOf(wanted), keysOf));
      continue;
    }
    if (!column || wanted instanceof UnusableValue || isDateRange(wanted)) {
      skipped.push(name);
      continue;
    }
    requireSelecting(at, place, selecting, column);
    conditions.push(anyOf(place, column, listOf(wanted)));
  }
  const where = conditions.length > 0 ? join(conditions, sql`\n    AND `) : sql`TRUE`;
  return { where, skipped, matched };
}

/** @throws AppError 400 for a dimension that is not marked although keys are */
function requireSelecting(
  at: string,
  { field, column: named }: Place,
  selecting: readonly ForecastColumn[],
  column: ForecastColumn,
): void {
  if (selecting.includes(column)) return;
  throw new AppError(
    400,
    `${at}: "${column.name}" is not marked as a key of this source, so it cannot select rows`,
    { field, column: named },
  );
}

/** The rows of a lookup that have one of some values of an attribute; those that have any, for the empty value. */
function matchedRows(
  place: Place,
  attribute: Attribute,
  values: readonly (Scalar | null)[],
): MatchedRows[] {
  const { type, value } = attribute;
  const literals = literalsOf(place, type, values);
  const wanted = isOneOf(toldApart({ type }, value), literals);
  return [
    ...(literals.length > 0 ? [{ attribute, where: wanted }] : []),
    ...(values.includes(null) ? [{ attribute, where: sql`${value} IS NOT NULL` }] : []),
  ];
}

/** The rows that have one of some values of an attribute. The empty value includes keys that the lookup lacks. */
function having(
  matched: readonly MatchedRows[],
  values: readonly (Scalar | null)[],
  keysOf: NonNullable<SliceFields['keysOf']>,
): SqlText {
  const tests = matched.map((rows, i) => {
    const test = matching(rows.attribute.lookup, rows.where, keysOf(rows));
    return values.includes(null) && i === matched.length - 1 ? sql`${test} IS NOT TRUE` : test;
  });
  const any = join(tests, sql` OR `);
  return tests.length > 1 ? sql`(${any})` : any;
}

/** @throws AppError 409 if the lookup of an attribute cannot be joined */
export function usableAttribute(place: Place, attribute: Attribute | BrokenAttribute): Attribute {
  if (!('problem' in attribute)) return attribute;
  const { field, column } = place;
  throw new AppError(409, `${place.words}: ${attribute.problem}`, { field, column });
}

const listOf = (wanted: Scalar | null | (Scalar | null)[]): readonly (Scalar | null)[] =>
  Array.isArray(wanted) ? wanted : [wanted];

/** The different values of a list but the empty one, as literals. */
const literalsOf = (
  place: Place,
  type: SqlText,
  values: readonly (Scalar | null)[],
): readonly SqlText[] => [
  ...new Set(
    values
      .filter((value) => value !== null)
      .map((value) => toldApart({ type }, valueLiteral(value, type, place))),
  ),
];

const isOneOf = (name: SqlText, literals: readonly SqlText[]): SqlText =>
  literals.length === 1
    ? sql`${name} = ${commas(literals)}`
    : sql`${name} IN (${commas(literals)})`;

function unusable({ field, column }: Place, { problem, path }: UnusableValue): AppError {
  const words = path === '' ? field : `${field}.${path}`;
  return faultAt({ words, field: words, column }, 400, problem);
}

function anyOf(place: Place, column: ForecastColumn, values: readonly (Scalar | null)[]): SqlText {
  const name = toldApart(column, ident(column.name));
  const literals = literalsOf(place, column.type, values);
  const tests: SqlText[] = literals.length > 0 ? [isOneOf(name, literals)] : [];
  if (values.includes(null)) tests.push(sql`${name} IS NULL`);
  const either = join(tests, sql` OR `);
  return tests.length > 1 ? sql`(${either})` : either;
}

function within(
  place: Place,
  column: ForecastColumn | undefined,
  { from, to }: DateRange,
): SqlText {
  if (column?.role !== 'date') {
    throw faultAt(place, 400, 'only a date column can have a range of dates');
  }
  const name = ident(column.name);
  const day = (text: string) => valueLiteral(text, column.type, place);
  const bounds = [
    ...(from === undefined ? [] : [sql`${name} >= ${day(from)}`]),
    ...(to === undefined ? [] : [sql`${name} <= ${day(to)}`]),
  ];
  if (from !== undefined && to !== undefined && dayNumber(from) > dayNumber(to)) {
    throw faultAt(place, 400, `the range begins on ${from}, after it ends on ${to}`);
  }
  return join(bounds, sql` AND `);
}

/** A day as a comparable number, such as 20270131. Years may have more than four digits. */
export const dayNumber = (day: string): number => Number(day.replaceAll('-', ''));

/** The condition that leaves out rows of the version's excluded origins (`{{exclude_clause}}`). */
export function excludeClause(iters: readonly string[]): SqlText {
  return iters.length === 0 ? sql`TRUE` : sql`pf_iter NOT IN (${commas(iters.map(literal))})`;
}

/**
 * A condition that every row of a forecast table fulfils: it is in the indexes for slices, or a later one. With it,
 * PostgreSQL finds the rows of a slice by these indexes (docs/decisions/0055-indexes-for-small-slices.md).
 *
 * @param indexedTo the newest entry whose rows are indexed
 */
export const indexedOrLater = (indexedTo: number): SqlText =>
  sql`(pf_logid <= ${indexedTo} OR pf_logid > ${indexedTo})`;
