/** Names of the calendar columns and time zones, and suggestions for dimensions that are derived from a date. */
import type { ColumnEntry, PeriodColumn } from '$lib/contract/columns';
import { distinct } from '../distinct';

/** Names of the calendar columns, each with an example for December 2026. */
export const PERIOD_NAMES: Readonly<Record<PeriodColumn, string>> = {
  cal_year: 'Year: 2026',
  cal_quarter: 'Quarter, as a number: 4',
  cal_month: 'Month, as a number: 12',
  cal_month_abbr: 'Month, short: Dec',
  cal_month_name: 'Month: December',
  cal_label: 'Year and month: 2026-12 Dec',
  period_key: 'Year and month: 2026-12',
  fisc_year: 'Fiscal year: 2027',
  fisc_quarter: 'Fiscal quarter, as a number: 2',
  fisc_quarter_label: 'Fiscal quarter: FY2027 Q2',
  fisc_month: 'Fiscal month, as a number: 6',
  fisc_month_abbr: 'Fiscal month, short: Dec',
  fisc_month_name: 'Fiscal month: December',
  fisc_label: 'Fiscal year and month: FY2027-06 Dec',
  sdat: 'First day of the month',
  edat: 'Last day of the month',
  ndays: 'Number of days in the month',
  drange: 'Days of the month, as a range',
};

/** Returns the time zones by name: UTC, the browser's, then all others. A stored one is always included. */
export function zoneOptions(stored: string | undefined): { value: string; label: string }[] {
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const names = [here, stored ?? here, ...Intl.supportedValuesOf('timeZone')];
  return [
    { value: '', label: 'Date in UTC' },
    ...distinct(names)
      .filter((name) => name !== 'UTC' || name === stored)
      .map((name) => ({ value: name, label: `Date in ${name}` })),
  ];
}

/** A dimension that is derived from a date. */
export interface DatePair {
  dimension: string;
  date: string;
  /** The matching calendar column; null if the calendar has none. */
  period: PeriodColumn | null;
}

type Sampled = Pick<ColumnEntry, 'cname' | 'role'> &
  Partial<Pick<ColumnEntry, 'type'>> & { samples: readonly unknown[] };

/**
 * Calendar texts that depend on the day alone. Fiscal periods are missing, because a fiscal year may begin in
 * any month.
 */
const PERIODS: readonly [PeriodColumn, (day: Date) => string][] = [
  ['period_key', (day) => day.toISOString().slice(0, 7)],
  ['cal_label', (day) => `${day.toISOString().slice(0, 7)} ${monthName(day, 'short')}`],
  ['cal_year', (day) => String(day.getUTCFullYear())],
  ['cal_month', (day) => String(day.getUTCMonth() + 1)],
  ['cal_quarter', (day) => String(Math.floor(day.getUTCMonth() / 3) + 1)],
  ['cal_month_abbr', (day) => monthName(day, 'short')],
  ['cal_month_name', (day) => monthName(day, 'long')],
];

const monthName = (day: Date, month: 'short' | 'long') =>
  new Intl.DateTimeFormat('en-US', { month, timeZone: 'UTC' }).format(day);

/** With fewer distinct months in the sample, a pair may be a coincidence. */
const ENOUGH_MONTHS = 2;
/** Number of distinct months that a text unknown to the calendar must distinguish to be paired. */
const ENOUGH_TEXTS = 3;

/**
 * Suggests the dimensions that repeat the date of their row in every sample row, such as its month as a text
 * or its year. The first matching date is used.
 */
export function suggestPairs(columns: readonly Sampled[]): DatePair[] {
  const dates = columns.filter(({ role }) => role === 'date');
  return columns
    .filter(({ role }) => role === 'dimension')
    .flatMap((dimension): DatePair[] => {
      for (const date of dates) {
        const rows = pairsOf(date, dimension);
        const period = rows && periodOf(rows);
        if (period !== undefined && period !== null)
          return [{ dimension: dimension.cname, date: date.cname, period }];
        if (rows && isMonth(rows))
          return [
            {
              dimension: dimension.cname,
              date: date.cname,
              period: isMonthOfYear(dimension, rows) ? 'period_key' : null,
            },
          ];
      }
      return [];
    });
}

interface SamplePair {
  day: Date;
  text: string;
}

/** Returns day and text of each sample row; null if a row has only one of them. */
function pairsOf(date: Sampled, dimension: Sampled): SamplePair[] | null {
  const rows: SamplePair[] = [];
  for (const [i, value] of dimension.samples.entries()) {
    const day = date.samples[i] ?? null;
    if (value === null && day === null) continue;
    const iso = /^\d{4}-\d\d-\d\d/.exec(String(day))?.[0];
    if (value === null || iso === undefined) return null;
    rows.push({ day: new Date(`${iso}T00:00:00Z`), text: String(value) });
  }
  return rows;
}

const monthOf = ({ day }: SamplePair) => day.toISOString().slice(0, 7);

function periodOf(rows: readonly SamplePair[]): PeriodColumn | null {
  if (new Set(rows.map(({ text }) => text)).size < ENOUGH_MONTHS) return null;
  const found = PERIODS.find(([, write]) => rows.every(({ day, text }) => write(day) === text));
  return found?.[0] ?? null;
}

/**
 * Returns whether a text column distinguishes the months of different years, such as "Sep 2026" or "202609".
 * The calendar can then fill it; the source's own text would not change when a load moves the date.
 */
const isMonthOfYear = ({ type }: Sampled, rows: readonly SamplePair[]): boolean =>
  /^(text|character|varchar)/.test(type ?? '') && rows.every(({ text }) => /\d\d/.test(text));

/** Returns whether each month has one text, and each text one month. */
function isMonth(rows: readonly SamplePair[]): boolean {
  const months = new Set(rows.map(monthOf));
  const texts = new Set(rows.map(({ text }) => text));
  const both = new Set(rows.map((row) => `${monthOf(row)} ${row.text}`));
  // A column with a different value in each row also distinguishes months, so values must repeat.
  const isRepeated = rows.length > months.size;
  return (
    isRepeated &&
    months.size >= ENOUGH_TEXTS &&
    months.size === texts.size &&
    both.size === months.size
  );
}
