/** The language in which dates and months are written. */
import { DAY_MS } from '../../contract/primitives';

/**
 * Returns a language with the Gregorian calendar and Latin digits, which the stored dates and all numbers of
 * the pages have.
 */
export const dateLanguage = (language: string): string =>
  new Intl.Locale(language, { calendar: 'gregory', numberingSystem: 'latn' }).toString();

/** The browser's language for dates. The words of the pages are always English. */
export const DATE_LANGUAGE = dateLanguage(
  typeof navigator === 'undefined' ? 'en-US' : navigator.language,
);

/** The first and the day after the last day whose year has four digits; other years would be written without zeros or era. */
const [FIRST, END] = [Date.parse('1000-01-01'), Date.UTC(10_000, 0)];

/**
 * Returns a function that writes a calendar day from ISO text, without a shift by time zones: "Mar 1, 2029" in
 * English. The first ten characters count. Text that is no day, and a year without four digits, stay ISO text.
 */
export function dayWriter(language: string): (iso: string) => string {
  const { format } = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeZone: 'UTC' });
  return (iso) => {
    const at = Date.parse(`${iso.slice(0, 10)}T00:00:00Z`);
    return at >= FIRST && at < END ? format(at) : iso;
  };
}

/** Writes a calendar day in the browser's language; see {@link dayWriter}. */
export const formatDay = dayWriter(DATE_LANGUAGE);

/** Returns an instant in UTC, from epoch milliseconds, as ISO text: "2029-03-01 14:30:00.000". */
export const isoMoment = (at: number): string =>
  new Date(at).toISOString().replace('T', ' ').replace('Z', '');

/**
 * Returns a function that writes an instant in UTC, from epoch milliseconds: "Mar 1, 2029, 2:30 PM" in English, with
 * seconds and their fraction if it has them, and only the day at midnight. Different instants have different texts. A
 * year without four digits stays ISO text.
 */
export function momentWriter(language: string): (at: number) => string {
  const day = dayWriter(language);
  const options = { dateStyle: 'medium', timeZone: 'UTC' } as const;
  const minutes = new Intl.DateTimeFormat(language, { ...options, timeStyle: 'short' });
  const seconds = new Intl.DateTimeFormat(language, { ...options, timeStyle: 'medium' });
  const fractions = new Intl.DateTimeFormat(language, {
    ...{ hour: 'numeric', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3 },
    timeZone: 'UTC',
  });
  return (at) => {
    const iso = isoMoment(at);
    if (at < FIRST || at >= END) return iso;
    if (at % DAY_MS === 0) return day(iso);
    if (at % 60_000 === 0) return minutes.format(at);
    return at % 1000 === 0 ? seconds.format(at) : `${day(iso)}, ${fractions.format(at)}`;
  };
}

/** Writes an instant in the browser's language; see {@link momentWriter}. */
export const formatMoment = momentWriter(DATE_LANGUAGE);

/** Returns a function that writes the month of a time in UTC: "Mar 2029" in English. */
export function monthWriter(language: string): (at: number | Date) => string {
  const { format } = new Intl.DateTimeFormat(language, {
    month: 'short',
    year: 'numeric',
    timeZone: 'UTC',
  });
  return format;
}
