/** Slow and lumpy series: how they differ from others, and methods that forecast their mean. */
import { errorDeviation, type Fit } from './fit';
import { at, mean, sum } from './series';

/** The least mean interval, in periods, between the amounts of a slow series. */
const SLOW_INTERVAL = 1.32;
/** The least squared variation of the amounts of an erratic or lumpy series. */
const ERRATIC_VARIATION = 0.49;

/** How a series sells. */
export interface Demand {
  /** Mean number of periods from one amount to the next; infinite without amounts. */
  interval: number;
  /** Squared coefficient of variation of the amounts other than 0. */
  variation: number;
  /** Whether many periods have no amount. */
  isSlow: boolean;
  /** Whether the sizes of the amounts vary widely. */
  isErratic: boolean;
}

/**
 * Classifies a series by the interval and the variation of its amounts.
 *
 * Source: Syntetos, Boylan and Croston (2005), On the categorization of demand patterns, Journal of the Operational
 * Research Society 56.
 */
export function demandOf(values: readonly number[]): Demand {
  const amounts = values.filter((value) => value !== 0);
  const average = mean(amounts);
  const squares = mean(amounts.map((amount) => (amount - average) ** 2));
  const interval = amounts.length === 0 ? Infinity : values.length / amounts.length;
  const variation = average === 0 ? 0 : squares / average ** 2;
  return {
    ...{ interval, variation },
    isSlow: amounts.length > 0 && interval >= SLOW_INTERVAL,
    isErratic: variation >= ERRATIC_VARIATION,
  };
}

/** The fewest runs of empty periods that are no closure. */
const FEWEST_RUNS = 3;

/**
 * Returns the newest part of a series by which it is slow: all of it, or its newer half of at least two years, if that
 * has several runs of empty periods. An article that once sold in each period can have become slow.
 *
 * @param period number of periods of a year
 * @returns null if the series is not slow
 */
export function slowPart(values: readonly number[], period: number): readonly number[] | null {
  if (demandOf(values).isSlow) return values;
  const newer = values.slice(-Math.max(2 * period, Math.ceil(values.length / 2)));
  const runs = newer.filter((value, t) => value === 0 && newer[t - 1] !== 0).length;
  return runs >= FEWEST_RUNS && demandOf(newer).isSlow ? newer : null;
}

/**
 * The mean of all periods after the first amount. The first period of a series mostly has an amount because the series
 * begins there, so it would make the mean too high.
 */
export function meanOfPeriods(values: readonly number[], horizon: number): Fit {
  const first = Math.max(
    0,
    values.findIndex((value) => value !== 0),
  );
  const later = values.length - first > 1 ? values.slice(first + 1) : values.slice(first);
  const average = mean(later);
  const squares = sum(later.map((value) => (value - average) ** 2));
  const sigma =
    Math.sqrt(squares / Math.max(1, later.length - 1)) * Math.sqrt(1 + 1 / later.length);
  let total = 0;
  const fitted = values.map((value, t) => {
    const count = t - first - 1;
    const expected = count > 0 ? total / count : null;
    if (t > first) total += value;
    return expected;
  });
  return {
    fitted,
    forecast: Array.from({ length: horizon }, () => average),
    deviation: Array.from({ length: horizon }, () => sigma),
    parameters: { mean: average },
  };
}

/** Share of a new amount, and of whether there was one, in their averages. */
const ALPHA = 0.1;
/** Number of periods that the share at the start is taken from. */
const OPENING = 12;

/**
 * The method of Teunter, Syntetos and Babai: smoothed size of the amounts times the smoothed share of periods with an
 * amount. The share falls in each period without one, so the forecast of a series that dies out falls too.
 *
 * Source: Teunter, Syntetos and Babai (2011), Intermittent demand: linking forecasting to inventory obsolescence,
 * European Journal of Operational Research 214.
 *
 * @param values at least one of them not 0
 */
export function tsb(values: readonly number[], horizon: number): Fit {
  const first = values.findIndex((value) => value !== 0);
  const opening = values.slice(first + 1, first + 1 + OPENING);
  let share = opening.length === 0 ? 1 : mean(opening.map((value) => Number(value !== 0)));
  let size = at(values, first);
  const fitted = values.map((value, t) => {
    if (t <= first) return null;
    const expected = share * size;
    share += ALPHA * (Number(value !== 0) - share);
    if (value !== 0) size += ALPHA * (value - size);
    return expected;
  });
  const sigma = errorDeviation(values, fitted, 0);
  return {
    fitted,
    forecast: Array.from({ length: horizon }, () => share * size),
    deviation: Array.from({ length: horizon }, () => sigma),
    parameters: { alpha: ALPHA, size, share },
  };
}

/** A run of periods without an amount is not chance if it has at most this probability. */
const CHANCE = 0.01;
/** A run is also longer than all earlier ones, this many times. */
const LONGER = 1.5;

/**
 * Returns the number of periods at the end of a series without an amount, if the series counts as discontinued: the run
 * is at least half a year, longer than all earlier ones, and too long to be chance, and the same periods of the year
 * before had an amount; 0 otherwise.
 *
 * @param period number of periods of a year
 */
export function discontinuedFor(values: readonly number[], period: number): number {
  const last = values.findLastIndex((value) => value !== 0);
  const run = values.length - 1 - last;
  const first = values.findIndex((value) => value !== 0);
  if (last <= first || run < Math.max(2, period / 2)) return 0;
  const [from, to] = [last + 1, values.length].map((end) => Math.max(0, end - period));
  const yearBefore = values.slice(from, to);
  if (yearBefore.every((value) => value === 0)) return 0;
  let [longest, current, amounts] = [0, 0, 0];
  for (let t = first + 1; t <= last; t++) {
    if (at(values, t) === 0) current++;
    else {
      amounts++;
      current = 0;
    }
    longest = Math.max(longest, current);
  }
  // A life always ends with an amount, so the share leaves out one of the amounts.
  const share = amounts / (last - first + 1);
  return run > LONGER * longest && (1 - share) ** run <= CHANCE ? run : 0;
}

/**
 * Returns limits that hold a share of the amounts of a slow series, which are far from a normal distribution: quantiles
 * of its amounts. A forecast that differs from their mean counts as a change of the share of periods with an amount, up
 * to all periods, and beyond that as a change of the sizes; of amounts of both signs it changes neither. A limit is 0 if
 * enough periods have no amount.
 *
 * Source: Hyndman and Fan (1996), Sample quantiles in statistical packages, The American Statistician 50, definition 6.
 */
export function limitsOfSlow(
  values: readonly number[],
  forecast: readonly number[],
  share: number,
): { lower: number[]; upper: number[] } {
  const later = values.slice(values.findIndex((value) => value !== 0) + 1);
  const sizes = later.filter((value) => value !== 0).toSorted((a, b) => a - b);
  const average = mean(later);
  if (sizes.length === 0) return { lower: [...forecast], upper: [...forecast] };
  // The probability of an amount in the next period, by Laplace's rule of succession.
  const frequent = (sizes.length + 1) / (later.length + 2);
  const positive = sizes.filter((size) => size > 0).length / sizes.length;
  const areBoth = positive > 0 && positive < 1;
  const ofSizes = (probability: number) => {
    const place = probability * (sizes.length + 1) - 1;
    const [lower = 0, upper = 0] = [Math.floor(place), Math.ceil(place)].map((i) =>
      at(sizes, Math.min(sizes.length - 1, Math.max(0, i))),
    );
    return lower + (place - Math.floor(place)) * (upper - lower);
  };
  // Periods without an amount are between those below 0 and those above.
  const quantile = (probability: number, frequency: number) => {
    if (probability < frequency * (1 - positive)) return ofSizes(probability / frequency);
    if (1 - probability >= frequency * positive) return 0;
    return ofSizes(1 - (1 - probability) / frequency);
  };
  const limits = forecast.map((value) => {
    const rate = areBoth ? frequent : (frequent * value) / average;
    const [frequency, size] = [Math.min(1, Math.max(0, rate)), Math.max(1, rate)];
    const outside = (1 - share) / 2;
    const [least, most] = [quantile(outside, frequency), quantile(1 - outside, frequency)];
    // A limit of 0 has nothing outside, so the other one may have all of it.
    const lower = most === 0 ? quantile(1 - share, frequency) : least;
    const upper = least === 0 ? quantile(share, frequency) : most;
    return { lower: Math.min(value, size * lower), upper: Math.max(value, size * upper) };
  });
  return {
    lower: limits.map(({ lower }) => lower),
    upper: limits.map(({ upper }) => upper),
  };
}
