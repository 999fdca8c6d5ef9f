/** Compares the levels that a forecast can be fitted at, by their errors at one of them. */
import { lastYear } from './fit';
import { type ForecastOptions, forecastSeries } from './forecast';
import { at, fillGaps } from './series';
import type { Forecasted } from './together';

/** Amounts by period, oldest first; null before the first one. */
type Amounts = readonly (number | null)[];

/** Sums of errors over cells and periods, in the terms of `forecastErrors`. */
export interface LevelErrors {
  mae: number;
  /** Root of the mean squared error. Unlike absolute errors, it favours forecasts of a mean. */
  rmse: number;
  wape: number | null;
  bias: number | null;
}

/** The end of a history that is withheld. */
export interface Withheld {
  /** The first withheld period. */
  cut: number;
  /** Number of withheld periods. */
  periods: number;
  /** Whether a period is left out, both for learning and for errors. */
  isIgnored: (period: number) => boolean;
}

/**
 * Returns the end of a history to withhold: as many periods as the horizon, at most a third; null if nothing is left.
 * An ignored end does not count.
 */
export function withhold(
  length: number,
  horizon: number,
  isIgnored: Withheld['isIgnored'],
): Withheld | null {
  let end = length;
  while (end > 0 && isIgnored(end - 1)) end--;
  const periods = Math.min(horizon, Math.floor(end / 3));
  return periods === 0 ? null : { cut: end - periods, periods, isIgnored };
}

/** Returns the amounts that are known before the withheld periods; null where they are ignored. */
const learnedFrom = (series: Amounts, { cut, isIgnored }: Withheld): (number | null)[] =>
  series.slice(0, cut).map((amount, t) => (isIgnored(t) ? null : amount));

/** Forecasts the withheld periods of a series from those before them. */
export function forecastWithheld(
  series: Amounts,
  withheld: Withheld,
  options: Omit<ForecastOptions, 'horizon'>,
): Forecasted {
  const history = learnedFrom(series, withheld);
  return { history, result: forecastSeries(history, { ...options, horizon: withheld.periods }) };
}

/** Moves the year before the withheld periods into them. */
export function lastYearMoved(series: Amounts, withheld: Withheld, period: number): number[] {
  const { periods } = withheld;
  const before = learnedFrom(series, withheld);
  const first = before.findIndex((amount) => amount !== null);
  if (first < 0) return Array.from({ length: periods }, () => 0);
  return lastYear(fillGaps(before.slice(first), period), periods, period).forecast;
}

/**
 * Spreads the forecast of a group over its parts as a load does: by their amounts in the same period of the last year
 * before it in which the group has amounts. Without such a year, nothing is spread.
 *
 * @returns for each part the amounts of the withheld periods
 */
export function spread(
  forecast: readonly number[],
  parts: readonly Amounts[],
  { cut }: Pick<Withheld, 'cut'>,
  period: number,
): number[][] {
  const spreads = parts.map((): number[] => []);
  for (const [h, amount] of forecast.entries()) {
    let carrier = cut + h - period * Math.ceil((h + 1) / period);
    while (carrier >= 0 && parts.every((part) => !part[carrier])) carrier -= period;
    const amounts = parts.map((part) => part[carrier] ?? 0);
    const total = amounts.reduce((sum, each) => sum + each, 0);
    const carriers = amounts.filter((each) => each !== 0).length;
    for (const [i, each] of amounts.entries()) {
      const share = total === 0 ? Number(each !== 0) / Math.max(1, carriers) : each / total;
      spreads[i]?.push(amount * share);
    }
  }
  return spreads;
}

/** Compares forecasts of cells with the withheld amounts. A cell without an amount has 0. */
export function errorsOfCells(
  forecasts: readonly (readonly number[])[],
  cells: readonly Amounts[],
  { cut, periods, isIgnored }: Withheld,
): LevelErrors {
  let [off, squares, over, size, count] = [0, 0, 0, 0, 0];
  for (const [c, cell] of cells.entries()) {
    for (let h = 0; h < periods; h++) {
      if (isIgnored(cut + h)) continue;
      const actual = cell[cut + h] ?? 0;
      const error = at(forecasts[c] ?? [], h) - actual;
      off += Math.abs(error);
      squares += error ** 2;
      over += error;
      size += Math.abs(actual);
      count += 1;
    }
  }
  const share = (sum: number) => (size === 0 ? null : sum / size);
  const average = (sum: number) => (count === 0 ? 0 : sum / count);
  return {
    ...{ mae: average(off), rmse: Math.sqrt(average(squares)) },
    ...{ wape: share(off), bias: share(over) },
  };
}
