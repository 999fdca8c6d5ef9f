/** Where a recode or clone moves its slice to: values that are set, dates that are shifted, and how much moves. */
import * as v from 'valibot';
import { atMost, byColumn, number, pathTo, scalar, text } from './primitives';

/** The values that a recode or clone sets: column → scalar or null. Dates are ISO text. */
export const SetClause = byColumn(v.nullable(scalar));
export type SetClause = v.InferOutput<typeof SetClause>;

/** The intervals by which a recode or clone moves dates: date column → interval such as `3 months`. */
export const Shift = byColumn(text);
export type Shift = v.InferOutput<typeof Shift>;

export const movement = {
  set: v.pipe(
    v.optional(SetClause),
    v.description('New values of dimensions and dates; may be left out if there is a shift'),
  ),
  shift: v.optional(
    v.nullable(
      v.pipe(
        Shift,
        v.description('Intervals that dates are moved by, such as {"Order Date": "3 months"}'),
      ),
    ),
  ),
};
type Movement = v.InferOutput<v.ObjectSchema<typeof movement, undefined>>;

/** Requires a `set`, a `shift` or both, for different columns. It is a check of a schema with {@link movement}. */
export function checkMovement<Request extends Movement>({
  dataset,
  addIssue,
}: v.RawCheckContext<Request>): void {
  if (!dataset.typed) return;
  const { set, shift } = dataset.value;
  if (set === undefined && shift == null) {
    addIssue({ message: 'is missing', received: 'undefined', path: pathTo(dataset.value, 'set') });
  }
  const twice = Object.keys(shift ?? {}).find((name) => Object.hasOwn(set ?? {}, name));
  if (twice !== undefined) {
    addIssue({
      message: `"${twice}" can be set or shifted, not both`,
      path: pathTo(dataset.value, 'shift'),
    });
  }
}

/** The share of each leaf that a recode moves. */
export const share = v.pipe(
  number,
  v.check((factor) => factor > 0 && factor <= 1, 'must be above 0 and at most 1'),
  v.description('Share of each leaf that moves, above 0 and at most 1; 1 by default'),
);

/** The factor of a clone for some days, both ends included; one end may be missing. */
export const Factor = v.pipe(
  v.strictObject({ from: v.optional(text), to: v.optional(text), factor: number }),
  v.check(({ from, to }) => from !== undefined || to !== undefined, 'needs from or to'),
);
export type Factor = v.InferOutput<typeof Factor>;

const MOST_FACTORS = 1000;

export const factors = v.pipe(
  v.array(Factor),
  v.minLength(1, 'must not be an empty list'),
  atMost(MOST_FACTORS),
  v.description('Factors by the date of the copy, in place of scale_factor for these days'),
);
