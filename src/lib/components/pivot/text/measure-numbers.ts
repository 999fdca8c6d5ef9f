/** How the numbers of a measure are typed into forms, and written. */
import type { Fields } from '$lib/plan/arrangement/fields.svelte';
import { formatNumber } from '../../number-text';

/** How many decimals of a number are typed and written. */
export const MOST_DECIMALS = 12;

/** The numbers of a measure. A percentage is a fraction that is typed in percent. */
export interface MeasureNumbers {
  isPercent: boolean;
  /** Returns the number to type for a stored one. */
  typed(stored: number): number;
  /** Returns the number to store for a typed one. */
  stored(typed: number): number;
  /** Writes a stored number: 1,000 or -5%. */
  text(stored: number): string;
}

/** Returns how the numbers of a measure are typed and written, by the format in which the pivot shows them. */
export function measureNumbers(fields: Pick<Fields, 'isPercent'>, measure: string): MeasureNumbers {
  const isPercent = fields.isPercent(measure);
  const scale = isPercent ? 100 : 1;
  // A product of doubles has more digits than the number that was typed.
  const tidied = (number: number) => Number(number.toPrecision(15));
  return {
    isPercent,
    typed: (stored) => tidied(stored * scale),
    stored: (typed) => tidied(typed / scale),
    text: (stored) =>
      formatNumber(stored, {
        ...(isPercent && { style: 'percent' }),
        maximumFractionDigits: MOST_DECIMALS,
      }),
  };
}
