/** Totals, decimals and amounts of measures by key: `value`, `units`, or the column of a further measure. */
import { isSingleRole } from './columns';
import type { ScaleEdit } from './operations';
import type { SlicePreview } from './previews';
import type { Totals } from './primitives';

/** The totals of some rows; `measures` is absent without further measures. */
export type Measured = Pick<SlicePreview, 'value_total' | 'units_total' | 'measures'>;

/** Returns the total of a measure; null if there is none. @param key `value`, `units` or the column of a further measure */
export const totalOf = (totals: Omit<Totals, 'row_count'>, key: string): number | null =>
  isSingleRole(key) ? totals[`${key}_total`] : (totals.measures?.[key] ?? null);

/** The numbers of decimals of the measures of some rows, if they are known. */
type WithDecimals = Partial<
  Pick<SlicePreview, 'value_decimals' | 'units_decimals' | 'measure_decimals'>
>;

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

/** Returns the decimals that a measure of some rows is rounded to; null if it is not rounded, or unknown. */
export const roundedTo = (rows: WithDecimals, key: string): number | null =>
  (isSingleRole(key) ? rows[`${key}_decimals`] : rows.measure_decimals?.[key]) ?? null;

/** The absolute amounts of some rows or leaves, added up. */
type Gross = Pick<SlicePreview['free'], 'value_gross' | 'units_gross' | 'measure_gross'>;

/** Returns the absolute amounts of some rows, added up; null for leaves that do not cancel each other out. */
export const grossIn = (free: Gross, key: string): number | null =>
  (isSingleRole(key) ? free[`${key}_gross`] : free.measure_gross?.[key]) ?? null;

/** Returns the keys of the measures that some rows have: value and units first. */
export const keysIn = (totals: Measured): string[] => [
  ...(['value', 'units'] as const).filter((role) => totals[`${role}_total`] !== null),
  ...Object.keys(totals.measures ?? {}),
];

/** Amounts of the measures; 0 for one that does not change, and `further` is absent without further measures. */
export interface MeasureAmounts {
  value: number;
  units: number;
  further?: Readonly<Record<string, number>>;
}

/** Returns the amount of a measure; 0 if there is none. */
export const amountIn = (amounts: MeasureAmounts, key: string): number =>
  (isSingleRole(key) ? amounts[key] : amounts.further?.[key]) ?? 0;

/** Returns amounts by measure. @param keys of the measures that the source has */
export const amountsBy = (
  keys: readonly string[],
  amountOf: (key: string) => number,
): MeasureAmounts => {
  const further = keys.filter((key) => !isSingleRole(key));
  return {
    ...{ value: amountOf('value'), units: amountOf('units') },
    ...(further.length > 0 && {
      further: Object.fromEntries(further.map((key) => [key, amountOf(key)])),
    }),
  };
};

/** Returns the amount of a measure as a field of a scale. */
export const amountField = (
  key: string,
  kind: 'incr' | 'pct' | 'total',
  amount: number | 'keep',
): AmountFields =>
  isSingleRole(key) ? { [`${key}_${kind}`]: amount } : { measures: { [key]: { [kind]: amount } } };

/** Returns the increment of a measure in the amounts of a scale; 0 if there is none. */
export const incrementIn = (amounts: AmountFields, key: string): number =>
  (isSingleRole(key) ? amounts[`${key}_incr`] : amounts.measures?.[key]?.incr) ?? 0;

/** Returns the amounts of several measures as one scale; null if there are none. */
export function joinedAmounts(parts: readonly (AmountFields | null)[]): AmountFields | null {
  const amounts = parts.filter((part) => part !== null);
  const measures = Object.assign({}, ...amounts.map((part) => part.measures));
  const joined: AmountFields = Object.assign({}, ...amounts);
  if (Object.keys(measures).length > 0) joined.measures = measures;
  return Object.keys(joined).length > 0 ? joined : null;
}
