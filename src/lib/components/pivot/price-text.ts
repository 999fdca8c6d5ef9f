import { formatNumber } from '../number-text';

/** A price: to the cent, small ones with more digits; a dash if there are no units. */
export function priceText(price: number | null): string {
  if (price === null) return '–';
  const small = Math.abs(price) < 1 && price !== 0;
  return formatNumber(price, {
    minimumFractionDigits: 2,
    maximumFractionDigits: small ? 4 : 2,
  });
}
