/** Values of the first rows of a table or file as texts, by the type of their column. */
import { decimalsOf } from '$lib/contract/decimals';
import { ISO_DAY } from '$lib/pivot/slice/date-ranges';
import { formatDay, formatMoment } from '$lib/pivot/values/date-language';
import { MARKS, shownDigits } from '../number-text';
import { valueKindOf } from '../workbench/conditions';

/** Most zeros that are added, so that one long fraction does not lengthen all others. */
const MOST_ADDED = 6;

/** Returns a number in plain digits, with a point before its fraction. */
const textOf = (value: unknown): string =>
  typeof value === 'number'
    ? value.toLocaleString('en-US', { useGrouping: false, maximumFractionDigits: 20 })
    : String(value);

const ISO_MOMENT =
  /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(?:Z|([+-]\d\d)(?::?(\d\d))?)?$/;

/**
 * Writes a date or timestamp in the browser's language. A timestamp with time zone is in UTC, whose days a load takes
 * unless its column has another time zone, and says so. Text that is neither stays as it is.
 */
function momentText(text: string): string {
  if (ISO_DAY.test(text)) return formatDay(text);
  const [whole, day, time, hours, minutes = '00'] = ISO_MOMENT.exec(text) ?? [];
  if (whole === undefined) return text;
  const at = Date.parse(`${day}T${time}${hours === undefined ? 'Z' : `${hours}:${minutes}`}`);
  if (Number.isNaN(at)) return text;
  return hours === undefined && !whole.endsWith('Z') ? formatMoment(at) : `${formatMoment(at)} UTC`;
}

const decimalsIn = (digits: string): number => digits.split('.')[1]?.length ?? 0;

/**
 * Returns a function that writes the values of a column. Days and times are in the browser's language, and numbers
 * have its decimal sign. There is no separator between thousands, because a number may be a year or identify a customer.
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
