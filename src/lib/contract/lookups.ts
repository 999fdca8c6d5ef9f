/** Lookups of a source: tables that are joined by key when rows are shown. */
import * as v from 'valibot';
import type { ColumnEntry } from './columns';
import { whyNotNamed } from './formulas';
import { filledText, label, pfUser, shortName, text, timestamp } from './primitives';

/** A key of a lookup: a column of the source, and the column of the lookup's table with the same values. */
const Key = v.object({
  column: v.pipe(text, v.description('A dimension or date of the source')),
  from: v.pipe(text, v.description('The column of the table that holds its values')),
});

/** Days of a lookup: a row of its table stands for the days from one column through another, both included. */
const Range = v.object({
  column: v.pipe(text, v.description('A date of the source')),
  from: v.pipe(text, v.description('The column of the table with the first day')),
  through: v.pipe(text, v.description('The column of the table with the last day')),
});

/** An attribute: a column of the lookup's table, and the name of the field that it becomes. */
const Attribute = v.object({
  cname: text,
  label: v.pipe(
    v.string(),
    v.description('The name of its field and its key in slices; unique among the source’s names'),
  ),
  order_by: v.nullable(
    v.pipe(text, v.description('The column of the table by which its values are ordered')),
  ),
});
export type Attribute = v.InferOutput<typeof Attribute>;

/** The name of the column with the ranks of an attribute's values among the rows of GET /lookups/{id}/rows, from 0. */
export const orderName = (label: string): string => `${label}: order`;

/**
 * A lookup (docs/contract/24-lookups.md). Nothing of it is stored in a version: the page adds its attributes to the
 * rows by key, and the service turns an attribute in a slice into a condition on the keys.
 */
export const Lookup = v.object({
  id: v.number(),
  source_id: v.number(),
  name: v.string(),
  schema: v.string(),
  tname: v.string(),
  keys: v.array(Key),
  range: v.nullable(Range),
  attributes: v.array(Attribute),
  created_by: v.nullable(v.string()),
  created_at: timestamp,
});
export type Lookup = v.InferOutput<typeof Lookup>;

/** A lookup in an answer, with the reason why it cannot be joined now. */
export const CheckedLookup = v.object({
  ...Lookup.entries,
  problem: v.pipe(
    v.nullable(v.string()),
    v.description('Why the lookup cannot be joined with the present tables; null if it can'),
  ),
});
export type CheckedLookup = v.InferOutput<typeof CheckedLookup>;
/** Answer of GET lookups. */
export const LookupsAnswer = v.array(CheckedLookup);

/** Returns the columns of the source by which a lookup is joined: those of its keys, then the date of its range. */
export const joiningColumns = ({ keys, range }: Pick<Lookup, 'keys' | 'range'>): string[] => [
  ...keys.map(({ column }) => column),
  ...(range ? [range.column] : []),
];

const askedAttribute = v.object({
  cname: text,
  label: v.optional(v.pipe(label, v.minLength(1, 'must not be empty'))),
  order_by: v.optional(v.nullable(text)),
});

const content = {
  schema: filledText,
  tname: filledText,
  keys: v.optional(v.array(Key)),
  range: v.optional(v.nullable(Range)),
  attributes: v.pipe(v.array(askedAttribute), v.minLength(1, 'must not be empty')),
};

/** Body of POST lookups (docs/contract/11-endpoints.md): keys, a range, or both. */
export const CreateLookupRequest = v.object({ name: shortName, ...content, pf_user: pfUser });
export type CreateLookupRequest = v.InferOutput<typeof CreateLookupRequest>;

/** Body of PATCH on a lookup; a missing field keeps its value. */
export const EditLookupRequest = v.partial(v.object({ name: shortName, ...content }));
export type EditLookupRequest = v.InferOutput<typeof EditLookupRequest>;

/**
 * Returns why a source with these columns cannot have attributes of these names, with the field of the first one;
 * null if it can.
 */
export function problemOfLabels(
  attributes: readonly Pick<Attribute, 'cname' | 'label'>[],
  columns: readonly Pick<ColumnEntry, 'cname'>[],
): { field: string; problem: string } | null {
  for (const [i, { cname, label: own }] of attributes.entries()) {
    if (attributes.slice(0, i).some((other) => other.cname === cname)) {
      return { field: `attributes.${i}.cname`, problem: `"${cname}" is an attribute twice` };
    }
    const problem = own.includes(': ')
      ? `"${own}" contains ": ", which begins the parts of a measure`
      : attributes.slice(0, i).some((other) => other.label === own)
        ? `Two attributes are named "${own}"`
        : whyNotNamed(own, columns);
    if (problem !== null) return { field: `attributes.${i}.label`, problem };
  }
  return null;
}
