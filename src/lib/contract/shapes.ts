/** Shapes: how a scale is parted over periods, or over other groups of rows, by weights. */
import * as v from 'valibot';
import { atMost, byColumn, number, pathTo, text } from './primitives';
import { AskedSlice, Slice } from './slices';

/** Maximum number of groups that a shape can have. */
export const MOST_GROUPS = 10_000;

export const PeriodUnit = v.picklist(['day', 'week', 'month', 'quarter', 'year']);
/** A unit of time by which dates are grouped; a week begins on Monday. */
export type PeriodUnit = v.InferOutput<typeof PeriodUnit>;

const yes = v.optional(v.literal(true, 'must be true, or left out'));

/** A weight of a period. */
export const weight = v.pipe(number, v.minValue(0, 'must be 0 or more'));

/** Weights of the periods of a date column. */
const Profile = v.pipe(
  v.strictObject({
    column: v.pipe(text, v.description('A date column')),
    unit: PeriodUnit,
    weights: v.optional(
      v.pipe(
        v.record(text, weight),
        v.maxEntries(MOST_GROUPS, `must be at most ${MOST_GROUPS}`),
        v.check((weights) => Object.values(weights).some(Boolean), 'must have one above 0'),
        v.description('First day of each period → weight'),
      ),
    ),
    even: v.pipe(yes, v.description('The same weight for each period of the slice')),
    days: v.pipe(
      yes,
      v.description('The number of days of each period, without those outside of the slice'),
    ),
  }),
  v.check(
    ({ weights, even, days }) =>
      [weights, even, days].filter((of) => of !== undefined).length === 1,
    'needs one of weights, even and days',
  ),
);
export type Profile = v.InferOutput<typeof Profile>;

/** The dimensions and dates that group rows. */
const groupingColumns = v.pipe(
  v.array(text),
  v.minLength(1, 'must not be an empty list'),
  v.check((by) => new Set(by).size === by.length, 'names a column twice'),
  v.description('The dimensions and dates that group them'),
);
const groupingUnit = v.optional(v.pipe(PeriodUnit, v.description('Required if by names a date')));

/** How a preview of a slice groups its rows. */
export const grouping = { by: v.optional(groupingColumns), unit: groupingUnit };
/** Columns that group rows, and the unit of the dates among them. */
export interface Grouped {
  by: readonly string[];
  unit?: PeriodUnit | undefined;
}

/** The amounts of other rows as weights. @param slice the schema of their slice */
const likeWith = <const Of extends typeof Slice | typeof AskedSlice>(slice: Of) =>
  v.strictObject({
    slice: v.pipe(slice, v.description('The rows whose sums are the weights')),
    by: groupingColumns,
    unit: groupingUnit,
    origins: v.optional(
      v.pipe(
        v.array(text),
        v.minLength(1, 'must not be an empty list'),
        v.description('Their pf_iter; by default those that operations see'),
      ),
    ),
    version_id: v.optional(
      v.pipe(
        number,
        v.integer(),
        v.minValue(1),
        v.maxValue(2_147_483_647),
        v.description('Their version, of the same source; by default the version itself'),
      ),
    ),
    date_offset: v.optional(
      v.pipe(text, v.description('An interval that their dates are moved by before grouping')),
    ),
    measure: v.optional(
      v.pipe(
        text,
        v.description(
          'The measure whose sums are the weights of all measures: value, units or the column of a further measure; by default each has its own',
        ),
      ),
    ),
  });
export type Like = v.InferOutput<ReturnType<typeof likeWith<typeof AskedSlice>>>;

/** A decimal number as text, which keeps its digits. */
const decimal = v.pipe(text, v.regex(/^-?\d+(\.\d+)?(e[+-]?\d{1,3})?$/i, 'must be a number'));

const WeightedGroup = v.strictObject({
  group: v.pipe(
    v.array(v.nullable(text)),
    v.description('Its values in the order of the columns; of a date, the first day of the period'),
  ),
  value: v.optional(decimal),
  units: v.optional(decimal),
  measures: v.optional(byColumn(decimal)),
});
/** A group of rows, and its weight for each measure as decimal text. */
export type WeightedGroup = v.InferOutput<typeof WeightedGroup>;

/** @param slice the schema of a slice: as requested, or as stored */
const shapeWith = <const Of extends typeof Slice | typeof AskedSlice>(slice: Of) =>
  v.pipe(
    v.strictObject({
      profile: v.optional(Profile),
      like: v.optional(likeWith(slice)),
      missing: v.optional(
        v.pipe(
          v.picklist(['leave_out']),
          v.description('Leaves out groups that have a weight, but no row in the slice'),
        ),
      ),
      resolved: v.optional(
        v.pipe(
          v.array(WeightedGroup),
          atMost(MOST_GROUPS),
          v.description(
            'The weights as stored in the log; with them, profile or like is not evaluated',
          ),
        ),
      ),
    }),
    v.rawCheck(({ dataset, addIssue }) => {
      if (!dataset.typed) return;
      const { profile, like } = dataset.value;
      if (profile && like) {
        addIssue({ message: 'must be left out', path: pathTo(dataset.value, 'like') });
      } else if (!profile && !like) {
        addIssue({ message: 'or like is needed', path: pathTo(dataset.value, 'profile') });
      }
    }),
  );

/**
 * A spread that parts the amount of a scale over groups of rows
 * (docs/contract/14-what-the-operations-compute.md#shapes).
 */
export const Shape = shapeWith(AskedSlice);
export type Shape = v.InferOutput<typeof Shape>;

/** A shape in the log, with the weights that were used. */
export const StoredShape = shapeWith(Slice);
export type StoredShape = v.InferOutput<typeof StoredShape>;
