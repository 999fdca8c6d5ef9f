/** Parses numbers in the formats that spreadsheets write. */
import { CURRENCY_CODES } from '../../contract/currencies';
import type { FileDecimal } from '../../contract/files';

/** A number in a cell. */
export interface FileNumber {
  /** The number as PostgreSQL reads it: `-1234.50`. */
  text: string;
  /** Digits before and after the point of {@link text}. */
  whole: number;
  decimals: number;
  isPercent: boolean;
  /** The currency as it is written; empty without one. */
  currency: string;
  /** Whether a zero comes before the first digit, as in a code: `00123`. */
  isPadded: boolean;
}

/** Longest text that can be a number. */
const LONGEST = 60;
/** Most digits of a number. */
const MOST_DIGITS = 38;

const PLAIN = /^-?(?:0|[1-9]\d{0,17})$/;
const CURRENCY_SIGN = String.raw`R\$|[€$£¥₹₽₺₩₪₫฿]`;
/** Currencies that are words. A blank separates them from the number; `SEK5` may be a code. */
const CURRENCY_WORD = String.raw`${CURRENCY_CODES.join('|')}|kr\.?|zł|Kč|Ft|lei|Fr\.?`;
const BEFORE = String.raw`${CURRENCY_SIGN}|(?:${CURRENCY_WORD})(?=\s)`;
const AFTER = String.raw`${CURRENCY_SIGN}|(?<=\s)(?:${CURRENCY_WORD})`;
const SIGN = '[-+−]?';
const SHAPE = new RegExp(
  String.raw`^(${SIGN})\s*(${BEFORE})?\s*(${SIGN})\s*([\d.,'’\s]*\d)([eE][-+]?\d{1,2})?\s*(${AFTER}|%)?(-?)$`,
);

/** The digits with their marks. In lakhs, two digits stand between marks. */
const DIGITS: Record<FileDecimal, RegExp> = {
  point: /^(\d+|\d{1,3}([,'’\s])\d{3}(?:\2\d{3})*|\d{1,2}(?:,\d{2})+,\d{3})?(?:\.(\d+))?$/,
  comma: /^(\d+|\d{1,3}([.'’\s])\d{3}(?:\2\d{3})*)?(?:,(\d+))?$/,
};

/** Reads a number; null if the text is none. @param cell without blanks at its ends */
export function parseNumber(cell: string, decimal: FileDecimal): FileNumber | null {
  if (PLAIN.test(cell)) {
    const whole = cell.length - (cell.startsWith('-') ? 1 : 0);
    return { text: cell, whole, decimals: 0, isPercent: false, currency: '', isPadded: false };
  }
  if (cell.length > LONGEST || !/\d/.test(cell)) return null;
  // Spreadsheets and databases mark the direction of the text with characters that cannot be seen.
  const visible = cell.replace(/[\u200e\u200f\u061c]/g, '');
  const inBrackets = visible.startsWith('(') && visible.endsWith(')');
  const shape = SHAPE.exec(inBrackets ? visible.slice(1, -1).trim() : visible);
  if (!shape) return null;
  const [
    ,
    first = '',
    before = '',
    second = '',
    marked = '',
    exponent = '',
    after = '',
    last = '',
  ] = shape;
  const signs = first + second + last + (inBrackets ? '-' : '');
  const isPercent = after === '%';
  const currency = before || (isPercent ? '' : after);
  const digits = DIGITS[decimal].exec(marked);
  if (!digits || signs.length > 1 || (before && after)) return null;
  const [, wholeMarked = '', group = '', fraction = ''] = digits;
  // A telephone number.
  if (signs === '+' && /\s/.test(group)) return null;
  const whole = wholeMarked.replace(/\D/g, '') || '0';
  const shift = Number(exponent.slice(1)) - (isPercent ? 2 : 0);
  const [left, right] = shifted(whole, fraction, shift);
  if (left.length + right.length > MOST_DIGITS) return null;
  const sign = /[-−]/.test(signs) ? '-' : '';
  return {
    text: `${sign}${left}${right && `.${right}`}`,
    whole: left.length,
    decimals: right.length,
    isPercent,
    currency,
    isPadded: whole.length > 1 && whole.startsWith('0'),
  };
}

/** Moves the point of a number to the right, without rounding. */
function shifted(whole: string, fraction: string, by: number): [whole: string, fraction: string] {
  if (by === 0) return [whole, fraction];
  const point = whole.length + by;
  const padded = '0'.repeat(Math.max(0, 1 - point)) + whole + fraction;
  const at = Math.max(1, point);
  const filled = padded.padEnd(at, '0');
  return [filled.slice(0, at).replace(/^0+(?=\d)/, ''), filled.slice(at)];
}
