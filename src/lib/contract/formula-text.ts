/** Protects texts that a spreadsheet would run as formulas. */

/** The values of the parameter `formulas` of a read as CSV. */
export const FORMULAS = ['protected'] as const;

/** The beginning of a formula, also in the wide forms that Japanese spreadsheets take. */
const FORMULA = /^'*[\t\r\n]*[=+\-@＝＋－＠]/;
const PROTECTED = /^'+[\t\r\n]*[=+\-@＝＋－＠]/;
/** A number as spreadsheets write it, which is none: `-1,204.50`, `+5 %`. */
const NUMBER = /^[-+]?[\d.,'’\s]*\d(?:e[-+]?\d+)?\s?%?$/i;

/**
 * Puts an apostrophe before a text that begins like a formula, so that a spreadsheet takes it as a text. Numbers stay
 * as they are.
 */
export const protectedText = (text: string): string =>
  FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;

/** Takes the apostrophe of {@link protectedText} away. */
export const unprotectedText = (text: string): string =>
  PROTECTED.test(text) ? text.slice(1) : text;
