/** The last day of a token. */

/** The same day of the next year in local time, as `YYYY-MM-DD`; of 29 February, 1 March. */
export function inOneYear(now: Date): string {
  const then = new Date(now.getFullYear() + 1, now.getMonth(), now.getDate());
  return [
    String(then.getFullYear()).padStart(4, '0'),
    String(then.getMonth() + 1).padStart(2, '0'),
    String(then.getDate()).padStart(2, '0'),
  ].join('-');
}

/** The last second of a day in local time, as an ISO 8601 instant. */
export const endOfDay = (day: string): string => new Date(`${day}T23:59:59`).toISOString();
