/** Events that come again, such as Easter: how far they lift a series, its history without them, its forecast with them. */
import { at, mean, sum, sumOfKnown } from './series';

/** The part of an event that falls into each period: 0 without the event, 1 for a whole one. */
export type Shares = readonly number[];

/** How far an event lifts the amount of a period that it falls into as a whole. */
export interface Lift {
  /** Whether `size` is a share of the amount without the event; otherwise it is an amount. */
  isShare: boolean;
  size: number;
  /** Variance of the size; infinite as long as no period tells about it. */
  variance: number;
}

/** A series and the lifts of events in it. */
export interface MeasuredEvents {
  /** Oldest first; null where the amount is not known. */
  history: readonly (number | null)[];
  /** The amount that each period would have without events. */
  expected: number[];
  /** In the order of the events. */
  lifts: Lift[];
}

/** Number of periods before and after an event that it is compared with. */
const NEIGHBOURS = 2;

/**
 * The most weight of a season. The rest decides about an event that is in the same season each year, which the season
 * would explain as a whole.
 */
const MOST_WEIGHT = 0.999;

/** Rounds in which seasons and lifts are estimated from each other. */
const ROUNDS = 4;

/** Number of times that the equations of the lifts are solved one after the other. */
const SWEEPS = 20;

/** A lift is a share if the amount without the event is at least this share of the amount with it. */
const LEAST_BASE = 0.1;

/**
 * Measures how far events lift a series. The periods of an event are compared with those before and after it, and with
 * the same periods of years in which the event fell elsewhere. How much the second comparison counts follows from how
 * well it explains periods without events: it is a random effect of the season, estimated by least squares together with
 * the lifts. A lift is a share of the amount without the event; it is an amount if the series has amounts below 0 or
 * next to nothing without the event.
 *
 * Source: Henderson (1975), Best linear unbiased estimation and prediction under a selection model, Biometrics 31.
 *
 * @param history oldest first; null where the amount is not known
 * @param events the shares of each event in the periods of the history
 * @param period number of periods of a season
 */
export function measureEvents(
  history: readonly (number | null)[],
  events: readonly Shares[],
  period: number,
): MeasuredEvents {
  if (events.length === 0) return { history, expected: [], lifts: [] };
  const isPositive = !hasNegative(history);
  const known = history.flatMap((amount, t) => (amount === null ? [] : [t]));
  const isClean = history.map((_, t) => events.every((shares) => shares[t] === 0));
  const clean = known.filter((t) => isClean[t]);
  const amount = (t: number) => history[t] ?? 0;
  const seasonsOf = (periods: readonly number[]) => {
    const found = Array.from({ length: period }, (): number[] => []);
    for (const t of periods) found[t % period]?.push(t);
    return found;
  };
  const [seasons, cleanSeasons] = [seasonsOf(known), seasonsOf(clean)];

  let expected = neighbours(history.length, clean, amount);
  const areShares = events.map((shares) => {
    const total = (of: (t: number) => number) => sum(known.map((t) => at(shares, t) * of(t)));
    return isPositive && total((t) => at(expected, t)) >= LEAST_BASE * total(amount);
  });
  let sizes = events.map(() => 0);
  let variances = events.map(() => Infinity);
  for (let round = 0; round < ROUNDS; round++) {
    const without = history.map((value, t) => (isClean[t] ? (value ?? 0) : (expected[t] ?? 0)));
    const base = (t: number) => without[t] ?? 0;
    const nearby = neighbours(history.length, round === 0 ? clean : known, base);
    const levels = levelsOf(history.length, round === 0 ? clean : known, base, period);
    const inLevels = (value: number, t: number) => {
      const level = levels[t] ?? 0;
      return level === 0 ? 0 : value / level;
    };
    const deviations = nearby.map((each, t) => inLevels(amount(t) - each, t));
    const { noise, spread } = variancesOf(
      cleanSeasons.map((season) => season.map((t) => deviations[t] ?? 0)),
    );
    const weights = seasons.map(({ length }) =>
      spread === 0 ? 0 : Math.min(MOST_WEIGHT, (length * spread) / (noise + length * spread)),
    );
    const effects = events.map((shares, k) =>
      shares.map((share, t) =>
        share === 0 ? 0 : inLevels(share * (areShares[k] ? (expected[t] ?? 0) : 1), t),
      ),
    );
    const within = (a: readonly number[], b: readonly number[]) => product(a, b, seasons, weights);
    const products = effects.map((effect) => effects.map((other) => within(effect, other)));
    sizes = solved(
      products,
      effects.map((effect) => within(effect, deviations)),
    );
    variances = products.map((row, k) => (at(row, k) > 0 ? noise / at(row, k) : Infinity));
    const remaining = deviations.map((deviation, t) => {
      let lifted = 0;
      for (const [k, effect] of effects.entries()) lifted += (sizes[k] ?? 0) * (effect[t] ?? 0);
      return deviation - lifted;
    });
    const figure = seasons.map(
      (season, j) => at(weights, j) * mean(season.map((t) => remaining[t] ?? 0)),
    );
    expected = nearby.map((each, t) => {
      const value = each + (levels[t] ?? 0) * (figure[t % period] ?? 0);
      return isPositive ? Math.max(0, value) : value;
    });
  }
  return {
    history,
    expected,
    lifts: sizes.map((size, k) => ({
      isShare: areShares[k] ?? false,
      size,
      variance: at(variances, k),
    })),
  };
}

/** Solves the normal equations of the lifts, one after the other, until they agree. An event without a period has 0. */
function solved(products: readonly (readonly number[])[], totals: readonly number[]): number[] {
  const sizes = totals.map(() => 0);
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    for (const [k, row] of products.entries()) {
      const others = sum(row.map((each, i) => (i === k ? 0 : each * at(sizes, i))));
      sizes[k] = at(row, k) > 0 ? (at(totals, k) - others) / at(row, k) : 0;
    }
  }
  return sizes;
}

/** Returns the product of two lists over the periods of all seasons, less the part that the seasons explain. */
function product(
  a: readonly number[],
  b: readonly number[],
  seasons: readonly (readonly number[])[],
  weights: readonly number[],
): number {
  let total = 0;
  for (const [j, season] of seasons.entries()) {
    let both = 0;
    let first = 0;
    let second = 0;
    for (const t of season) {
      const one = a[t] ?? 0;
      const other = b[t] ?? 0;
      both += one * other;
      first += one;
      second += other;
    }
    total += both - (at(weights, j) * first * second) / Math.max(1, season.length);
  }
  return total;
}

/** Returns for each period the line between the means of the nearest periods before and after it. */
function neighbours(
  length: number,
  periods: readonly number[],
  amount: (t: number) => number,
): number[] {
  const [places, amounts] = [sumsOf(periods), sumsOf(periods.map(amount))];
  const meanOf = (sums: Float64Array, from: number, to: number) =>
    ((sums[to] ?? 0) - (sums[from] ?? 0)) / (to - from);
  let next = 0;
  return Array.from({ length }, (_, t) => {
    while ((periods[next] ?? Infinity) <= t) next++;
    const end = periods[next - 1] === t ? next - 1 : next;
    const start = Math.max(0, end - NEIGHBOURS);
    const last = Math.min(periods.length, next + NEIGHBOURS);
    if (start === end && next === last) return 0;
    if (start === end) return meanOf(amounts, next, last);
    if (next === last) return meanOf(amounts, start, end);
    const from = meanOf(places, start, end);
    const to = meanOf(places, next, last);
    const left = meanOf(amounts, start, end);
    const right = meanOf(amounts, next, last);
    return left + ((t - from) / (to - from)) * (right - left);
  });
}

/** Returns the sums of the first n values, for each n. */
function sumsOf(values: readonly number[]): Float64Array {
  const sums = new Float64Array(values.length + 1);
  for (let t = 0; t < values.length; t++) sums[t + 1] = (sums[t] ?? 0) + (values[t] ?? 0);
  return sums;
}

/** Returns for each period the mean size of the amounts within half a season before and after it; 0 without any. */
function levelsOf(
  length: number,
  periods: readonly number[],
  amount: (t: number) => number,
  period: number,
): number[] {
  const half = Math.ceil(period / 2);
  const [sizes, counts] = [new Array<number>(length).fill(0), new Array<number>(length).fill(0)];
  for (const t of periods) {
    sizes[t] = Math.abs(amount(t));
    counts[t] = 1;
  }
  const [sums, numbers] = [sumsOf(sizes), sumsOf(counts)];
  return Array.from({ length }, (_, t) => {
    const from = Math.max(0, t - half);
    const to = Math.min(length, t + half + 1);
    const count = (numbers[to] ?? 0) - (numbers[from] ?? 0);
    return count === 0 ? 0 : ((sums[to] ?? 0) - (sums[from] ?? 0)) / count;
  });
}

/** Returns the variance of deviations within their seasons, and that of the means of the seasons. */
function variancesOf(seasons: readonly (readonly number[])[]): { noise: number; spread: number } {
  let [squares, freedom] = [0, 0];
  for (const season of seasons) {
    const average = mean(season);
    for (const each of season) squares += (each - average) ** 2;
    freedom += Math.max(0, season.length - 1);
  }
  if (freedom === 0) {
    const all = seasons.flat();
    return { noise: mean(all.map((each) => each ** 2)), spread: 0 };
  }
  const noise = squares / freedom;
  const filled = seasons.filter(({ length }) => length > 0);
  const spread = mean(filled.map((season) => mean(season) ** 2 - noise / season.length));
  return { noise, spread: Math.max(0, spread) };
}

/** What several series say about the lift of an event. */
export interface LikelyLift {
  /** As a share. */
  size: number;
  /** Variance of the lifts of the single series around it. */
  spread: number;
}

/**
 * Returns the likely lift of each event in series of one measure. It is the lift in their sum, which has less noise than
 * the series.
 *
 * Source: DerSimonian and Laird (1986), Meta-analysis in clinical trials, Controlled Clinical Trials 7, for the spread.
 *
 * @param measured series of the same periods; those with amounts below 0 are left out
 * @returns an empty list for a single series; null for an event whose lift is no share in the sum
 */
export function likelyLifts(
  measured: readonly MeasuredEvents[],
  events: readonly Shares[],
  period: number,
): (LikelyLift | null)[] {
  const summed = measured.flatMap(({ history }) => (hasNegative(history) ? [] : [history]));
  if (events.length === 0 || summed.length < 2) return [];
  const total = (summed[0] ?? []).map((_, t) => sumOfKnown(summed.map((history) => history[t])));
  return measureEvents(total, events, period).lifts.map((lift, k) => {
    if (!lift.isShare) return null;
    const { size } = shrunk(lift);
    let [precision, squares, count] = [0, 0, 0];
    for (const { lifts } of measured) {
      const own = lifts[k];
      if (!own?.isShare || own.variance === Infinity || own.variance === 0) continue;
      precision += 1 / own.variance;
      squares += (own.size - size) ** 2 / own.variance;
      count++;
    }
    return { size, spread: count === 0 ? 0 : Math.max(0, (squares - count) / precision) };
  });
}

/** A series and the events that were taken out of it. */
export interface WithoutEvents {
  /** The history without the events. */
  history: (number | null)[];
  /** The amount that was expected in each period without the events; null where the amount is not known. */
  expected: (number | null)[];
  /** In the order of the events. */
  lifts: Lift[];
}

/**
 * Takes events out of a history. An amount that they raise is divided by their factor. One that they lower gets the
 * share of the expected amount that they took away, since nothing may be left of it.
 *
 * @param likely see {@link likelyLifts}
 */
export function takeOut(
  { history, expected, lifts: measured }: MeasuredEvents,
  events: readonly Shares[],
  likely: readonly (LikelyLift | null)[],
): WithoutEvents {
  if (events.length === 0) return { history: [...history], expected: [], lifts: [] };
  const isPositive = !hasNegative(history);
  const lifts = measured.map((lift, k) => {
    const { isShare } = lift;
    const { size, variance } = shrunk(lift, isShare ? likely[k] : null);
    return { isShare, size: isPositive ? Math.max(isShare ? -1 : 0, size) : size, variance };
  });
  const effects = effectsOf(lifts, events);
  const without = history.map((amount, t) => {
    if (amount === null) return null;
    const { factor, added } = effects[t] ?? NO_EFFECT;
    const rest = amount - added;
    const each = factor > 1 ? rest / factor : rest + (1 - factor) * at(expected, t);
    return isPositive ? Math.max(0, each) : each;
  });
  return {
    history: without,
    expected: expected.map((amount, t) => (history[t] === null ? null : amount)),
    lifts,
  };
}

/**
 * Moves a measured lift of variance v towards the likely one, the more the less certain it is: their difference counts
 * s / (s + v), where s is the spread of the lifts. Without a likely lift, it is moved towards 0 in the same way, with its
 * own square in place of s.
 */
function shrunk({ size, variance }: Lift, likely?: LikelyLift | null): Omit<Lift, 'isShare'> {
  const { size: centre, spread } = likely ?? { size: 0, spread: size ** 2 };
  if (variance === Infinity || spread + variance === 0) return { size: centre, variance: spread };
  const weight = spread / (spread + variance);
  return { size: centre + weight * (size - centre), variance: weight * variance };
}

/** What events do to the amount of a period: it is multiplied by a factor, then an amount is added. */
export interface Effect {
  factor: number;
  added: number;
  /** Variances of both. */
  variance: { factor: number; added: number };
}

const NO_EFFECT: Effect = { factor: 1, added: 0, variance: { factor: 0, added: 0 } };

/** Returns the effect of all events on each of some periods; an empty list without events. @param events their shares */
export const effectsOf = (lifts: readonly Lift[], events: readonly Shares[]): Effect[] =>
  (events[0] ?? []).map((_, t) => {
    if (events.every((shares) => shares[t] === 0)) return NO_EFFECT;
    const effect: Effect = { ...NO_EFFECT, variance: { ...NO_EFFECT.variance } };
    for (const [k, { isShare, size, variance }] of lifts.entries()) {
      const share = events[k]?.[t] ?? 0;
      if (share === 0) continue;
      const part = isShare ? 'factor' : 'added';
      effect[part] += size * share;
      effect.variance[part] += variance * share ** 2;
    }
    return { ...effect, factor: Math.max(0, effect.factor) };
  });

/** Returns an amount with the effect of events on it. */
export const raised = (amount: number, { factor, added }: Effect = NO_EFFECT): number =>
  amount * factor + added;

/**
 * The lifts of simulated events were this many times as far off, squared, as their variances say: periods beside an
 * event that several comparisons share make them too small, and lifts differ from time to time (docs/forecasting.md).
 */
const CAUTION = 3;

/** Returns the deviation of an amount with the effect of events on it, whose lifts are uncertain, too. */
export const raisedDeviation = (
  amount: number,
  deviation: number,
  { factor, variance }: Effect = NO_EFFECT,
): number =>
  Math.hypot(
    deviation * factor,
    Math.sqrt(CAUTION * (variance.factor * amount ** 2 + variance.added)),
  );

/** Returns a limit of an amount with the effect of events on it. @param deviation of the amount without events */
export function raisedLimit(
  limit: number,
  amount: number,
  deviation: number,
  effect: Effect = NO_EFFECT,
): number {
  const own = deviation * effect.factor;
  const width = own === 0 ? 1 : raisedDeviation(amount, deviation, effect) / own;
  if (width === 1) return raised(limit, effect);
  const forecast = raised(amount, effect);
  return forecast + width * (raised(limit, effect) - forecast);
}

/**
 * Returns what an event adds to each period that it falls into.
 *
 * @param shares of the event in some periods
 * @param without the amounts of these periods without events; null where the amount is not known
 */
export const addedBy = (
  { isShare, size }: Lift,
  shares: Shares,
  without: readonly (number | null)[],
): (number | null)[] =>
  without.flatMap((amount, t) => {
    const share = shares[t] ?? 0;
    if (share === 0) return [];
    return [amount === null ? null : size * share * (isShare ? amount : 1)];
  });

/**
 * Returns the effect of events on a sum from those on its parts, in one period. The errors of the lifts of parts count as
 * if they rose and fell together, because they were moved towards a common lift.
 *
 * @param amounts of the parts without events
 */
export function effectOfSum(effects: readonly Effect[], amounts: readonly number[]): Effect {
  const total = sum(amounts);
  const sumOf = (of: (effect: Effect, amount: number) => number) =>
    sum(effects.map((effect, i) => of(effect, at(amounts, i))));
  const part = (amount: number) => (total === 0 ? 0 : amount / total);
  return {
    factor: 1 + sumOf(({ factor }, amount) => (factor - 1) * part(amount)),
    added: sumOf(({ added }) => added),
    variance: {
      factor:
        sumOf(({ variance }, amount) => Math.sqrt(variance.factor) * part(Math.abs(amount))) ** 2,
      added: sumOf(({ variance }) => Math.sqrt(variance.added)) ** 2,
    },
  };
}

/**
 * Returns the lift of an event in a sum, as a share; null if that of a part is an amount.
 *
 * @param sizes the amounts of the parts without the event, in its periods of the horizon, so that the lift is above 0 if the
 * event adds to the sum; in those of the history, if it is not in the horizon
 */
export function liftOfSum(lifts: readonly Lift[], sizes: readonly number[]): number | null {
  if (!lifts.every(({ isShare }) => isShare)) return null;
  const total = sum(sizes);
  const all = lifts.map(({ size }) => size);
  return total === 0 ? mean(all) : sum(all.map((size, i) => size * at(sizes, i))) / total;
}

const hasNegative = (history: readonly (number | null)[]): boolean =>
  history.some((amount) => amount !== null && amount < 0);
