/** Lookups of a source: tables that are joined by key when rows are shown. */
import * as v from 'valibot';
import { type ColumnEntry, isSingleRole } from './columns';
import { whyNotNamed } from './formulas';
import { byColumn, filledText, label, pfUser, shortName, text, timestamp } from './primitives';

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

/** A conversion: a measure of the source times a rate of the lookup, row by row. */
const Conversion = v.object({
  label: v.pipe(
    v.string(),
    v.description('The name of its measure; unique among the source’s names'),
  ),
  measure: v.pipe(text, v.description('A measure of the source')),
  rate: v.pipe(text, v.description('The column of the lookup’s table with the rate, a number')),
});
export type Conversion = v.InferOutput<typeof Conversion>;

/** The name of the column with the rates of a conversion among the rows of GET /lookups/{id}/rows. */
export const rateName = (label: string): string => `${label}: rate`;

/** The name of the column with the ranks of an attribute's values among the rows of GET /lookups/{id}/rows, from 0. */
export const orderName = (label: string): string => `${label}: order`;

/**
 * A lookup (docs/contract/24-lookups.md). Nothing of it is stored in a version: the page adds its attributes to the
 * rows by key, and the service turns an attribute in a slice into a condition on the keys. Conversions are added to
 * the rows as measures.
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
  conversions: v.array(Conversion),
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
  attributes: v.optional(v.array(askedAttribute)),
  conversions: v.optional(
    v.array(
      v.object({
        label: v.pipe(label, v.minLength(1, 'must not be empty')),
        measure: text,
        rate: text,
      }),
    ),
  ),
};

/** Body of POST lookups (docs/contract/11-endpoints.md): keys, a range, or both; attributes, conversions, or both. */
export const CreateLookupRequest = v.object({ name: shortName, ...content, pf_user: pfUser });
export type CreateLookupRequest = v.InferOutput<typeof CreateLookupRequest>;

/** Body of PATCH on a lookup; a missing field keeps its value. */
export const EditLookupRequest = v.partial(v.object({ name: shortName, ...content }));
export type EditLookupRequest = v.InferOutput<typeof EditLookupRequest>;

/** Conversions of some rows by name (docs/contract/24-lookups.md#conversions). */
export const Converted = v.optional(
  v.pipe(
    byColumn(
      v.object({
        total: v.number(),
        missing: v.pipe(
          v.number(),
          v.description('Number of amounts without a rate, not in total'),
        ),
      }),
    ),
    v.description('The conversions of the lookups that can be joined; absent without any'),
  ),
);

/** Returns the names that a lookup adds to its source, with the field of each in the request that describes it. */
export const namesAdded = ({
  attributes,
  conversions,
}: Pick<Lookup, 'attributes' | 'conversions'>): { label: string; field: string }[] => [
  ...attributes.map(({ label }, i) => ({ label, field: `attributes.${i}.label` })),
  ...conversions.map(({ label }, i) => ({ label, field: `conversions.${i}.label` })),
];

/** Returns the conversions of some lookups as columns of their source: measures that formulas can use. */
export const convertedColumns = (
  lookups: readonly Pick<Lookup, 'conversions'>[],
): Pick<ColumnEntry, 'cname' | 'role'>[] =>
  lookups.flatMap(({ conversions }) =>
    conversions.map(({ label }) => ({ cname: label, role: 'measure' as const })),
  );

/**
 * Returns why a source with these columns cannot have attributes and conversions of these names, with the field of the
 * first one; null if it can.
 */
export function problemOfLabels(
  lookup: Pick<Lookup, 'attributes' | 'conversions'>,
  columns: readonly Pick<ColumnEntry, 'cname'>[],
): { field: string; problem: string } | null {
  const { attributes } = lookup;
  for (const [i, { cname }] of attributes.entries()) {
    if (attributes.slice(0, i).some((other) => other.cname === cname)) {
      return { field: `attributes.${i}.cname`, problem: `"${cname}" is an attribute twice` };
    }
  }
  const names = namesAdded(lookup);
  for (const [i, { label: own, field }] of names.entries()) {
    const problem = own.includes(': ')
      ? `"${own}" contains ": ", which begins the parts of a measure`
      : names.slice(0, i).some((other) => other.label === own)
        ? `Two attributes or conversions are named "${own}"`
        : isSingleRole(own) && field.startsWith('conversions')
          ? `"${own}" stands for a measure of the source in requests`
          : whyNotNamed(own, columns);
    if (problem !== null) return { field, problem };
  }
  return null;
}
