/** SQL text that finds the leaves of many slices at once. */
import type { Scalar } from '../../contract/primitives';
import type { AskedSlice } from '../../contract/slices';
import { isDateRange } from '../../contract/slices';
import { UnusableValue } from '../../contract/unusable';
import type { Place } from '../errors';
import { AppError, columnPlace, faultAt } from '../errors';
import { leafColumns, toldApart } from './forecast-columns';
import { joinedValue } from './lookups';
import type { Identifier, SqlText } from './quote';
import { commas, ident, join, sql } from './quote';
import type { SliceFields } from './slice';
import { compileSlice, usableAttribute } from './slice';
import { valueLiteral } from './values';

/** A slice, with further values of its edit as literals. */
export interface EditedSlice {
  /** Tells edits apart. */
  number: number;
  slice: AskedSlice;
  values: readonly SqlText[];
}

/** Edits whose slices name the same columns in the same way, so that one join finds their leaves. */
interface Batch extends Form {
  lines: SqlText[];
  /** The different lists of values at each place of {@link Form.lists}, numbered in their order. */
  lists: Map<string, { id: number; values: readonly SqlText[] }>[];
}

/** How a slice is joined with its leaves. */
interface Form {
  /** Joins of the attributes, after FROM. */
  joins: SqlText[];
  /** Joins a leaf with the columns `edit.pf_key_0`, … and `pf_list_0.pf_value`, …. */
  conditions: SqlText[];
  /** Number of columns `pf_key_…`. */
  keys: number;
}

/** Number of different forms of slices; each is a query of its own. */
const MOST_FORMS = 200;

/**
 * Returns a query of the leaves of some slices: the columns of the CTE `leaves`, the number of the edit, and its
 * values. A leaf in several slices is answered for each of them. Equality of single values and lists of values
 * become hash joins, so thousands of slices are found in one pass.
 *
 * @param names of the number and of the values
 * @throws AppError 400 as {@link compileSlice}; for a name that is no dimension or date column: without it, the
 * slice would have more rows than the cell; and for slices of more than {@link MOST_FORMS} forms
 */
export function editedLeaves(
  edits: readonly EditedSlice[],
  fields: SliceFields,
  names: readonly Identifier[],
): SqlText {
  const batches = new Map<string, Batch>();
  for (const edit of edits) {
    const { joins, conditions, keys, lists } = keysOf(edit, fields);
    const form = join([...joins, ...conditions], sql` AND `);
    const made = {
      ...{ joins, conditions },
      keys: keys.length + lists.length,
      lines: [],
      lists: lists.map(() => new Map()),
    };
    const batch: Batch = batches.get(form) ?? made;
    const ids = lists.map((values, i) => sql`${idOf(values, batch.lists[i] ?? new Map())}`);
    batch.lines.push(sql`(${commas([sql`${edit.number}`, ...edit.values, ...keys, ...ids])})`);
    batches.set(form, batch);
    if (batches.size > MOST_FORMS) {
      throw new AppError(
        400,
        `edits: the slices name columns, ranges and lists with null in more than ${MOST_FORMS} different combinations; send fewer of them at a time`,
        { field: 'edits' },
      );
    }
  }
  const queries = [...batches.values()].map(({ joins, conditions, keys, lines, lists }) => {
    const own = [...names, ...Array.from({ length: keys }, (_, i) => key(i))];
    return sql`SELECT leaves.*, ${commas(names.map((name) => sql`edit.${name}`))}
    FROM leaves
    JOIN (VALUES
        ${join(lines, sql`,\n        `)}
    ) AS edit (${commas(own)})
        ON TRUE
    ${join(
      [...joins, ...lists.map((list, i) => listed(list, i, keys - lists.length + i))],
      sql`\n    `,
    )}
    WHERE ${conditions.length > 0 ? join(conditions, sql` AND `) : sql`TRUE`}`;
  });
  return join(queries, sql`\n    UNION ALL\n    `);
}

const key = (i: number): Identifier => ident(`pf_key_${i}`);
const listName = (i: number): Identifier => ident(`pf_list_${i}`);

/** The number of a list of values among those of its place, which gets it if it is new. */
function idOf(values: readonly SqlText[], known: Batch['lists'][number]): number {
  const text = commas(values);
  const found = known.get(text) ?? { id: known.size, values };
  known.set(text, found);
  return found.id;
}

/** Joins the values of the lists of one place. Equal values of a list count once. */
function listed(lists: Batch['lists'][number], i: number, keyPlace: number): SqlText {
  const lines = [...lists.values()].flatMap(({ id, values }) =>
    values.map((value) => sql`(${id}, ${value})`),
  );
  return sql`JOIN (SELECT DISTINCT * FROM (VALUES ${join(lines, sql`, `)}) AS listed)
        AS ${listName(i)} (pf_list, pf_value) ON ${listName(i)}.pf_list = edit.${key(keyPlace)}`;
}

/**
 * Returns the conditions that join a slice with its leaves, the joins of attributes in them, and the literals of the
 * keys and of the lists in them.
 */
function keysOf(
  { number, slice }: EditedSlice,
  fields: SliceFields,
): Omit<Form, 'keys'> & { keys: SqlText[]; lists: SqlText[][] } {
  const at = `edits.${number}.slice`;
  const [unknown] = compileSlice(slice, fields, at).skipped;
  if (unknown !== undefined) {
    const { field, column } = columnPlace(at, unknown);
    const place = { words: `edits.${number}: slice: ${unknown}`, field, column };
    throw faultAt(place, 400, 'is not a dimension or date column of the source');
  }
  const joins: SqlText[] = [];
  const conditions: SqlText[] = [];
  const keys: SqlText[] = [];
  const lists: SqlText[][] = [];
  for (const [name, wanted] of Object.entries(slice).toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    if (wanted instanceof UnusableValue) continue;
    const place = columnPlace(at, name);
    const only = Array.isArray(wanted) && wanted.length === 1 ? (wanted[0] ?? null) : wanted;
    if (only === null || (Array.isArray(only) && only.includes(null))) {
      conditions.push(compileSlice({ [name]: only }, fields, at).where);
      continue;
    }
    const field = fieldOf(name, fields, place, joins);
    if (!field) continue;
    const literal = (value: Scalar | null) =>
      toldApart(field, valueLiteral(value, field.type, place));
    const compared = (value: Scalar, operator: SqlText) => {
      conditions.push(sql`${field.value} ${operator} edit.${key(keys.length)}`);
      keys.push(literal(value));
    };
    if (isDateRange(only)) {
      if (only.from !== undefined) compared(only.from, sql`>=`);
      if (only.to !== undefined) compared(only.to, sql`<=`);
    } else if (Array.isArray(only)) {
      conditions.push(sql`${field.value} = ${listName(lists.length)}.pf_value`);
      lists.push(only.map(literal));
    } else compared(only, sql`=`);
  }
  return { joins, conditions, keys, lists };
}

/** The value of a column or attribute of a leaf, whose join is added to others; undefined for any other name. */
function fieldOf(
  name: string,
  { columns, attributes }: SliceFields,
  place: Place,
  joins: SqlText[],
): { value: SqlText; type: SqlText } | undefined {
  const column = leafColumns(columns).find((c) => c.name === name);
  if (column) return { value: toldApart(column, sql`leaves.${ident(name)}`), type: column.type };
  const attribute = attributes.find((each) => each.name === name);
  if (!attribute) return undefined;
  const usable = usableAttribute(place, attribute);
  const joined = joinedValue(usable, sql`leaves`, ident(`pf_attribute_${joins.length}`));
  joins.push(joined.join);
  return { value: joined.value, type: usable.type };
}
