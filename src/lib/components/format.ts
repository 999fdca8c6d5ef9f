/** Amounts, dates and plurals as the pages write them. */
import { formatNumber } from './number-text';

/** Amounts, dates and plurals as the pages write them: dates and words in English. */
const LOCALE = 'en-US';

const days = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium', timeZone: 'UTC' });
const months = new Intl.DateTimeFormat(LOCALE, {
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
});
const instants = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium', timeStyle: 'short' });
const ages = new Intl.RelativeTimeFormat(LOCALE, { numeric: 'auto' });
const rules = new Intl.PluralRules(LOCALE);

/** A whole number with grouping: 1,204,331. */
export const formatCount = (count: number): string =>
  formatNumber(count, { maximumFractionDigits: 0 });

/** An amount: whole as it is, otherwise to the cent, so that amounts below each other line up. */
export const formatAmount = (value: number, options: Intl.NumberFormatOptions = {}): string =>
  formatNumber(value, { minimumFractionDigits: Number.isInteger(value) ? 0 : 2, ...options });

/** A total to at least so many digits after the point; a dash if nothing is summed. */
export const formatTotal = (value: number | null, digits: number): string =>
  value === null ? '–' : formatNumber(value, { minimumFractionDigits: digits });

/** "1 row", "0 rows", "1,204,331 rows". The plural is the singular with an s if none is given. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${rules.select(count) === 'one' ? one : many}`;
}

/** A calendar day, given and kept as ISO text: no time zone can shift it. "Mar 1, 2019". */
export function formatDay(iso: string): string {
  const at = Date.parse(`${iso.slice(0, 10)}T00:00:00Z`);
  return Number.isNaN(at) ? iso : days.format(at);
}

/** The month of a calendar day: "Mar 2019". */
export function formatMonth(iso: string): string {
  const at = Date.parse(`${iso.slice(0, 10)}T00:00:00Z`);
  return Number.isNaN(at) ? iso : months.format(at);
}

/** An instant in the reader's own time zone: "Mar 1, 2019, 2:05 PM". */
export const formatInstant = (stamp: string): string => instants.format(new Date(stamp));

const AGES: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

/** How long ago an instant was: "3 hours ago", "yesterday", "just now". */
export function formatAge(stamp: string, now = Date.now()): string {
  const seconds = (Date.parse(stamp) - now) / 1000;
  for (const [unit, length] of AGES) {
    if (Math.abs(seconds) >= length) return ages.format(Math.trunc(seconds / length), unit);
  }
  return 'just now';
}
