/** Reads numbers as spreadsheets, SAP and web pages copy them. */
import { isHeld } from '../../contract/decimals';
import {
  COMMON_WORDS,
  type DecimalSign,
  exactText,
  isDash,
  plainNotation,
  readNotation,
  type ScaleWords,
} from '../../numbers/notation';
import { TOO_LARGE } from '../amounts/refusals';

/** A number, or why it cannot be written. */
type PastedNumber = { value: number; problem?: undefined } | { problem: string };

/** Texts in place of a number: formulas, their errors, and signs of a missing one. They are never labels. */
const IN_PLACE = /^([=#*/+].*|n\.?\/?\s?a\.?|k\.\s?a\.|nan|null|none|-+|\?+|\.{2,}|…)$/i;

/** Whether a text that is no number is in the place of one, such as `n/a`, a formula or its error. */
export const isInPlace = (text: string): boolean => IN_PLACE.test(plainNotation(text));

/** Whether a text that is a number has a percent sign. */
export const isPercentage = (text: string): boolean => plainNotation(text).includes('%');

/**
 * Parses a number with a sign on either side or in brackets, a unit, a percent sign, a word for thousands or millions
 * and separators between groups of digits: 1,204.50, 1 204.50, 1'204.50 or 1,00,000 with a decimal point, 1.204,50,
 * 1 204,50 or 1'204,50 with a comma. `5%` is 0.05, and an accounting dash is 0. Null if it is not a number.
 */
export function readPastedNumber(
  text: string,
  decimal: DecimalSign,
  words: ScaleWords = COMMON_WORDS,
): PastedNumber | null {
  if (isDash(text)) return { value: 0 };
  const read = readNotation(text, { decimal, words });
  if (read === null) return null;
  const exact = exactText(read);
  const value = Number(exact);
  if (!Number.isFinite(value)) return null;
  if (!isHeld(exact, value)) return { problem: TOO_LARGE };
  return { value: value === 0 ? 0 : value };
}
