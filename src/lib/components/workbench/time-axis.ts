/** Positions of bars, ticks and gaps on the timeline. */
import { dayAt, dayOfMonth, monthNumberAt } from '$lib/contract/calendar';
import { DAY_MS } from '$lib/contract/primitives';
import { formatMonth } from '../format';

/** A calendar day, counted from 1970-01-01, so that no time zone can shift it. */
type DayNumber = number;

/** First and last day, both included. */
export type Span = { from: DayNumber; to: DayNumber };

/** Returns the day of an ISO date; null for anything else, infinity included. */
function dayOf(iso: string | null): DayNumber | null {
  const at = iso === null ? NaN : Date.parse(`${iso.slice(0, 10)}T00:00:00Z`);
  return Number.isNaN(at) ? null : at / DAY_MS;
}

export const isoOf = (day: DayNumber): string => dayAt(day * DAY_MS);

/** Returns a span from two ISO dates; null if either is missing. */
export function spanOf(min: string | null, max: string | null): Span | null {
  const from = dayOf(min);
  const to = dayOf(max);
  return from === null || to === null ? null : { from, to };
}

/** The number of the month of a day, from January of the year 0. */
const monthOf = (day: DayNumber): number => monthNumberAt(day * DAY_MS);
const firstDay = (month: number): DayNumber => dayOfMonth(month) / DAY_MS;

/**
 * Returns the months between the first and the last span that no span touches. Gaps are whole months: a plan
 * by month has only one day per month, and the days in between are not a gap.
 */
export function gaps(spans: readonly Span[]): Span[] {
  const sorted = [...spans].sort((a, b) => a.from - b.from);
  const found: Span[] = [];
  let covered: number | null = null;
  for (const span of sorted) {
    const first = monthOf(span.from);
    if (covered !== null && first > covered + 1) {
      found.push({ from: firstDay(covered + 1), to: firstDay(first) - 1 });
    }
    covered = Math.max(covered ?? -Infinity, monthOf(span.to));
  }
  return found;
}

/** Returns the days that more than one span covers; adjacent days are joined to one span. */
export function overlaps(spans: readonly Span[]): Span[] {
  const sorted = [...spans].sort((a, b) => a.from - b.from);
  const found: Span[] = [];
  let reach = -Infinity;
  for (const span of sorted) {
    if (span.from <= reach) {
      const both = { from: span.from, to: Math.min(reach, span.to) };
      const last = found.at(-1);
      if (last && both.from <= last.to + 1) last.to = Math.max(last.to, both.to);
      else found.push(both);
    }
    reach = Math.max(reach, span.to);
  }
  return found;
}

type Tick = { day: DayNumber; label: string };

/** Returns an axis of whole months around the spans, with at most `most` ticks. */
export function axis(spans: readonly Span[], most: number): { domain: Span; ticks: Tick[] } | null {
  if (spans.length === 0) return null;
  const first = monthOf(Math.min(...spans.map((span) => span.from)));
  const last = monthOf(Math.max(...spans.map((span) => span.to)));
  const months = last - first + 1;
  const step = [1, 3, 6, 12, 24, 60, 120, 240, 600].find((s) => months / s <= most) ?? 1200;
  const ticks: Tick[] = [];
  for (let month = Math.ceil(first / step) * step; month <= last; month += step) {
    const day = firstDay(month);
    ticks.push({ day, label: step < 12 ? formatMonth(isoOf(day)) : String(month / 12) });
  }
  return { domain: { from: firstDay(first), to: firstDay(last + 1) - 1 }, ticks };
}
