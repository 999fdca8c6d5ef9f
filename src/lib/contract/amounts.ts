/** The amounts of a scale: their fields, and which of them may be sent together. */
import * as v from 'valibot';
import type { SingleRole } from './columns';
import { SINGLE_ROLES } from './columns';
import { byColumn, isObject, number, pathTo, text } from './primitives';
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

const FurtherChange = v.object({
  incr: v.optional(
    v.nullable(v.pipe(number, v.description("Amount added to the measure's total"))),
  ),
  pct: v.optional(
    v.nullable(v.pipe(number, v.description("Percent of the measure's total to add to it"))),
  ),
  total: v.optional(
    v.nullable(v.pipe(total, v.description("What the measure's total becomes, like value_total"))),
  ),
});

/** Changes of further measures by column. */
const MeasureChanges = byColumn(FurtherChange);

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
    v.nullable(v.pipe(number, v.description('Percent of all measures; 10 is +10 %'))),
  ),
  measures: v.optional(
    v.nullable(
      v.pipe(
        MeasureChanges,
        v.description('Changes of further measures by column: incr, pct or total'),
      ),
    ),
  ),
  with: v.optional(
    v.nullable(
      v.pipe(
        v.array(text),
        v.minLength(1, 'must not be an empty list'),
        v.check((names) => new Set(names).size === names.length, 'names a column twice'),
        v.description('Further measures that change by the percentage of value, leaf by leaf'),
      ),
    ),
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

const KINDS = ['incr', 'pct', 'total'] as const;

/** A change of one measure. */
export interface MeasureChange {
  /** The value or units column, or the name of a further measure. */
  of: { role: SingleRole } | { name: string };
  kind: (typeof KINDS)[number];
  amount: number | typeof KEEP_TOTAL;
  /** Its path in the change. */
  field: string;
}

/** Returns the changes of single measures: of value, of units, then of the others as they are named. */
export function changesOf(edit: Amounts): MeasureChange[] {
  const ofColumn = SINGLE_ROLES.flatMap((role) =>
    KINDS.flatMap((kind): MeasureChange[] => {
      const amount = edit[`${role}_${kind}`];
      return amount == null ? [] : [{ of: { role }, kind, amount, field: `${role}_${kind}` }];
    }),
  );
  const ofFurther = Object.entries(edit.measures ?? {}).flatMap(([name, change]) =>
    KINDS.flatMap((kind): MeasureChange[] => {
      const amount = change[kind];
      return amount == null
        ? []
        : [{ of: { name }, kind, amount, field: `measures.${name}.${kind}` }];
    }),
  );
  return [...ofColumn, ...ofFurther];
}

/** Returns whether a change of a measure changes the value or the units column. */
const isOf = ({ of }: MeasureChange, role: SingleRole): boolean => 'role' in of && of.role === role;

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
  const changes = changesOf(edit);
  const kinds = changes.map(({ kind }) => kind);
  if (edit.pct != null && changes.length > 0) return { message: NOT_BOTH };
  const ofSingle = SINGLE_ROLES.map((role) => changes.filter((change) => isOf(change, role)));
  if (ofSingle.some(({ length }) => length > 1)) {
    return { message: kinds.includes('total') ? NOT_TWO_KINDS : NOT_TWICE };
  }
  const changed = Object.entries(edit.measures ?? {});
  const isOne = ([, change]: (typeof changed)[number]) =>
    KINDS.filter((kind) => change[kind] != null).length === 1;
  if (!changed.every(isOne)) return { message: NOT_ONE, field: 'measures' };
  if (edit.pct == null && changes.length === 0) return { message: NOT_NEITHER };
  const way = waySpread(edit);
  const shape = shapeOf(edit);
  const kept = changes.find(({ amount }) => amount === KEEP_TOTAL);
  if (kept && !shape) return { message: NOT_KEPT, field: fieldOf(kept) };
  if ((way ?? shape) !== null && (edit.pct != null || kinds.includes('pct'))) {
    return { message: NOT_SPREADABLE, field: 'spread' };
  }
  const isPriced = SINGLE_ROLES.every(
    (role) => edit[`${role}_incr`] || edit[`${role}_total`] != null,
  );
  if (way === 'price' && !isPriced) return { message: NOT_PRICED, field: 'spread' };
  const followed = followFault(edit, changes, shape !== null);
  return followed === undefined ? undefined : { message: followed, field: 'with' };
}

const fieldOf = ({ of }: MeasureChange): keyof Amounts =>
  'role' in of ? `${of.role}_total` : 'measures';

/** Returns the fault of `with`; undefined if there is none. */
function followFault(
  edit: Amounts,
  changes: readonly MeasureChange[],
  isShaped: boolean,
): string | undefined {
  if (!edit.with) return undefined;
  if (isShaped) return 'cannot be used with a shape in spread';
  if (!changes.some((change) => isOf(change, 'value'))) return NOT_FOLLOWED;
  const twice = edit.with.find((name) => Object.hasOwn(edit.measures ?? {}, name));
  return twice === undefined ? undefined : `"${twice}" has a change of its own in measures`;
}

const NOT_BOTH =
  'Send either pct, or for each measure an amount, a percentage or a total, not both';
const NOT_NEITHER =
  'Send pct, measures, value_total, units_total, value_incr, units_incr, value_pct or units_pct';
const NOT_ONE = 'needs one of incr, pct and total for each measure';
const NOT_FOLLOWED =
  'needs value_incr, value_pct or value_total, whose percentage the measures follow';
const NOT_TWICE = 'Send an amount or a percentage for a measure, not both';
const NOT_TWO_KINDS = 'Send a total for a measure, or an amount or a percentage, only one of them';
const NOT_SPREADABLE =
  'only an amount can be spread equally, at a held price or by a shape, not a percentage';
const NOT_KEPT = 'the present total can only be kept with a shape in spread';
const NOT_PRICED =
  'to hold the price, send value_incr or value_total, and units_incr or units_total; an increment must not be 0';
