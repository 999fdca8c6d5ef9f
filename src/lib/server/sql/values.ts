/** Which text and JSON values fit the type of a column. */
import type { Scalar } from '../../contract/primitives';
import type { Place } from '../errors';
import { faultAt } from '../errors';
import type { SqlText } from './quote';
import { sql, typedLiteral } from './quote';

const ISO_DATE = /^(\d{4,6})-(\d\d)-(\d\d)$/;
const NUMBER = /^\s*[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?\s*$/i;

/** Whether text is a calendar day in ISO form. PostgreSQL itself would also accept `today`. */
function isIsoDate(text: string): boolean {
  const match = ISO_DATE.exec(text);
  if (!match) return false;
  const [year = 0, month = 0, day = 0] = match.slice(1).map(Number);
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const days = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1];
  return year > 0 && days !== undefined && day >= 1 && day <= days;
}

/** The pivot engine stores a year in 16 bits without a sign. */
export const LAST_YEAR = 65_535;

const DIGITS = /^\s*[+-]?(\d*)\.?(\d*)(?:e([+-]?\d+))?\s*$/i;

/** Digits and exponent of a number in any notation. */
function canonical(text: string): string {
  const [, whole = '', behind = '', exponent = '0'] = DIGITS.exec(text) ?? [];
  const digits = `${whole}${behind}`.replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return '0';
  return `${significant}e${Number(exponent) - behind.length + digits.length - significant.length}`;
}

/** Whether a double can hold the number in a text exactly, digit by digit. */
export const isDouble = (text: string): boolean =>
  canonical(text) === canonical(String(Number(text)));

const WHOLE = /^\s*[+-]?\d+\s*$/;
/** A number with this many digits always fits in a bigint. */
const BIGINT = /^\s*[+-]?\d{1,18}\s*$/;

/**
 * A client's whole number as a literal to compare an integer column with. A number too large for any integer
 * is compared as a numeric.
 * @throws AppError 400 if the value is not a whole number
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
 * @throws AppError 400 if the value is not of that type, 422 for an integer that the browser cannot hold
 * exactly
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
