/** Parses numbers in the formats that spreadsheets write. */
import type { FileDecimal } from '../../contract/files';
import { movedPoint, readNotation } from '../../numbers/notation';

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
const MOST_POWER = 99;

const PLAIN = /^-?(?:0|[1-9]\d{0,17})$/;
const SIGN: Readonly<Record<FileDecimal, '.' | ','>> = { point: '.', comma: ',' };
/** Units that are no currencies, and currencies that are words: `SEK5` may be a code. */
const PIECES = /^(?:p|u|St)/;
const WORD = /^\p{L}+\.?$/u;

/** Reads a number; null if the text is none. @param cell without blanks at its ends */
export function parseNumber(cell: string, decimal: FileDecimal): FileNumber | null {
  if (PLAIN.test(cell)) {
    const whole = cell.length - (cell.startsWith('-') ? 1 : 0);
    return { text: cell, whole, decimals: 0, isPercent: false, currency: '', isPadded: false };
  }
  if (cell.length > LONGEST || /\d[.,]\D*$/.test(cell)) return null;
  const read = readNotation(cell, { decimal: SIGN[decimal] });
  if (!read || Math.abs(read.exponent ?? 0) > MOST_POWER) return null;
  const { sign, digits, isPercent, unit } = read;
  if (PIECES.test(unit) || (WORD.test(unit) && !read.isUnitApart)) return null;
  // A telephone number.
  if (sign === '+' && read.isGroupedByBlanks) return null;
  const [left, right] = movedPoint(digits, (read.exponent ?? 0) - (isPercent ? 2 : 0));
  if (left.length + right.length > MOST_DIGITS) return null;
  return {
    text: `${sign === '-' ? '-' : ''}${left}${right && `.${right}`}`,
    whole: left.length,
    decimals: right.length,
    isPercent,
    currency: unit,
    isPadded: /^0\d/.test(digits),
  };
}
