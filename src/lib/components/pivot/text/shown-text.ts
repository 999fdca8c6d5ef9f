/** Formats what a cell of the plan shows. */
import type { Decimals } from '$lib/contract/decimals';
import { formulaOptions } from '$lib/pivot/values/column-format';
import { isFormula, type Shows } from '$lib/plan/selection/cell-reader';
import { formatAmount } from '../../format';
import { formatNumber } from '../../number-text';
import { priceText } from './price-text';

/**
 * Formats an amount of a measure, or the result of a formula; a dash for none.
 *
 * @param decimals those of the measure; of a price, those of the value
 */
export function shownText(shows: Shows | null, amount: number | null, decimals: Decimals): string {
  if (amount === null) return '–';
  if (!isFormula(shows)) return formatAmount(amount, decimals);
  const { format } = shows;
  return format ? formatNumber(amount, formulaOptions(format)) : priceText(amount, decimals);
}
