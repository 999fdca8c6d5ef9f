import { describe, expect, it } from 'vitest';
import { generator } from '../../../../tests/support/random';
import {
  effectOfSum,
  effectsOf,
  liftOfSum,
  likelyLifts,
  measureEvents,
  raised,
  raisedDeviation,
  raisedLimit,
  takeOut,
} from './events';
import { forecastSeries } from './forecast';
import { at, mean, sum } from './series';

/** Month and week of the year of Easter from 2019 to 2027, from 0. */
const EASTER = {
  month: [3, 3, 3, 3, 3, 2, 3, 3, 2],
  week: [15, 14, 12, 15, 13, 12, 15, 13, 11],
};
const YEARS = EASTER.month.length;
const SEEDS = 10;

const UNITS = {
  month: { period: 12, noise: 0.06 },
  week: { period: 52, noise: 0.1 },
} as const;

type Unit = keyof typeof UNITS;

/** The part of Easter that falls into each period of all years. */
const easterBy = (unit: Unit): number[] => {
  const { period } = UNITS[unit];
  return EASTER[unit].flatMap((place) =>
    Array.from({ length: period }, (_, j) => Number(j === place)),
  );
};

/** Amounts of all years with a trend, seasons, noise and a lift at Easter. */
function sales(unit: Unit, seed: number, lift: number): number[] {
  const { period, noise } = UNITS[unit];
  const random = generator(seed);
  const normal = () => mean(Array.from({ length: 12 }, random)) * 12 - 6;
  const size = 500 + 1000 * random();
  return easterBy(unit).map((easter, t) => {
    const season = 1 + 0.3 * Math.sin((2 * Math.PI * t) / period + seed);
    const level = size * (1 + (0.04 * t) / period);
    return level * season * (1 + lift * easter) * (1 + noise * normal());
  });
}

/** Takes events out of a single series. */
const alone = (history: (number | null)[], events: number[][], period: number) =>
  takeOut(measureEvents(history, events, period), events, []);

/** Forecasts the last year with the event, by `auto`. Returns the error around Easter as a share, and the lift. */
function withEvent(amounts: readonly number[], unit: Unit) {
  const { period } = UNITS[unit];
  const cut = (YEARS - 1) * period;
  const shares = easterBy(unit);
  const options = { horizon: period, period, unit, method: 'auto' } as const;
  const { history, lifts } = alone(amounts.slice(0, cut), [shares.slice(0, cut)], period);
  const effects = effectsOf(lifts, [shares.slice(cut)]);
  const forecast = forecastSeries(history, options).forecast.map((each, h) =>
    raised(each, effects[h]),
  );
  const plain = forecastSeries(amounts.slice(0, cut), options).forecast;
  // The period of Easter, and that of the year before.
  const near = forecast.flatMap((_, h) =>
    at(shares, cut + h) + at(shares, cut - period + h) > 0 ? [h] : [],
  );
  const off = (of: readonly number[]) =>
    sum(near.map((h) => Math.abs(at(of, h) - at(amounts, cut + h)))) /
    sum(near.map((h) => at(amounts, cut + h)));
  return { with: off(forecast), without: off(plain), lift: lifts[0] };
}

describe.each(['month', 'week'] as const)('Easter by %s', (unit) => {
  const seeds = Array.from({ length: SEEDS }, (_, seed) => seed + 1);

  it('is forecast where it falls, with at most 60 % of the error', () => {
    const results = seeds.map((seed) => withEvent(sales(unit, seed, 0.4), unit));
    const average = (of: 'with' | 'without') => mean(results.map((each) => each[of]));
    expect(average('with')).toBeLessThan(0.6 * average('without'));
    expect(average('with')).toBeLessThan(0.1);
    for (const result of results) expect(result.lift?.isShare).toBe(true);
    expect(mean(results.map(({ lift }) => lift?.size ?? 0))).toBeCloseTo(0.4, 1);
  });

  it('costs little where it has no lift', () => {
    const results = seeds.map((seed) => withEvent(sales(unit, seed, 0), unit));
    const average = (of: 'with' | 'without') => mean(results.map((each) => each[of]));
    expect(average('with')).toBeLessThan(1.15 * average('without'));
    expect(Math.abs(mean(results.map(({ lift }) => lift?.size ?? 0)))).toBeLessThan(0.03);
  });

  it('lowers the forecast to 0 if nothing is sold during it', () => {
    const results = seeds.map((seed) => withEvent(sales(unit, seed, -1), unit));
    expect(mean(results.map((each) => each.with))).toBeLessThan(0.1);
    expect(mean(results.map(({ lift }) => lift?.size ?? 0))).toBeCloseTo(-1, 1);
  });
});

describe('a lift', () => {
  /** Ten years of quarters; the event falls into the second quarter of two of them. */
  const shares = Array.from({ length: 40 }, (_, t) => Number(t === 13 || t === 25));
  const quarters = (base: (t: number) => number, added: (t: number) => number) =>
    shares.map((share, t) => base(t) + share * added(t));
  const liftOf = (amounts: readonly (number | null)[], events = [shares]) =>
    measureEvents(amounts, events, 4);

  it('is a share that grows with the level', () => {
    const base = (t: number) => 100 + 10 * t;
    const { expected, lifts } = liftOf(quarters(base, (t) => 0.5 * base(t)));
    expect(lifts[0]?.isShare).toBe(true);
    expect(lifts[0]?.size).toBeCloseTo(0.5, 10);
    expect(at(expected, 13)).toBeCloseTo(230, 10);
  });

  it('does not contain the season of its periods', () => {
    const base = (t: number) => 100 + (t % 4 === 1 ? 60 : 0);
    const { lifts } = liftOf(quarters(base, (t) => 0.5 * base(t)));
    expect(lifts[0]?.size).toBeCloseTo(0.5, 2);
  });

  it('of an event in the same quarter of each year is compared with the quarters beside it', () => {
    const yearly = shares.map((_, t) => Number(t % 4 === 1));
    const { lifts } = liftOf(
      yearly.map((share) => 100 * (1 + 0.5 * share)),
      [yearly],
    );
    expect(lifts[0]?.size).toBeCloseTo(0.5, 6);
  });

  it('is an amount if nothing is sold without the event, or amounts are below 0', () => {
    expect(
      liftOf(
        quarters(
          () => 0,
          () => 40,
        ),
      ).lifts,
    ).toMatchObject([{ isShare: false }]);
    const [result] = [
      quarters(
        (t) => (t % 2 ? 5 : -5),
        () => 40,
      ),
    ].map((amounts) => alone(amounts, [shares], 4));
    expect(result?.lifts[0]).toMatchObject({ isShare: false });
    expect(result?.lifts[0]?.size).toBeCloseTo(40, 0);
    expect(result?.history[13]).toBeCloseTo(5, 0);
  });

  it('of each of two events in the same quarter is found if one of them also comes alone', () => {
    const other = shares.map((_, t) => Number(t === 13 || t === 30));
    const amounts = shares.map((share, t) => 100 * (1 + 0.5 * share + 0.2 * at(other, t)));
    const { lifts } = liftOf(amounts, [shares, other]);
    expect(lifts[0]?.size).toBeCloseTo(0.5, 6);
    expect(lifts[1]?.size).toBeCloseTo(0.2, 6);
    expect(effectsOf(lifts, [[1], [1]])[0]?.factor).toBeCloseTo(1.7, 6);
  });

  it('of part of an event is that part of it', () => {
    const parts = shares.map((share, t) => (t === 13 ? 0.25 : share));
    const { lifts } = liftOf(
      parts.map((part) => 100 * (1 + 0.8 * part)),
      [parts],
    );
    expect(lifts[0]?.size).toBeCloseTo(0.8, 10);
  });

  it('is 0 in a series that is not known where the event falls', () => {
    const amounts = shares.map((share) => (share > 0 ? null : 100));
    const { history, lifts, expected } = alone(amounts, [shares], 4);
    expect(lifts).toMatchObject([{ isShare: true, size: 0 }]);
    expect(history).toEqual(amounts);
    expect(expected[13]).toBeNull();
  });
});

describe('the lift of a group', () => {
  const EVENT = easterBy('month').slice(0, 96);
  /** Articles that sell in 30 % of the months, and twice as often at Easter. */
  const articles = (count: number) => {
    const random = generator(7);
    return Array.from({ length: count }, () => {
      const amounts = EVENT.map((easter) => (random() < 0.3 * (1 + easter) ? 1 + random() : 0));
      return measureEvents(amounts, [EVENT], 12);
    });
  };

  it('is close to that of all groups where its own amounts say little', () => {
    const measured = articles(40);
    const likely = likelyLifts(measured, [EVENT], 12);
    expect(likely[0]?.size).toBeCloseTo(1, 0);
    const errorOf = (lifts: typeof likely) =>
      mean(measured.map((each) => (1 - (takeOut(each, [EVENT], lifts).lifts[0]?.size ?? 0)) ** 2));
    expect(errorOf(likely)).toBeLessThan(0.6 * errorOf([]));
  });

  it('is its own if there is no other group', () => {
    expect(likelyLifts(articles(1), [EVENT], 12)).toEqual([]);
  });
});

describe('the limits of a forecast', () => {
  const lift = { isShare: true, size: 0.5, variance: 0.04 };
  const [effect] = effectsOf([lift], [[1]]);

  it('grow with it, and with how uncertain the lift is', () => {
    const certain = effectsOf([{ ...lift, variance: 0 }], [[1]])[0];
    expect(raisedDeviation(100, 10, certain)).toBe(15);
    expect(raisedLimit(80, 100, 10, certain)).toBe(120);
    expect(raisedDeviation(100, 10, effect)).toBeCloseTo(Math.hypot(15, 20 * Math.sqrt(3)), 10);
    const width = raisedDeviation(100, 10, effect) / 15;
    expect(raisedLimit(80, 100, 10, effect)).toBeCloseTo(150 - 30 * width, 10);
  });

  it('stay where they are without an event', () => {
    const [none] = effectsOf([lift], [[0]]);
    expect(raisedDeviation(100, 10, none)).toBe(10);
    expect(raisedLimit(80.1, 100, 10, none)).toBe(80.1);
    expect(raisedLimit(80.1, 100, 10)).toBe(80.1);
  });

  it('are 0 where nothing is sold', () => {
    const [closed] = effectsOf([{ isShare: true, size: -1, variance: 0 }], [[1]]);
    expect(raisedLimit(80, 100, 10, closed)).toBe(0);
  });
});

describe('an event in a sum', () => {
  const share = (size: number, variance: number) => ({ isShare: true, size, variance });
  const effects = [share(0.5, 0.04), share(0.1, 0.01)].map((lift) => effectsOf([lift], [[1]])[0]!);

  it('adds as much as it adds to all parts together', () => {
    const effect = effectOfSum(effects, [100, 300]);
    expect(raised(400, effect)).toBeCloseTo(raised(100, effects[0]) + raised(300, effects[1]), 10);
    // The errors of both lifts rise and fall together: 20 and 30 of 400.
    expect(Math.sqrt(effect.variance.factor)).toBeCloseTo(50 / 400, 10);
  });

  it('adds amounts where the lifts are amounts, and nothing to parts without amounts', () => {
    const amounts = [20, 5].map(
      (size) => effectsOf([{ isShare: false, size, variance: 4 }], [[1]])[0]!,
    );
    expect(raised(0, effectOfSum(amounts, [-10, 10]))).toBe(25);
    expect(effectOfSum(amounts, [-10, 10]).variance.added).toBe(16);
    expect(raised(0, effectOfSum(effects, [0, 0]))).toBe(0);
  });

  it('has the lift of all parts together, or none if that of a part is an amount', () => {
    expect(liftOfSum([share(0.5, 0), share(0.1, 0)], [100, 300])).toBeCloseTo(0.2, 10);
    expect(liftOfSum([share(0.5, 0), share(0.1, 0)], [0, 0])).toBeCloseTo(0.3, 10);
    expect(liftOfSum([share(0.5, 0), { ...share(1, 0), isShare: false }], [1, 1])).toBeNull();
  });
});
