/** Number formats of cells: whether one shows a date, and how numbers become dates. */

/** How a number format shows numbers: as they are, as dates with or without time, or as times of day. */
export type NumberKind = 'number' | 'date' | 'time';

/** Formats with a number instead of a code. */
const BUILT_IN_DATES: readonly [from: number, to: number][] = [
  [14, 17],
  [22, 22],
  [27, 31],
  [34, 36],
  [50, 58],
];
const BUILT_IN_TIMES: readonly [from: number, to: number][] = [
  [18, 21],
  [32, 33],
  [45, 45],
  [47, 47],
];

const inAny = (id: number, ranges: readonly [number, number][]): boolean =>
  ranges.some(([from, to]) => id >= from && id <= to);

/** The kind of a format that has a number instead of a code. Durations, such as `[h]:mm`, are numbers of days. */
export function builtInKind(id: number): NumberKind {
  if (inAny(id, BUILT_IN_DATES)) return 'date';
  return inAny(id, BUILT_IN_TIMES) ? 'time' : 'number';
}

/** The kind of a format by its code, such as `dd/mm/yyyy` or `#,##0.00 "kr"`. */
export function kindOf(code: string): NumberKind {
  const [first = ''] = code
    .replace(/"[^"]*"?|\\.|[_*]./gs, '')
    .toLowerCase()
    .split(';');
  if (/\[(h+|m+|s+)\]/.test(first)) return 'number';
  const letters = first.replace(/\[[^\]]*\]?/g, '');
  if (/general/.test(letters)) return 'number';
  if (/[dy]/.test(letters)) return 'date';
  if (/[hs]/.test(letters)) return 'time';
  return letters.includes('m') ? 'date' : 'number';
}

const DAY_MS = 86_400_000;
/** 9999-12-31. */
const LAST_DAY = 2_958_465;
/** Days between the first days of the two date systems. */
const SINCE_1904 = 1_462;
/** Excel counts a day that 1900 did not have; before it, numbers are one lower. */
const FALSE_LEAP_DAY = 60;

/**
 * The date of a number of days, with its time if it is not midnight: `2027-01-31` or `2027-01-31 12:30:00`.
 *
 * @param is1904 whether the workbook counts from 1904
 * @returns null for numbers that are no date in Excel: below 1, 29 February 1900, and after 9999
 */
export function dateOf(serial: number, is1904: boolean): string | null {
  const ms = Math.round((serial + (is1904 ? SINCE_1904 : 0)) * DAY_MS);
  const day = Math.floor(ms / DAY_MS);
  if (!(day >= 1) || day > LAST_DAY || day === FALSE_LEAP_DAY) return null;
  const shift = day < FALSE_LEAP_DAY ? 1 : 0;
  const iso = new Date(Date.UTC(1899, 11, 30 + shift) + ms).toISOString();
  const time = timeText(iso);
  return time === '00:00:00' ? iso.slice(0, 10) : `${iso.slice(0, 10)} ${time}`;
}

/** The time of day of a number below 1: `12:30:00`; null for other numbers. */
export function timeOf(serial: number): string | null {
  const ms = Math.round(serial * DAY_MS);
  return ms >= 0 && ms < DAY_MS ? timeText(new Date(ms).toISOString()) : null;
}

const timeText = (iso: string): string => iso.slice(11, 23).replace(/\.000$/, '');

/** Significant digits of a number that Excel shows. */
const SHOWN_DIGITS = 15;

/**
 * The digits of a number as Excel shows them. The result of 0.1 + 0.2 is stored as 0.30000000000000004; its digits
 * after the 15th come from the binary form. Whole numbers stay as they are.
 */
export function shownDigits(text: string): string {
  const [digits = ''] = text.toLowerCase().split('e');
  if (digits.length <= SHOWN_DIGITS || /^[-+]?\d+$/.test(text)) return text;
  if (digits.replace(/\D/g, '').replace(/^0+/, '').length <= SHOWN_DIGITS) return text;
  const number = Number(text);
  return Number.isFinite(number) ? String(Number(number.toPrecision(SHOWN_DIGITS))) : text;
}
