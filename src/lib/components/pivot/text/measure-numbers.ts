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

/** The fault of a number that is missing or cannot be read. */
export const NO_NUMBER = 'Enter a number.';

/** Whether a field has a number: neither nothing nor a text that cannot be read. */
export const isTyped = (number: number | null): number is number =>
  number !== null && Number.isFinite(number);

/** Returns a typed range; a sentence if one of its numbers is missing, or if they are in the wrong order. */
export function typedRange(
  from: number | null,
  to: number | null,
): { from: number; to: number } | string {
  if (!isTyped(from)) return NO_NUMBER;
  if (!isTyped(to)) return 'Enter both numbers.';
  return to < from ? 'The second number must not be below the first.' : { from, to };
}
