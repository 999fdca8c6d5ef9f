/** Formats prices. */
import type { Decimals } from '$lib/contract/decimals';
import { priceDecimals } from '$lib/pivot/values/column-format';
import { formatTotal } from '../../format';

/**
 * Formats a price with the decimals of the value, at least 2; a price below 1 with 4. A dash if there are no
 * units.
 */
export function priceText(price: number | null, value: Decimals): string {
  const { least, most } = priceDecimals(value);
  const isSmall = price !== null && Math.abs(price) < 1 && price !== 0;
  return formatTotal(price, { least, most: isSmall ? Math.max(4, most) : most });
}
