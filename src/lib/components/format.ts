/** Amounts, dates and plurals as the pages write them. */
import type { Decimals } from '$lib/contract/decimals';
import { amountOptions } from '$lib/pivot/values/column-format';
import { DATE_LANGUAGE, monthWriter } from '$lib/pivot/values/date-language';
import { formatNumber } from './number-text';

/** Locale of words. Numbers and dates follow the browser. */
const LOCALE = 'en-US';

const writeMonth = monthWriter(DATE_LANGUAGE);
const months = new Intl.DateTimeFormat(DATE_LANGUAGE, { month: 'long', timeZone: 'UTC' });
/** The names of the months, January first. */
export const MONTH_NAMES: readonly string[] = Array.from({ length: 12 }, (_, i) =>
  months.format(Date.UTC(2027, i, 1)),
);
const instants = new Intl.DateTimeFormat(DATE_LANGUAGE, {
  dateStyle: 'medium',
  timeStyle: 'short',
});
const ages = new Intl.RelativeTimeFormat(LOCALE, { numeric: 'auto' });
const rules = new Intl.PluralRules(LOCALE);

/** Formats a whole number with grouping: 1,204,331. */
export const formatCount = (count: number): string =>
  formatNumber(count, { maximumFractionDigits: 0 });

/**
 * Formats an amount of a measure in a sentence: without decimals if it is whole, otherwise with those of the
 * measure. An amount that rounds to zero has no sign.
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

/** Formats an amount of a measure in a table: always with the measure's decimals; a dash for null. */
export const formatTotal = (
  value: number | null,
  decimals: Decimals,
  options: Intl.NumberFormatOptions = {},
): string =>
  value === null ? '–' : formatNumber(value, { ...amountOptions(decimals), ...options });

/** Formats an amount of a table with its sign, always with the decimals of its measure: "+809.00"; 0 has no sign. */
export const signedTotal = (amount: number, decimals: Decimals): string =>
  formatTotal(amount, decimals, { signDisplay: 'exceptZero' });

/** Formats an amount beside an axis: short, but with enough digits for a small one: 150K, 0.125. */
export const formatShort = (value: number): string =>
  formatNumber(value, {
    notation: 'compact',
    useGrouping: 'always',
    ...(Math.abs(value) < 1 && { maximumSignificantDigits: 3 }),
  });

/**
 * Formats a percentage with one decimal, a small one with two significant digits: "+5", "−0.03". Only 0 is
 * written as 0.
 */
export const formatPercent = (percent: number): string =>
  formatNumber(percent, {
    signDisplay: 'exceptZero',
    ...(Math.abs(percent) < 0.1 ? { maximumSignificantDigits: 2 } : { maximumFractionDigits: 1 }),
  });

/**
 * Formats a count with its noun: "1 row", "0 rows", "1,204,331 rows". The plural defaults to the singular
 * with an s.
 */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${rules.select(count) === 'one' ? one : many}`;
}

/** Formats a number of bytes: 12.3 MB. */
export const formatMegabytes = (bytes: number): string =>
  `${formatNumber(bytes / 1_000_000, { minimumFractionDigits: 1, maximumFractionDigits: 1 })} MB`;

/**
 * Rewrites the percentages in a sentence of the service, which are English: "17.8 %" is "17,8 %" in a German
 * browser.
 */
export const localPercentages = (sentence: string, write = formatNumber): string =>
  sentence.replace(/\d[\d,]*(?:\.\d+)?(?= %)/g, (written) =>
    write(Number(written.replaceAll(',', ''))),
  );

/** Formats the size of a file, with one decimal from 1 to 100 MB: 65 kB, 12.3 MB, 268 MB. */
export function formatSize(bytes: number): string {
  if (bytes < 1_000_000) return `${formatCount(Math.ceil(bytes / 1000))} kB`;
  return bytes < 100_000_000
    ? formatMegabytes(bytes)
    : `${formatCount(Math.floor(bytes / 1_000_000))} MB`;
}

/** Formats the month of a calendar day: "Mar 2019" in English. */
export function formatMonth(iso: string): string {
  const at = Date.parse(`${iso.slice(0, 10)}T00:00:00Z`);
  return Number.isNaN(at) ? iso : writeMonth(at);
}

/** Formats an instant in the browser's time zone: "Mar 1, 2019, 2:05 PM" in English. */
export const formatInstant = (stamp: string): string => instants.format(new Date(stamp));

const AGES: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

/** Formats the age of an instant: "3 hours ago", "yesterday", "just now". */
export function formatAge(stamp: string, now = Date.now()): string {
  const seconds = (Date.parse(stamp) - now) / 1000;
  for (const [unit, length] of AGES) {
    if (Math.abs(seconds) >= length) return ages.format(Math.trunc(seconds / length), unit);
  }
  return 'just now';
}

const DAY_MS = 86_400_000;

/**
 * Formats the number of calendar days since an instant: "today", "yesterday", "3 days ago".
 *
 * @param timeZone decides when a day ends; the browser's by default
 */
export function formatDaysAgo(stamp: string, now = Date.now(), timeZone?: string): string {
  const days = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' });
  const dayOf = (instant: number) => Date.parse(days.format(instant)) / DAY_MS;
  return ages.format(Math.min(0, dayOf(Date.parse(stamp)) - dayOf(now)), 'day');
}
