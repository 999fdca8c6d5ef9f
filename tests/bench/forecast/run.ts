/**
 * Accuracy of forecasts on published series: `npm run bench:forecast -- FILE [METHOD…]`. The file is JSON, gzipped if its
 * name ends in ".gz": a list of `{id, period: "monthly" | "quarterly", history, future}`. The project has no such file.
 *
 * Prints for each method the symmetric MAPE, the bias, the share of amounts inside the bands, and the time; for `auto`
 * also the shares of amounts and of sums of 5 and 10 series inside their ranges, at the whole horizon, a half and a
 * quarter of it. Not part of `npm test`.
 */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import * as v from 'valibot';
import { METHODS } from '../../../src/lib/contract/forecasts';
import { rangeOfSum } from '../../../src/lib/plan/amounts/forecast-range';
import { dependenceOf } from '../../../src/lib/server/statistics/dependence';
import { forecastSeries } from '../../../src/lib/server/statistics/forecast';
import { at, mean, sum } from '../../../src/lib/server/statistics/series';
import { generator } from '../../support/random';

const Series = v.array(
  v.object({
    id: v.string(),
    period: v.picklist(['monthly', 'quarterly']),
    history: v.array(v.number()),
    future: v.array(v.number()),
  }),
);

const PERIODS = {
  monthly: { period: 12, unit: 'month' },
  quarterly: { period: 4, unit: 'quarter' },
} as const;

const [file, ...asked] = process.argv.slice(2);
if (file === undefined) throw new Error('Name a file of series');
const content = readFileSync(file);
const text = (file.endsWith('.gz') ? gunzipSync(content) : content).toString();
const series = v.parse(Series, JSON.parse(text));
const methods = (['auto', ...METHODS] as const).filter(
  (method) => asked.length === 0 || asked.includes(method),
);

const share = (flags: readonly boolean[]) => 100 * mean(flags.map(Number));
/** Returns groups of a size, of series of equal length in the given order. */
function grouped<Each extends { length: number }>(of: readonly Each[], size: number): Each[][] {
  const lengths = new Set(of.map(({ length }) => length));
  return [...lengths].flatMap((length) => {
    const equal = of.filter((each) => each.length === length);
    return Array.from({ length: Math.floor(equal.length / size) }, (_, i) =>
      equal.slice(i * size, (i + 1) * size),
    );
  });
}

/** Returns a permutation of a list. */
function shuffled<Each>(of: readonly Each[], random: () => number): Each[] {
  return of
    .map((each) => ({ each, place: random() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ each }) => each);
}

/** The number of random orders in which series are added up, besides that of the file. */
const ORDERS = 20;

/**
 * Prints the share of the amounts inside the bands of `auto`, and that of sums of series, each scaled to a mean of 1, in
 * the order of the file and in random ones.
 *
 * @param part the share of the periods that are forecast
 */
function measureBands(name: keyof typeof PERIODS, part: number): void {
  const results = series.flatMap(({ period, history, future }) => {
    if (period !== name) return [];
    const level = mean(history.map(Math.abs));
    const horizon = Math.ceil(future.length * part);
    const found = forecastSeries(
      history.map((amount) => amount / level),
      { ...PERIODS[name], horizon, method: 'auto' },
    );
    const sold = future.slice(0, horizon).map((amount) => amount / level);
    return [{ length: history.length, found, sold }];
  });
  const print = (what: string, inside: readonly boolean[][]) => {
    const [in80, in95] = [0, 1].map((i) =>
      share(inside.map((each) => each[i] ?? false)).toFixed(1),
    );
    console.log(
      `${what.padEnd(34)}  ${name.padEnd(9)}  horizon ${String(results[0]?.sold.length).padEnd(2)}  in 80 %: ${in80}  in 95 %: ${in95}`,
    );
  };
  print(
    'single series',
    results.flatMap(({ found, sold }) =>
      sold.map((amount, h) =>
        [found.band80, found.band95].map(
          ({ lower, upper }) => amount >= at(lower, h) && amount <= at(upper, h),
        ),
      ),
    ),
  );
  const sums = (of: typeof results, size: number) =>
    grouped(of, size).flatMap((group) => {
      const dependence = dependenceOf(group.map(({ found }) => found.withheld));
      const horizon = Math.min(...group.map(({ sold }) => sold.length));
      return Array.from({ length: horizon }, (_, h) => {
        const parts = group.map(({ found: { forecast, deviation, freedom } }) => ({
          ...{ forecast: at(forecast, h), deviation: at(deviation, h), freedom, dependence },
        }));
        const { band80, band95 } = rangeOfSum([parts], true);
        const sold = sum(group.map((each) => at(each.sold, h)));
        return [band80, band95].map(([lower, upper]) => sold >= lower && sold <= upper);
      });
    });
  for (const size of [5, 10]) {
    print(`sums of ${size} in the order of the file`, sums(results, size));
    const random = generator(size);
    const orders = Array.from({ length: ORDERS }, () => shuffled(results, random));
    print(
      `sums of ${size} in ${ORDERS} random orders`,
      orders.flatMap((order) => sums(order, size)),
    );
  }
}

for (const method of methods) {
  for (const [name, options] of Object.entries(PERIODS)) {
    const chosen = series.filter(({ period }) => period === name);
    const since = process.cpuUsage();
    const used: Record<string, number> = {};
    const results = chosen.map(({ history, future }) => {
      const horizon = future.length;
      const found = forecastSeries(history, { ...options, horizon, method });
      used[found.method] = (used[found.method] ?? 0) + 1;
      const inside = ({ lower, upper }: typeof found.band80) =>
        future.map((amount, h) => amount >= at(lower, h) && amount <= at(upper, h));
      const apart = future.map((amount, h) => {
        const forecast = at(found.forecast, h);
        const size = Math.abs(forecast) + Math.abs(amount);
        return size === 0 ? 0 : (200 * Math.abs(forecast - amount)) / size;
      });
      return {
        smape: mean(apart),
        bias: (sum(found.forecast) - sum(future)) / sum(future.map(Math.abs)),
        in80: inside(found.band80),
        in95: inside(found.band95),
      };
    });
    const { user } = process.cpuUsage(since);
    const figures = [
      `sMAPE ${mean(results.map(({ smape }) => smape)).toFixed(2)}`,
      `bias ${(100 * mean(results.map(({ bias }) => bias))).toFixed(1)} %`,
      `in 80 %: ${share(results.flatMap(({ in80 }) => in80)).toFixed(1)}`,
      `in 95 %: ${share(results.flatMap(({ in95 }) => in95)).toFixed(1)}`,
      `${(user / 1000 / chosen.length).toFixed(2)} ms each`,
      method === 'auto' ? JSON.stringify(used) : '',
    ];
    console.log([method.padEnd(12), name.padEnd(9), ...figures].join('  '));
  }
}
if (methods.includes('auto')) {
  for (const name of ['monthly', 'quarterly'] as const) {
    for (const part of [1, 1 / 2, 1 / 4]) measureBands(name, part);
  }
}
