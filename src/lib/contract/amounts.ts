/** The amounts of a scale: their fields, and which of them may be sent together. */
import * as v from 'valibot';
import { number } from './primitives';

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
  pct: v.optional(
    v.nullable(v.pipe(number, v.description('Percent of both measures; 10 is +10 %'))),
  ),
  spread: v.optional(
    v.nullable(
      v.pipe(
        v.picklist(['proportional', 'equal', 'price']),
        v.description(
          'How an increment is spread over the leaves of the slice; proportional by default. With price, value is spread like units, so that each leaf keeps its price',
        ),
      ),
    ),
  ),
};
type Amounts = v.InferOutput<v.ObjectSchema<typeof amounts, undefined>>;

/** Returns how an increment is spread over the leaves; null for in proportion. */
export const waySpread = ({ spread }: Pick<Amounts, 'spread'>): 'equal' | 'price' | null =>
  spread === 'equal' || spread === 'price' ? spread : null;

const asksForPercent = ({ pct, value_pct, units_pct }: Amounts): boolean =>
  pct != null || value_pct != null || units_pct != null;
const asksForOneMeasure = ({ value_incr, units_incr, value_pct, units_pct }: Amounts): boolean =>
  value_incr != null || units_incr != null || value_pct != null || units_pct != null;
export const isNotBoth = (edit: Amounts): boolean => edit.pct == null || !asksForOneMeasure(edit);
export const isNotTwice = (edit: Amounts): boolean =>
  (edit.value_incr == null || edit.value_pct == null) &&
  (edit.units_incr == null || edit.units_pct == null);
export const isNotNeither = (edit: Amounts): boolean => edit.pct != null || asksForOneMeasure(edit);
export const isSpreadable = (edit: Amounts): boolean =>
  !asksForPercent(edit) || waySpread(edit) === null;
export const isPriced = ({ value_incr, units_incr, spread }: Amounts): boolean =>
  spread !== 'price' || (!!value_incr && !!units_incr);

export const NOT_BOTH = 'Send either pct, or for each measure an amount or a percentage, not both';
export const NOT_NEITHER = 'Send pct, or value_incr, units_incr, value_pct or units_pct';
export const NOT_TWICE = 'Send an amount or a percentage for a measure, not both';
export const NOT_SPREADABLE =
  'only an amount can be spread equally or at a held price, not a percentage';
export const NOT_PRICED =
  'to hold the price, send both value_incr and units_incr, neither of them 0';
