/** The periods of a clone that have a factor of their own: their checks, and a ramp over months. */
import type { Factor } from '../../contract/movement';
import { DAY_MS } from '../../contract/primitives';
import { ISO_DAY } from '../../pivot/slice/date-ranges';
import { parseDay, toScalar } from '../../pivot/values/cell-value';
import { lastDayOf, startOf } from '../../pivot/values/time-unit';

/** A period as the form holds it. */
export interface FactorPeriod {
  /** The first day as ISO text; null if the period has no beginning. */
  from: string | null;
  /** The last day as ISO text; null if the period has no end. */
  to: string | null;
  /** Null if it is not typed yet, NaN if it cannot be read. */
  factor: number | null;
}

/** A period in which nothing is filled in. */
export const BLANK_PERIOD: FactorPeriod = { from: null, to: null, factor: null };

const isFilled = (factor: number | null): factor is number =>
  factor !== null && !Number.isNaN(factor);

/** Years may have more than four digits. */
const numberOf = (day: string | null, open: number): number =>
  day === null ? open : Number(day.replaceAll('-', ''));

/**
 * Returns why the periods cannot be sent; null if they can. Periods count from 1, in the order of the form
 * (docs/contract/14-what-the-operations-compute.md#clone).
 */
export function whyNoFactors(periods: readonly FactorPeriod[]): string | null {
  const ranges = periods.map((period, i) => ({
    ...period,
    name: i + 1,
    first: numberOf(period.from, -Infinity),
    last: numberOf(period.to, Infinity),
  }));
  for (const { name, from, to, factor, first, last } of ranges) {
    if (from === null && to === null) return `Period ${name} needs a first or a last day.`;
    if (!isFilled(factor)) return `Period ${name} needs a factor, such as 30% or 0.3.`;
    if (first > last) return `Period ${name} ends before it begins.`;
  }
  const ordered = ranges.toSorted((a, b) => a.first - b.first);
  for (const [i, { first, name }] of ordered.entries()) {
    const before = ordered[i - 1];
    if (before && before.last >= first) {
      const [one, other] = [before.name, name].toSorted((a, b) => a - b);
      return `Periods ${one} and ${other} overlap.`;
    }
  }
  return null;
}

/** Returns the factors of a request. @param periods that {@link whyNoFactors} accepts */
export const factorsOf = (periods: readonly FactorPeriod[]): Factor[] =>
  periods.map(({ from, to, factor }) => ({
    ...(from !== null && { from }),
    ...(to !== null && { to }),
    factor: factor ?? 1,
  }));

/** The most months that a ramp may have. */
export const MOST_MONTHS = 120;

const dayText = (ms: number): string => String(toScalar(ms, 'date'));

/**
 * Returns the periods of a ramp: nothing before a day, then that day and the rest of its month, then whole months.
 * The factor rises in equal steps, and the last month has the full one.
 *
 * @param day ISO text
 * @param months a whole number from 1 to {@link MOST_MONTHS}
 * @param full the factor of the last month
 * @returns null for another day or number of months
 */
export function rampOver(day: string, months: number, full: number): FactorPeriod[] | null {
  const isWhole = Number.isInteger(months) && months >= 1 && months <= MOST_MONTHS;
  if (!isWhole || !ISO_DAY.test(day)) return null;
  const start = parseDay(day);
  let first = start;
  const rising = Array.from({ length: months }, (_, i): FactorPeriod => {
    const last = lastDayOf(startOf(first, 'month'), 'month');
    const [from, to] = [dayText(first), dayText(last)];
    first = last + DAY_MS;
    const step = Number(((full * (i + 1)) / months).toPrecision(4));
    return { from, to, factor: i + 1 === months ? full : step };
  });
  return [{ from: null, to: dayText(start - DAY_MS), factor: 0 }, ...rising];
}

/** Returns the first day that is copied, if the periods copy nothing before it; otherwise null. */
export function nothingBefore(periods: readonly FactorPeriod[]): string | null {
  const open = periods.find(({ from, to, factor }) => from === null && to !== null && factor === 0);
  return open?.to == null ? null : dayText(parseDay(open.to) + DAY_MS);
}
