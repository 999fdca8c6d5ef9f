/** The amounts of a scale: their fields, and which of them may be sent together. */
import * as v from 'valibot';
import { isObject, number, pathTo } from './primitives';
import { Shape } from './shapes';

const KEEP_TOTAL = 'keep';

/** A total, or `keep` for the present one. */
export const total = v.union(
  [number, v.literal(KEEP_TOTAL)],
  'must be a number, or "keep" with a shape',
);

const WAYS = ['proportional', 'equal', 'price'] as const;
const Way = v.picklist(WAYS, `must be ${WAYS.map((way) => `"${way}"`).join(', ')} or a shape`);

/** An object is a {@link Shape}, so that an error names the field inside it. */
const Spread = v.lazy((spread) => {
  if (spread === undefined) return v.union([Way, Shape]);
  return isObject(spread) ? Shape : Way;
});

export const amounts = {
  value_incr: v.optional(
    v.nullable(v.pipe(number, v.description("Amount added to the slice's value total"))),
  ),
  units_incr: v.optional(
    v.nullable(v.pipe(number, v.description("Amount added to the slice's units total"))),
  ),
  value_pct: v.optional(
    v.nullable(v.pipe(number, v.description("Percent of the slice's value total to add to it"))),
  ),
  units_pct: v.optional(
    v.nullable(v.pipe(number, v.description("Percent of the slice's units total to add to it"))),
  ),
  value_total: v.optional(
    v.nullable(
      v.pipe(
        total,
        v.description(
          "What the slice's value total becomes; with a shape also keep, the present one",
        ),
      ),
    ),
  ),
  units_total: v.optional(
    v.nullable(
      v.pipe(total, v.description("What the slice's units total becomes, like value_total")),
    ),
  ),
  pct: v.optional(
    v.nullable(v.pipe(number, v.description('Percent of both measures; 10 is +10 %'))),
  ),
  spread: v.optional(
    v.nullable(
      v.pipe(
        Spread,
        v.description(
          'How an increment is spread over the leaves of the slice; proportional by default. With price, value is spread like units, so that each leaf keeps its price. A shape parts an increment or a total over groups of leaves first',
        ),
      ),
    ),
  ),
};
type Amounts = v.InferOutput<v.ObjectSchema<typeof amounts, undefined>>;

/** Returns how an increment is spread over the leaves; null for in proportion. */
export const waySpread = ({ spread }: Pick<Amounts, 'spread'>): 'equal' | 'price' | null =>
  spread === 'equal' || spread === 'price' ? spread : null;

/** Returns the shape that a scale is parted by; null if it is spread without one. */
export const shapeOf = <Of extends { profile?: unknown }>({
  spread,
}: {
  spread?: string | Of | null | undefined;
}): Of | null => (typeof spread === 'object' ? spread : null);

/** The total as a number; null if there is none, or the present one is kept. */
export const wantedTotal = (total: Amounts['value_total']): number | null =>
  typeof total === 'number' ? total : null;

const ROLES = ['value', 'units'] as const;

/** Returns the fields of a measure that a change has: an amount, a percentage, a total. */
const kindsOf = (edit: Amounts, role: (typeof ROLES)[number]) =>
  (['incr', 'pct', 'total'] as const).filter((kind) => edit[`${role}_${kind}`] != null);

/** Refuses amounts that cannot be sent together. It is a check of a schema with {@link amounts}. */
export function checkAmounts<Edit extends Amounts>({
  dataset,
  addIssue,
}: v.RawCheckContext<Edit>): void {
  if (!dataset.typed) return;
  const fault = faultOf(dataset.value);
  if (!fault) return;
  const { message, field } = fault;
  addIssue({ message, ...(field && { path: pathTo(dataset.value, field) }) });
}

/** Returns the first fault of the amounts, with the field to name if it is one; undefined if there is none. */
function faultOf(edit: Amounts): { message: string; field?: keyof Amounts } | undefined {
  const [value, units] = [kindsOf(edit, 'value'), kindsOf(edit, 'units')];
  const kinds = [...value, ...units];
  if (edit.pct != null && kinds.length > 0) return { message: NOT_BOTH };
  if (value.length > 1 || units.length > 1) {
    return { message: kinds.includes('total') ? NOT_TWO_KINDS : NOT_TWICE };
  }
  if (edit.pct == null && kinds.length === 0) return { message: NOT_NEITHER };
  const way = waySpread(edit);
  const shape = shapeOf(edit);
  const kept = ROLES.map((role) => `${role}_total` as const).find((m) => edit[m] === KEEP_TOTAL);
  if (kept && !shape) return { message: NOT_KEPT, field: kept };
  if ((way ?? shape) !== null && (edit.pct != null || kinds.includes('pct'))) {
    return { message: NOT_SPREADABLE, field: 'spread' };
  }
  const changes = ROLES.every((role) => edit[`${role}_incr`] || edit[`${role}_total`] != null);
  if (way === 'price' && !changes) return { message: NOT_PRICED, field: 'spread' };
  return undefined;
}

const NOT_BOTH =
  'Send either pct, or for each measure an amount, a percentage or a total, not both';
const NOT_NEITHER =
  'Send pct, value_total, units_total, value_incr, units_incr, value_pct or units_pct';
const NOT_TWICE = 'Send an amount or a percentage for a measure, not both';
const NOT_TWO_KINDS = 'Send a total for a measure, or an amount or a percentage, only one of them';
const NOT_SPREADABLE =
  'only an amount can be spread equally, at a held price or by a shape, not a percentage';
const NOT_KEPT = 'the present total can only be kept with a shape in spread';
const NOT_PRICED =
  'to hold the price, send value_incr or value_total, and units_incr or units_total; an increment must not be 0';
