/** Amounts typed into conversions: the change of the measure that a conversion multiplies. */
import type { SlicePreview } from '../../contract/previews';
import { totalOf } from '../../contract/measures';
import { tidy } from '../../pivot/values/cell-value';
import type { MeasureDraft, MeasureEdit } from './scale-draft';

/** A conversion, and the key of the measure that it multiplies. */
export interface ConversionOf {
  name: string;
  key: string;
}

/** The rows behind a cell, as far as conversions need them. */
type ConvertedCell = Pick<SlicePreview, 'row_count' | 'conversions' | 'free'>;

/**
 * Returns the conversion of some rows, and that of the rows that can change per unit of the measure; null if one of
 * these is unknown, or if the rows that can change add up to 0.
 */
function conversionOf(
  { name, key }: ConversionOf,
  { conversions, free }: ConvertedCell,
): { now: number; rate: number } | null {
  const now = conversions?.[name]?.total;
  const [converted, amount] = [free.conversions?.[name]?.total, totalOf(free, key)];
  return now !== undefined && converted && amount ? { now, rate: converted / amount } : null;
}

/** Returns how many amounts of some rows have no rate; null if the conversion cannot be computed now. */
export const missingRates = (
  { name }: Pick<ConversionOf, 'name'>,
  rows: Pick<ConvertedCell, 'conversions'>,
): number | null => rows.conversions?.[name]?.missing ?? null;

/**
 * Returns the edit of the measure that gives a conversion the typed amount. All free rows change by one percentage, so
 * rates stay and the conversion changes by the same percentage of its own. Null if no change of the measure does.
 */
export function editOfMeasure(
  conversion: ConversionOf,
  { by, amount }: MeasureEdit,
  rows: ConvertedCell,
): MeasureEdit | null {
  const converted = conversionOf(conversion, rows);
  if (!converted) return null;
  const { now, rate } = converted;
  // Without held rows, the measure changes by the same percentage.
  if (by === 'percent' && rows.free.row_count === rows.row_count) return { by, amount };
  const change = by === 'total' ? amount - now : by === 'percent' ? (now * amount) / 100 : amount;
  return { by: 'change', amount: tidy(change / rate) };
}

/**
 * Returns a conversion before and after its measure changes; null if it cannot be computed.
 *
 * @param draft the measure before and after, rounded to its decimals
 */
export function conversionDraft(
  conversion: ConversionOf,
  draft: MeasureDraft,
  rows: ConvertedCell,
): MeasureDraft | null {
  const converted = conversionOf(conversion, rows);
  if (!converted) return null;
  const { now, rate } = converted;
  const change = tidy(draft.change * rate);
  const percent = now === 0 ? null : tidy((change / now) * 100);
  return { now, total: tidy(now + change), change, percent };
}
