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
  /**
   * Whether the text can be a code: a zero before the first digit (`00123`), an exponent without sign and decimals
   * (`1E5`), or more than 15 whole digits without marks.
   */
  isCode: boolean;
  /** All digits of the cell, if {@link text} lacks those that come from a binary number; else the same. */
  exact: string;
}

/** Significant digits that spreadsheets show, and that a double has. */
const SHOWN_DIGITS = 15;

/** Longest text that can be a number. */
const LONGEST = 60;
/** Most digits of a number. */
const MOST_DIGITS = 38;
const MOST_POWER = 99;

const PLAIN = /^-?(?:0|[1-9]\d{0,14})$/;
const SIGN: Readonly<Record<FileDecimal, '.' | ','>> = { point: '.', comma: ',' };
/** Units that are no currencies, and currencies that are words: `SEK5` may be a code. */
const PIECES = /^(?:p|u|St)/;
const WORD = /^\p{L}+\.?$/u;
/** An exponent without sign and decimals, or more digits than a spreadsheet shows. */
const CODE = /^[-+−]?(?:\d+e\d+|\d{16,})$/i;

/** Reads a number; null if the text is none. @param cell without blanks at its ends */
export function parseNumber(cell: string, decimal: FileDecimal): FileNumber | null {
  if (PLAIN.test(cell)) {
    const whole = cell.length - (cell.startsWith('-') ? 1 : 0);
    return {
      text: cell,
      exact: cell,
      whole,
      decimals: 0,
      isPercent: false,
      currency: '',
      isPadded: false,
      isCode: false,
    };
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
  const exact = `${sign === '-' ? '-' : ''}${left}${right && `.${right}`}`;
  const text = withoutNoise(exact);
  const isPadded = /^0\d/.test(digits);
  return {
    text,
    exact,
    isPercent,
    isPadded,
    whole: left.length,
    decimals: decimalsIn(text),
    currency: unit,
    isCode: isPadded || CODE.test(cell),
  };
}

/** Number of decimals of a number as PostgreSQL reads it. */
export const decimalsIn = (text: string): number => text.split('.')[1]?.length ?? 0;

/**
 * Rounds a number to some decimals, half away from zero.
 * @param text as PostgreSQL reads it
 */
export function roundedText(text: string, decimals: number): string {
  const [whole = '', fraction = ''] = text.split('.');
  if (fraction.length <= decimals) return text;
  const size = BigInt(whole.replace('-', '') + fraction.slice(0, decimals));
  const up = (fraction[decimals] ?? '0') >= '5' ? 1n : 0n;
  const digits = String(size + up).padStart(decimals + 1, '0');
  const sign = text.startsWith('-') && /[1-9]/.test(digits) ? '-' : '';
  const point = digits.length - decimals;
  return sign + digits.slice(0, point) + (decimals > 0 ? `.${digits.slice(point)}` : '');
}

/**
 * The number without the digits that come from its binary form: 0.3 of 0.30000000000000004. Only texts of a double
 * with 16 or 17 digits and decimals have such digits; those of other numbers are true.
 */
function withoutNoise(text: string): string {
  if (text.length <= SHOWN_DIGITS || !text.includes('.')) return text;
  const digits = text.replace(/\D/g, '').replace(/^0+/, '');
  const surplus = digits.length - SHOWN_DIGITS;
  if (surplus < 1 || surplus > 2) return text;
  const [mantissa = ''] = Number(text).toPrecision(digits.length).split('e');
  if (mantissa.replace(/\D/g, '').replace(/^0+/, '') !== digits) return text;
  const kept = roundedText(text, Math.max(0, decimalsIn(text) - surplus));
  return kept.includes('.') ? kept.replace(/\.?0+$/, '') : kept;
}

/** Every column of amounts with decimals has room for these, because other files have them. */
const LEAST_DECIMALS = 2;

/** Returns the decimals of a column of amounts, with room for cents; null for any number of decimals. */
export const withRoom = <Scale extends number | null>(scale: Scale): Scale | number =>
  scale === null ? scale : Math.max(LEAST_DECIMALS, scale);
