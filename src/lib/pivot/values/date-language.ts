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

/** Returns a function that writes the month of a time in UTC: "Mar 2029" in English. */
export function monthWriter(language: string): (at: number | Date) => string {
  const { format } = new Intl.DateTimeFormat(language, {
    month: 'short',
    year: 'numeric',
    timeZone: 'UTC',
  });
  return format;
}
