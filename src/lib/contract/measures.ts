/**
 * The names of measures in requests and answers. Elsewhere, a measure is one of a list, and known by its key: `value`,
 * `units`, or its column.
 */
import { type ByMeasure, isSingleRole, SINGLE_ROLES } from './columns';
import type { ScaleEdit } from './operations';
import type { SlicePreview } from './previews';
import type { Totals } from './primitives';

/** Something of each measure as requests and answers have it: of value and units, and of the others by column. */
interface Figures<Of> {
  value?: Of | null | undefined;
  units?: Of | null | undefined;
  measures?: ByMeasure<Of | null> | undefined;
}

/** The totals of some rows. */
export type Measured = Omit<Totals, 'row_count'>;

/** The numbers of decimals of the measures of some rows, if they are known. */
export type WithDecimals = Partial<
  Pick<SlicePreview, 'value_decimals' | 'units_decimals' | 'measure_decimals'>
>;

/** The absolute amounts of some rows or leaves, added up. */
type Gross = Pick<SlicePreview['free'], 'value_gross' | 'units_gross' | 'measure_gross'>;

/** The fields of a scale that hold its amounts. */
export type AmountFields = Pick<
  ScaleEdit,
  | 'value_incr'
  | 'units_incr'
  | 'value_pct'
  | 'units_pct'
  | 'value_total'
  | 'units_total'
  | 'pct'
  | 'measures'
  | 'with'
  | 'spread'
  | 'keep'
>;

/** Returns the figure of a measure; null if there is none. */
export const figureOf = <Of>({ measures, ...single }: Figures<Of>, key: string): Of | null =>
  (isSingleRole(key) ? single[key] : measures?.[key]) ?? null;

/** Returns the total of a measure; null if there is none. */
export const totalOf = ({ value_total, units_total, measures }: Measured, key: string) =>
  figureOf({ value: value_total, units: units_total, measures }, key);

/** Returns the decimals that a measure of some rows is rounded to; null if it is not rounded, or unknown. */
export const roundedTo = (rows: WithDecimals, key: string): number | null => {
  const { value_decimals: value, units_decimals: units, measure_decimals: measures } = rows;
  return figureOf({ value, units, measures }, key);
};

/** Returns the absolute amounts of some rows, added up; null for leaves that do not cancel each other out. */
export const grossIn = (free: Gross, key: string): number | null => {
  const { value_gross: value, units_gross: units, measure_gross: measures } = free;
  return figureOf({ value, units, measures }, key);
};

/** Returns the keys of the measures that some rows have: value and units first. */
export const keysIn = (totals: Measured): string[] => [
  ...SINGLE_ROLES.filter((role) => totals[`${role}_total`] !== null),
  ...Object.keys(totals.measures ?? {}),
];

/** Returns figures as answers have them: null without value or units, and no `measures` without others. */
export function figuresOf<Of>(figures: Iterable<readonly [key: string, figure: Of]>): {
  value: Of | null;
  units: Of | null;
  measures?: Record<string, Of>;
} {
  const all = new Map(figures);
  const others = [...all].filter(([key]) => !isSingleRole(key));
  return {
    ...{ value: all.get('value') ?? null, units: all.get('units') ?? null },
    ...(others.length > 0 && { measures: Object.fromEntries(others) }),
  };
}

/** Returns {@link figuresOf} with a figure computed from the key of each measure. */
export const figuresBy = <Of>(keys: readonly string[], of: (key: string) => Of) =>
  figuresOf(keys.map((key) => [key, of(key)] as const));

/** Returns totals as answers have them. */
export function totalsBy<Of>(
  keys: readonly string[],
  of: (key: string) => Of,
): { value_total: Of | null; units_total: Of | null; measures?: Record<string, Of> } {
  const { value, units, ...others } = figuresBy(keys, of);
  return { value_total: value, units_total: units, ...others };
}

/** Returns the keys of something by measure: value and units first. */
export const keysOf = (by: ByMeasure<unknown>): string[] => {
  const keys = Object.keys(by);
  return [
    ...SINGLE_ROLES.filter((role) => role in by),
    ...keys.filter((key) => !isSingleRole(key)),
  ];
};

/** Returns something of each measure by its key. */
export const byKey = <Of>(keys: readonly string[], of: (key: string) => Of): ByMeasure<Of> =>
  Object.fromEntries(keys.map((key) => [key, of(key)]));

/** Returns the amount of a measure as a field of a scale. */
export const amountField = (
  key: string,
  kind: 'incr' | 'pct' | 'total',
  amount: number | 'keep',
): AmountFields =>
  isSingleRole(key) ? { [`${key}_${kind}`]: amount } : { measures: { [key]: { [kind]: amount } } };

/** Returns the path of the field of a measure in a scale. */
export const fieldName = (key: string, kind: 'incr' | 'pct' | 'total'): string =>
  isSingleRole(key) ? `${key}_${kind}` : `measures.${key}.${kind}`;

/** Returns the field of a measure in a scale; undefined if it has none. */
export const fieldIn = <Kind extends 'incr' | 'pct' | 'total'>(
  amounts: AmountFields,
  key: string,
  kind: Kind,
) => (isSingleRole(key) ? amounts[`${key}_${kind}`] : amounts.measures?.[key]?.[kind]);

/** Returns the increment of a measure in the amounts of a scale; 0 if there is none. */
export const incrementIn = (amounts: AmountFields, key: string): number =>
  fieldIn(amounts, key, 'incr') ?? 0;

/** Returns the amounts of several measures as one scale; null if there are none. */
export function joinedAmounts(parts: readonly (AmountFields | null)[]): AmountFields | null {
  const amounts = parts.filter((part) => part !== null);
  const measures = Object.assign({}, ...amounts.map((part) => part.measures));
  const joined: AmountFields = Object.assign({}, ...amounts);
  if (Object.keys(measures).length > 0) joined.measures = measures;
  return Object.keys(joined).length > 0 ? joined : null;
}
