/** The line of a plan by month, as the home page draws it. */
import { firstDay, monthNumber } from '$lib/contract/calendar';
import { type Extent, placeOf, rounded } from '../chart-scale';

/** The total of a plan in a month, which is named by its first day. */
export interface Month {
  month: string;
  amount: number;
}

/** A line to draw, with the size of its box. */
interface Sparkline {
  first: Month;
  last: Month;
  lowest: Month;
  highest: Month;
  /** The points attribute of an SVG polyline. */
  points: string;
  /** Position of the last month. */
  end: { x: number; y: number };
}

/** Padding, so that the stroke is not cut at the edges. */
const EDGE = 2;

/**
 * Returns the line of a plan by month; null for fewer than two months. A month without rows counts as 0.
 *
 * @param months oldest first
 */
export function sparkline(
  months: readonly Month[],
  { width, height }: { width: number; height: number },
): Sparkline | null {
  const places = months.map(({ month }) => monthNumber(month));
  const [first, last] = [months[0], months.at(-1)];
  const [from, to] = [places[0], places.at(-1)];
  if (!first || !last || from === undefined || to === undefined || !(to > from)) return null;

  const points: (Month & { at: number })[] = [];
  const addNothing = (at: number) => points.push({ at, month: firstDay(at, 'month'), amount: 0 });
  for (const [i, each] of months.entries()) {
    const at = places[i] ?? from;
    const before = points.at(-1)?.at ?? at;
    if (at - before > 1) addNothing(before + 1);
    if (at - before > 2) addNothing(at - 1);
    points.push({ at, ...each });
  }
  const amounts = points.map(({ amount }) => amount);
  const extent: Extent = [Math.min(...amounts), Math.max(...amounts)];
  const xOf = (at: number) => EDGE + ((at - from) / (to - from)) * (width - 2 * EDGE);
  const yOf = (amount: number) => EDGE + placeOf(amount, extent, height - 2 * EDGE);
  const extreme = (isMore: (a: number, b: number) => boolean) =>
    points.reduce<Month>(
      (found, each) => (isMore(each.amount, found.amount) ? each : found),
      first,
    );
  return {
    ...{ first, last },
    lowest: extreme((a, b) => a < b),
    highest: extreme((a, b) => a > b),
    points: points.map(({ at, amount }) => `${rounded(xOf(at))},${rounded(yOf(amount))}`).join(' '),
    end: { x: rounded(xOf(to)), y: rounded(yOf(last.amount)) },
  };
}
