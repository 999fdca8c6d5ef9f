/** Parses dates and timestamps in the formats that spreadsheets write. */
import type { FileDateOrder } from '../../contract/files';

/** A date in a cell, with the time if there is one. */
export interface FileDate {
  /** `YYYY-MM-DD`. */
  date: string;
  /** `HH:MM:SS` with or without fractions; empty without a time. */
  time: string;
  /** The offset from UTC, such as `+02:00` or `Z`; empty without one. */
  zone: string;
  /** Whether the year has two digits. */
  hasShortYear: boolean;
  /** Whether it is written in eight digits without marks, as a number: `20260105`. */
  isCompact: boolean;
}

/** Longest text that can be a date. */
const LONGEST = 45;

const TIME =
  /^(.+?)(?:T|\s+)(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,6})\d*)?)?\s?([AaPp]\.?[Mm]\.?)?\s?(Z|[-+]\d{2}(?::?\d{2})?)?$/;
const YEAR_FIRST = /^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})$/;
const COMPACT = /^((?:19|20)\d{2})(\d{2})(\d{2})$/;
const YEAR_LAST = /^(\d{1,2})([-/.])\s?(\d{1,2})\2\s?(\d{4}|\d{2})$/;
const DAY_AND_NAME = /^(\d{1,2})[-\s.]{1,2}(\p{L}{3,9})\.?[-\s,]{1,2}(\d{4}|\d{2})$/u;
const NAME_AND_DAY = /^(\p{L}{3,9})\.?\s(\d{1,2}),?\s(\d{4})$/u;

/** Months by their first three letters in English and German. */
const MONTHS: Record<string, number> = {
  ...{ jan: 1, feb: 2, mar: 3, mär: 3, mrz: 3, apr: 4, may: 5, mai: 5, jun: 6, jul: 7, aug: 8 },
  ...{ sep: 9, oct: 10, okt: 10, nov: 11, dec: 12, dez: 12 },
};

/** Reads a date; null if the text is none in this order. @param cell without blanks at its ends */
export function parseDate(cell: string, order: FileDateOrder): FileDate | null {
  if (cell.length > LONGEST || !/^[\d\p{L}]/u.test(cell) || !/\d/.test(cell)) return null;
  const timed = cell.includes(':') ? TIME.exec(cell) : null;
  const date = dayOf(timed?.[1] ?? cell, order);
  if (date === null) return null;
  const written = timed?.[1] ?? cell;
  const isCompact = written.length === 8 && COMPACT.test(written);
  const hasShortYear = !isCompact && !/\d{4}/.test(written);
  if (!timed) return { date, time: '', zone: '', hasShortYear, isCompact };
  const [, , hours = '', minutes = '', seconds = '00', fraction = '', half = '', zone = ''] = timed;
  const hour = hourOf(Number(hours), half);
  if (hour === null || Number(minutes) > 59 || Number(seconds) > 59) return null;
  const time = `${two(hour)}:${minutes}:${seconds}${fraction && `.${fraction}`}`;
  return { date, time, zone, hasShortYear, isCompact };
}

/** Whether a time is the beginning of its day. */
export const isMidnight = (time: string): boolean => /^[0:.]*$/.test(time);

/** The hour of the day; null if there is none. @param half am or pm */
function hourOf(hours: number, half: string): number | null {
  if (half === '') return hours <= 23 ? hours : null;
  if (hours < 1 || hours > 12) return null;
  return (hours % 12) + (/^p/i.test(half) ? 12 : 0);
}

function dayOf(text: string, order: FileDateOrder): string | null {
  const first = YEAR_FIRST.exec(text);
  if (first) return valid(first[1], first[3], first[4]);
  const compact = text.length === 8 ? COMPACT.exec(text) : null;
  if (compact) return valid(compact[1], compact[2], compact[3]);
  const named = DAY_AND_NAME.exec(text);
  if (named) return valid(named[3], monthOf(named[2]), named[1]);
  const american = NAME_AND_DAY.exec(text);
  if (american) return valid(american[3], monthOf(american[1]), american[2]);
  const last = order === 'ymd' ? null : YEAR_LAST.exec(text);
  if (!last) return null;
  const [, one, mark, other, year = ''] = last;
  // `27-01-31` begins with a year or with a day.
  if (mark === '-' && year.length === 2) return null;
  return order === 'dmy' ? valid(year, other, one) : valid(year, one, other);
}

const monthOf = (name = ''): string => String(MONTHS[name.slice(0, 3).toLowerCase()] ?? 0);

function valid(year = '', month = '', day = ''): string | null {
  const [m, d] = [Number(month), Number(day)];
  const y = year.length === 2 ? Number(year) + (Number(year) < 70 ? 2000 : 1900) : Number(year);
  // Day 0 of the next month is the last one of this month. Years below 100 would be read as 19xx.
  if (y < 100 || m < 1 || m > 12 || d < 1 || d > new Date(Date.UTC(y, m, 0)).getUTCDate()) {
    return null;
  }
  return `${String(y).padStart(4, '0')}-${two(m)}-${two(d)}`;
}

const two = (n: number): string => String(n).padStart(2, '0');
