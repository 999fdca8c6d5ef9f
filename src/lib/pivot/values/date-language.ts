/** The language in which dates and months are written. */

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

/** Returns a function that writes the month of a time in UTC: "Mar 2029" in English. */
export function monthWriter(language: string): (at: number | Date) => string {
  const { format } = new Intl.DateTimeFormat(language, {
    month: 'short',
    year: 'numeric',
    timeZone: 'UTC',
  });
  return format;
}
