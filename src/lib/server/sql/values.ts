import type { Scalar } from '../../contract/primitives';
import type { Place } from '../errors';
import { faultAt } from '../errors';
import type { SqlText } from './quote';
import { sql, typedLiteral } from './quote';

const ISO_DATE = /^(\d{4,6})-(\d\d)-(\d\d)$/;
const NUMBER = /^\s*[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?\s*$/i;

/** Whether text is a day of the calendar in ISO form; PostgreSQL itself would also take `today`. */
function isIsoDate(text: string): boolean {
  const match = ISO_DATE.exec(text);
  if (!match) return false;
  const [year = 0, month = 0, day = 0] = match.slice(1).map(Number);
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const days = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1];
  return year > 0 && days !== undefined && day >= 1 && day <= days;
}

/** A pivot keeps a year in 16 bits, without a sign. */
export const LAST_YEAR = 65_535;

const DIGITS = /^\s*[+-]?(\d*)\.?(\d*)(?:e([+-]?\d+))?\s*$/i;

/** Digits and exponent of a number, however it is written. */
function canonical(text: string): string {
  const [, whole = '', behind = '', exponent = '0'] = DIGITS.exec(text) ?? [];
  const digits = `${whole}${behind}`.replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return '0';
  return `${significant}e${Number(exponent) - behind.length + digits.length - significant.length}`;
}

/** Whether a number as text is one that a browser's number can stand for, digit by digit. */
export const isDouble = (text: string): boolean =>
  canonical(text) === canonical(String(Number(text)));

const WHOLE = /^\s*[+-]?\d+\s*$/;
/** So many digits are a bigint for certain. */
const BIGINT = /^\s*[+-]?\d{1,18}\s*$/;

/**
 * A client's whole number to compare an integer column with; one too large for every integer matches
 * what it should, as a numeric.
 *
 * @throws AppError 400 if it is none
 */
export function wholeLiteral(value: Scalar, place: Place): SqlText {
  const text = String(value);
  if (!WHOLE.test(text)) {
    throw faultAt(place, 400, `${JSON.stringify(value)} is not a whole number`);
  }
  return typedLiteral(value, BIGINT.test(text) ? sql`bigint` : sql`numeric`);
}

/**
 * A client's value as a literal of a column's type.
 *
 * @throws AppError 400 if the value is none of that type, 422 for an integer that the browser
 * could not hold exactly
 */
export function valueLiteral(value: Scalar | null, type: SqlText, place: Place): SqlText {
  if (value === null) return typedLiteral(null, type);
  const text = String(value);
  const unfit = (what: string) => faultAt(place, 400, `${JSON.stringify(value)} is not ${what}`);

  if (type === 'date') {
    if (typeof value !== 'string' || !isIsoDate(value)) throw unfit('a date such as 2026-03-31');
  } else if (type === 'bigint') {
    if (!WHOLE.test(text)) throw unfit('a whole number');
    if (!Number.isSafeInteger(Number(text))) {
      throw faultAt(place, 422, `${text} is beyond ±2^53, where numbers are no longer exact`);
    }
  } else if (type === 'double precision' || /^numeric(\(|$)/.test(type)) {
    if (typeof value === 'boolean' || !NUMBER.test(text)) throw unfit('a number');
  } else if (type === 'boolean') {
    if (!['true', 'false'].includes(text)) throw unfit('true or false');
  }
  return typedLiteral(value, type);
}
