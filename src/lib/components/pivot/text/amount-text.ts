/** Texts of amounts: what a cell of the plan shows, prices, and measures before and after. */
import type { Decimals } from '$lib/contract/decimals';
import { formulaOptions, priceDecimals } from '$lib/pivot/values/column-format';
import { isFormula, isPrice, type Shows } from '$lib/plan/selection/cell-reader';
import type { Way } from '$lib/plan/typing/typed-amounts';
import type { PlannedVersion } from '$lib/plan/version/planned-version.svelte';
import { formatAmount, formatTotal } from '../../format';
import { formatNumber } from '../../number-text';
import { beforeAfterText } from './entry-text';

/**
 * Formats an amount of a measure or a conversion, or the result of a formula; a dash for none.
 *
 * @param decimals those of the measure; of a price, those of the value; of a conversion, those of its measure
 */
export function shownText(shows: Shows | null, amount: number | null, decimals: Decimals): string {
  if (amount === null) return '–';
  if (!isFormula(shows)) return formatAmount(amount, decimals);
  const { format } = shows;
  if (format) return formatNumber(amount, formulaOptions(format));
  return isPrice(shows) ? priceText(amount, decimals) : formatAmount(amount, decimals);
}

/**
 * Formats a price with the decimals of the value, at least 2; a price below 1 with 4. A dash if there are no
 * units.
 */
export function priceText(price: number | null, value: Decimals): string {
  const { least, most } = priceDecimals(value);
  const isSmall = price !== null && Math.abs(price) < 1 && price !== 0;
  return formatTotal(price, { least, most: isSmall ? Math.max(4, most) : most });
}

/** Returns a measure before and after: "1,000.00 → 1,076.92". */
export const wayText = ({ changes, draft }: Way, planned: PlannedVersion): string =>
  draft ? beforeAfterText(draft.now, draft.total, planned.decimalsIn(changes)) : 'no solution';
