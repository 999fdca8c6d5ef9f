/** Reads numbers as spreadsheets, SAP and web pages copy them. */
import { CURRENCY_CODES } from '../../contract/currencies';
import { isHeld } from '../../contract/decimals';
import { TOO_LARGE } from '../amounts/refusals';

/** The separators between groups of digits and before the fraction. */
export interface NumberMarks {
  group: string;
  decimal: string;
}

export type DecimalSign = '.' | ',';

/** A number, or why it cannot be written. */
type PastedNumber = { value: number; problem?: undefined } | { problem: string };

/** Maximum length of the text of a number. */
const LONGEST = 100;

/** Characters that mark the direction of text, or are invisible. */
const INVISIBLE = /[\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g;
const MINUS = /[\u2010-\u2015\u2212\ufe63]/g;
const APOSTROPHE = /[\u2018\u2019\u00b4`]/g;

/** Codes and signs of currencies before or after a number. */
const CURRENCY =
  '[A-Z]{0,2}\\p{Sc}|S?Fr\\.?|[Kk]r\\.?|zł|Kč|Ft|lei|лв\\.?|руб\\.?|Rs\\.?|R|' +
  CURRENCY_CODES.join('|');
const CURRENCY_BEFORE = new RegExp(`^(?:${CURRENCY})(?=[\\s\\d.,+(-]|$)`, 'u');
const CURRENCY_AFTER = new RegExp(`(?<=[\\s\\d.,)+-]|^)(?:${CURRENCY})$`, 'u');

/** Powers of a thousand of the suffixes. */
const THOUSANDS: Readonly<Record<string, number>> = { k: 1, m: 2, b: 3 };

/** Texts in place of a number: formulas, their errors, and signs of a missing one. They are never labels. */
const IN_PLACE = /^([=#*/+].*|n\.?\/?\s?a\.?|k\.\s?a\.|nan|null|none|-+|\?+|\.{2,}|…)$/i;

/** Converts full-width digits and signs, as Japanese keyboards type them, to half width. */
export function halfWidth(text: string): string {
  return text.replace(/[％（-９＝]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0));
}

/** Returns a text with one kind of blank, minus and apostrophe, and without invisible characters. */
export const plainPasted = (text: string): string =>
  halfWidth(text)
    .replace(INVISIBLE, '')
    .replace(/\s+/g, ' ')
    .replace(MINUS, '-')
    .replace(APOSTROPHE, "'")
    .trim();

/** Whether a text that is no number is in the place of one, such as `n/a`, a formula or its error. */
export const isInPlace = (text: string): boolean => IN_PLACE.test(plainPasted(text));

/** Whether a text is the dash that accounting formats write for 0, also with a currency: `- €`. */
export const isDash = (text: string): boolean => {
  if (text.length > LONGEST) return false;
  const { rest, signs, percents } = unwrapped(plainPasted(text));
  return rest === '' && signs === 1 && percents === 0 && !text.includes('+') && !text.includes('(');
};

/**
 * Parses a number with a sign on either side or in brackets, a currency, a percent sign and separators between
 * groups of digits: 1,204.50, 1 204.50, 1'204.50 or 1,00,000 with a decimal point, 1.204,50, 1 204,50 or
 * 1'204,50 with a comma. `5%` is 0.05, an accounting dash is 0, and `k`, `m` and `b` are thousands, millions
 * and billions. Null if it is not a number.
 */
export function readPastedNumber(text: string, decimal: DecimalSign): PastedNumber | null {
  if (text.length > LONGEST) return null;
  if (isDash(text)) return { value: 0 };
  // Swiss prices end in a dash: 1'204.–
  const typed = plainPasted(text).replace(/(?<=\d)[.,]-{1,2}(?=\s?\D*$)/, '');
  const { rest, signs, isNegative, percents, currencies } = unwrapped(typed);
  if (signs > 1 || percents > 1 || currencies > 1) return null;
  const thousands = THOUSANDS[rest.slice(-1).toLowerCase()] ?? 0;
  const digits = inPlainDigits(thousands > 0 ? rest.slice(0, -1).trimEnd() : rest, decimal);
  const places = 3 * thousands - 2 * percents;
  if (digits === null || (places !== 0 && /e/i.test(digits))) return null;
  const exact = places === 0 ? digits : `${digits}e${places}`;
  const size = Number(exact);
  if (!Number.isFinite(size)) return null;
  if (!isHeld(exact, size)) return { problem: TOO_LARGE };
  return { value: isNegative && size !== 0 ? -size : size };
}

/** Removes the signs, brackets, currency and percent sign around the digits of a number. */
function unwrapped(text: string) {
  let [rest, signs, percents, currencies] = [text, 0, 0, 0];
  let isNegative = false;
  for (;;) {
    const before = rest;
    const inBrackets = /^\((.*)\)$/.exec(rest)?.[1];
    if (inBrackets !== undefined) {
      signs++;
      isNegative = true;
      rest = inBrackets;
    } else if (/^[-+]|[-+]$/.test(rest)) {
      const isFirst = /^[-+]/.test(rest);
      signs++;
      isNegative = (isFirst ? rest.at(0) : rest.at(-1)) === '-';
      rest = isFirst ? rest.slice(1) : rest.slice(0, -1);
    } else if (/^%|%$/.test(rest)) {
      percents++;
      rest = rest.replace(/^%|%$/, '');
    } else if (CURRENCY_BEFORE.test(rest) || CURRENCY_AFTER.test(rest)) {
      currencies++;
      rest = CURRENCY_BEFORE.test(rest)
        ? rest.replace(CURRENCY_BEFORE, '')
        : rest.replace(CURRENCY_AFTER, '');
    }
    rest = rest.trim();
    if (rest === before) return { rest, signs, isNegative, percents, currencies };
  }
}

/** Regular expressions of the digits of a number, by its decimal sign. */
const DIGITS: Readonly<Record<DecimalSign, readonly RegExp[]>> = {
  '.': [
    /^(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i,
    /^[1-9]\d{0,2}([, '])\d{3}(?:\1\d{3})*(?:\.\d*)?$/,
    // Lakhs and crores: 1,00,000.
    /^[1-9]\d?(?:,\d{2})+,\d{3}(?:\.\d*)?$/,
  ],
  ',': [/^(?:\d+,?\d*|,\d+)(?:e[+-]?\d+)?$/i, /^[1-9]\d{0,2}([. '])\d{3}(?:\1\d{3})*(?:,\d*)?$/],
};

/** Returns digits with a decimal point and without other separators; null if the text is not a number. */
function inPlainDigits(text: string, decimal: DecimalSign): string | null {
  if (!DIGITS[decimal].some((digits) => digits.test(text))) return null;
  const grouped = decimal === '.' ? /[, ']/g : /[. ']/g;
  return text.replace(grouped, '').replace(',', '.');
}
