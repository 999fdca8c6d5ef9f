/** A history and its forecast as lines. */
import { periodOfDay } from '$lib/contract/calendar';
import type { ForecastPreview, ForecastUnit, GroupForecast } from '$lib/contract/forecasts';
import {
  type Extent,
  extentOf,
  placeOf,
  roundSteps,
  rounded,
  type ScaleStep,
} from '../chart-scale';

/** Lines to draw, as the points attributes of SVG elements, with the size of their box. */
interface ForecastLines {
  /** The amounts that are known; several pieces if some are missing. */
  history: string[];
  fit: string[];
  /** Begins at the last known amount. */
  forecast: string;
  /** The areas of the bands. */
  band80: string;
  band95: string;
  /** Horizontal position of the end of the history. */
  now: number;
  /** Height of the amount 0; null if it is outside. */
  zero: number | null;
}

/** Returns the number of periods between the history and the horizon of a preview. */
export function periodsBetween(
  { history, horizon }: Pick<ForecastPreview, 'history' | 'horizon'>,
  unit: ForecastUnit,
): number {
  const [last, first] = [history.at(-1), horizon[0]];
  if (last === undefined || first === undefined) return 0;
  return periodOfDay(first, unit) - periodOfDay(last, unit) - 1;
}

/**
 * Returns the number of the period at a place of the chart, from 0.
 *
 * @param place from 0 at the left edge to 1 at the right one; places outside belong to the nearest period
 * @param count number of periods of the chart
 */
export const periodAt = (place: number, count: number): number =>
  Math.min(count - 1, Math.max(0, Math.floor(place * count)));

/**
 * Returns the stripes of the chart that cover periods, one for each run of them.
 *
 * @param covered whether each period of the history is covered
 * @param count number of periods of the chart
 */
export function stripesOf(
  covered: readonly boolean[],
  count: number,
  width: number,
): { x: number; width: number }[] {
  return covered.flatMap((isCovered, i) => {
    if (!isCovered || covered[i - 1] === true) return [];
    const end = covered.indexOf(false, i);
    const length = (end < 0 ? covered.length : end) - i;
    return [{ x: rounded((i / count) * width), width: rounded((length / count) * width) }];
  });
}

/** Returns the smallest and the largest amount of a chart, 0 included. */
const extentOfGroup = ({ history, fit, forecast, band95, events }: GroupForecast): Extent =>
  extentOf([
    ...[history, fit, forecast, band95.lower, band95.upper].flat(),
    ...events.flatMap((event) => [...event.history, ...event.horizon]),
  ]);

/** Returns the scale of a chart; see {@link roundSteps}. */
export const scaleOf = (group: GroupForecast, height: number): ScaleStep[] =>
  roundSteps(extentOfGroup(group), height);

/**
 * Returns the lines of a group's forecast. The largest amount is at the top.
 *
 * @param between number of periods between the history and the horizon
 */
export function forecastLines(
  group: GroupForecast,
  between: number,
  { width, height }: { width: number; height: number },
): ForecastLines {
  const { history, fit, forecast, band80, band95 } = group;
  const extent = extentOfGroup(group);
  const [least, most] = extent;
  const count = history.length + between + forecast.length;
  const start = history.length + between;
  const xOf = (i: number) => rounded(((i + 0.5) / count) * width);
  const yOf = (amount: number) => placeOf(amount, extent, height);
  const point = (amount: number, i: number) => `${xOf(i)},${yOf(amount)}`;

  const pieces = (amounts: readonly (number | null)[]): string[] => {
    const found: string[][] = [[]];
    for (const [i, amount] of amounts.entries()) {
      if (amount === null) found.push([]);
      else found.at(-1)?.push(point(amount, i));
    }
    return found.filter((piece) => piece.length > 0).map((piece) => piece.join(' '));
  };
  const area = ({ lower, upper }: { lower: number[]; upper: number[] }): string =>
    [
      ...upper.map((amount, i) => point(amount, start + i)),
      ...lower.map((amount, i) => point(amount, start + i)).toReversed(),
    ].join(' ');
  const last = history.findLastIndex((amount) => amount !== null);
  const from = history[last];
  return {
    history: pieces(history),
    fit: pieces(fit),
    forecast: [
      ...(from == null ? [] : [point(from, last)]),
      ...forecast.map((amount, i) => point(amount, start + i)),
    ].join(' '),
    band80: area(band80),
    band95: area(band95),
    now: rounded((history.length / count) * width),
    zero: least < 0 && most > 0 ? yOf(0) : null,
  };
}

/**
 * Returns a line and stripes for each event. The line has the amount that the event adds to each period of the chart, 0
 * in the periods without it. The stripes mark the periods of the event.
 *
 * @param between number of periods between the history and the horizon
 */
export function eventLines(
  group: GroupForecast,
  { history, horizon, events }: Pick<ForecastPreview, 'history' | 'horizon' | 'events'>,
  between: number,
  { width, height }: { width: number; height: number },
): { name: string; points: string; stripes: ReturnType<typeof stripesOf> }[] {
  const extent = extentOfGroup(group);
  const days = [...history, ...Array.from({ length: between }, () => null), ...horizon];
  return group.events.map(({ name, ...added }, k) => {
    const of = events[k];
    const amounts = new Map([
      ...(of?.history ?? []).map((day, i) => [day, added.history[i] ?? 0] as const),
      ...(of?.horizon ?? []).map((day, i) => [day, added.horizon[i] ?? 0] as const),
    ]);
    const points = days.map((day, i) => {
      const amount = day === null ? 0 : (amounts.get(day) ?? 0);
      return `${rounded(((i + 0.5) / days.length) * width)},${placeOf(amount, extent, height)}`;
    });
    const covered = days.map((day) => day !== null && amounts.has(day));
    return { name, points: points.join(' '), stripes: stripesOf(covered, days.length, width) };
  });
}
