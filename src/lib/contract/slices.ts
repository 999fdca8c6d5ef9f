/** Slices: the rows of a version that an operation, a lock or a question is about. */
import * as v from 'valibot';
import { atMost, byColumn, MOST_VALUES, scalar, text } from './primitives';
import { orUnusable, UnusableValue } from './unusable';

/** The labels of the empty value and of the empty text. */
export const EMPTY_LABEL = '(empty)';
export const BLANK_LABEL = '(blank)';

/** A range of days, both ends included, as ISO text; one end may be missing. */
const DateRange = v.pipe(
  v.strictObject({ from: v.optional(text), to: v.optional(text) }),
  v.check(({ from, to }) => from !== undefined || to !== undefined, 'needs from or to'),
);
export type DateRange = v.InferOutput<typeof DateRange>;

const values = v.pipe(v.array(v.nullable(scalar)), v.minLength(1, 'must not be an empty list'));

/** @param list the schema of a list of values: as requested, or as stored */
const sliceValueWith = (list: v.GenericSchema<v.InferInput<typeof values>>) =>
  v.union(
    [scalar, v.null(), list, DateRange],
    'must be a value, null, a list of those that is not empty, or a range of dates such as {"from": "2027-01-01", "to": "2027-03-31"}',
  );
const sliceValue = sliceValueWith(values);
const askedValue = sliceValueWith(v.pipe(values, atMost(MOST_VALUES)));

/**
 * Selects the rows of a cell: column → value. A value is a scalar, null (the column IS NULL), an array of
 * those (any of them), or for a date column a range of days. `{}` is the whole version
 * (docs/contract/05-operations.md#slices).
 */
export const Slice = byColumn(sliceValue);
export type Slice = v.InferOutput<typeof Slice>;

/**
 * The slice of a request. A key that is not a column may have any value, and the schema does not know the
 * columns. A value that no column can have becomes an {@link UnusableValue}, which is refused later if the
 * key is a column.
 */
export const AskedSlice = byColumn(orUnusable(askedValue), askedValue);
export type AskedSlice = v.InferOutput<typeof AskedSlice>;

/** Returns a slice without its unusable values. */
export const usableSlice = (slice: AskedSlice): Slice =>
  Object.fromEntries(
    Object.entries(slice).flatMap(([name, value]) =>
      value instanceof UnusableValue ? [] : [[name, value]],
    ),
  );

/** Returns whether a slice is all rows: it names no column. */
export const isWhole = (slice: AskedSlice): boolean => Object.keys(slice).length === 0;

/** Returns whether a value of a slice is a range of days. */
export const isDateRange = (value: AskedSlice[string]): value is DateRange =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  !(value instanceof UnusableValue);
