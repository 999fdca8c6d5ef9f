/** Values of the first rows of a table or file as texts, by the type of their column. */
import { decimalsOf } from '$lib/contract/decimals';
import { formatDay } from '$lib/pivot/values/date-language';
import { MARKS, shownDigits } from '../number-text';
import { valueKindOf } from '../workbench/conditions';

/** Most zeros that are added, so that one long fraction does not lengthen all others. */
const MOST_ADDED = 6;

/** Returns a number in plain digits, with a point before its fraction. */
const textOf = (value: unknown): string =>
  typeof value === 'number'
    ? value.toLocaleString('en-US', { useGrouping: false, maximumFractionDigits: 20 })
    : String(value);

/** Writes the day of a date or timestamp in the browser's language; its time stays as the database writes it. */
function momentText(text: string): string {
  const [day = '', time = ''] = text.split(/[T ](?=\d{2}:)/);
  return formatDay(day) + (time && `, ${time}`);
}

const decimalsIn = (digits: string): number => digits.split('.')[1]?.length ?? 0;

/**
 * Returns a function that writes the values of a column. Days are in the browser's language, and numbers have its
 * decimal sign. There is no separator between thousands, because a number may be a year or identify a customer.
 *
 * @param type of a database column or of a column of a file
 */
export function sampleWriter(type: string | null, marks = MARKS): (value: unknown) => string {
  const kind = valueKindOf(type);
  if (kind === 'date') return (value) => momentText(String(value));
  if (kind !== 'number') return String;
  return (value) => shownDigits(textOf(value), marks);
}

/**
 * Returns a function that writes the values of a column below each other: as {@link sampleWriter} does, and numbers
 * with the same decimals.
 *
 * @param values of the column, nulls included
 */
export function sampleColumnWriter(
  type: string | null,
  values: readonly unknown[],
  marks = MARKS,
): (value: unknown) => string {
  const write = sampleWriter(type, marks);
  if (valueKindOf(type) !== 'number') return write;
  const decimals =
    decimalsOf(type) ?? Math.max(0, ...values.map((value) => decimalsIn(textOf(value))));
  return (value) => {
    const digits = textOf(value);
    const added = Math.min(decimals, MOST_ADDED) - decimalsIn(digits);
    const point = decimalsIn(digits) === 0 ? '.' : '';
    return write(added > 0 ? digits + point + '0'.repeat(added) : digits);
  };
}
