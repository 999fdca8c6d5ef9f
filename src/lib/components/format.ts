/** Amounts, dates and plurals as the pages write them. */
import type { Decimals } from '$lib/contract/decimals';
import { amountOptions } from '$lib/pivot/values/column-format';
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

/**
 * An amount of a measure in a sentence: a whole one without decimals, any other with those of the measure.
 * What rounds to zero has no sign.
 */
export const formatAmount = (
  value: number,
  { least, most }: Decimals,
  options: Intl.NumberFormatOptions = {},
): string =>
  formatNumber(value, {
    ...amountOptions({ least: Number.isInteger(value) ? 0 : least, most }),
    ...options,
  });

/** An amount of a measure in a table: always with the measure's decimals; a dash if nothing is summed. */
export const formatTotal = (value: number | null, decimals: Decimals): string =>
  value === null ? '–' : formatNumber(value, amountOptions(decimals));

/** A percentage with one decimal, a small one with two digits: "+5", "−0.03". 0 only if it is 0. */
export const formatPercent = (percent: number): string =>
  formatNumber(percent, {
    signDisplay: 'exceptZero',
    ...(Math.abs(percent) < 0.1 ? { maximumSignificantDigits: 2 } : { maximumFractionDigits: 1 }),
  });

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
