/** Chooses the method of a forecast and says why. */
import type { Method } from '../../contract/forecasts';
import { type Backtesting, type ForecastErrors, MOST_ORIGINS, type Tested } from './backtest';
import { SHORTEST } from './methods';
import { isSeasonal } from './seasonality';
import { sum } from './series';
import { demandOf, discontinuedFor, slowPart } from './slow';

/** A method, and the sentences that say why it is used. */
export interface Choice {
  method: Method;
  why: string;
  /** The kind of series that `auto` found; undefined if most periods have an amount. */
  kind?: 'slow' | 'discontinued';
}

/** What a method is chosen for. */
export interface Candidate {
  /** From the first known amount on; null where the amount is not known. */
  known: readonly (number | null)[];
  /** The same without gaps. */
  values: readonly number[];
  /** Number of periods of a season. */
  period: number;
  /** The word for a period, such as `month`. */
  unit: string;
  /** Whether a method can be fitted to the series. */
  canFit: (method: Method) => boolean;
  tests: Backtesting | null;
}

/** The name of each method at the beginning of a sentence. */
const LABELS: Record<Method, string> = {
  last_year: 'Last year moved',
  theta: 'Theta',
  damped: 'The damped trend',
  combined: 'The combination of theta and damped trend',
  croston: 'Croston’s method',
  tsb: 'The method of Teunter, Syntetos and Babai',
  mean: 'The mean of all periods',
  holt_winters: 'Holt-Winters',
};

/** Single methods that `auto` may prefer to the combination. */
const SINGLES = ['last_year', 'theta', 'damped'] as const;

/** A method is clearly better than the default if its error is at most this share of the default's, at every origin. */
const CLEARLY = 0.5;

/** A bias above this share of the amounts is named in a sentence. */
const MOST_BIAS = 0.1;

/** Chooses the method of a forecast: the requested one if it can be fitted; for `auto`, see {@link best}. */
export function choose(requested: Method | 'auto', candidate: Candidate): Choice {
  const { known, values, period, unit } = candidate;
  const { method, why, kind } = chooseMethod(requested, candidate);
  const gaps = known.filter((value) => value === null).length;
  const isShort = method === 'last_year' && values.length >= SHORTEST && values.length < period;
  const sentences = [
    why,
    ...(isShort ? ['The history is shorter than a year, so its last amount is repeated.'] : []),
    ...(gaps > 0 ? [`Gaps of the history were filled: ${count(gaps, unit)}.`] : []),
  ];
  return { method, why: sentences.join(' '), ...(kind ? { kind } : {}) };
}

function chooseMethod(requested: Method | 'auto', candidate: Candidate): Choice {
  const { values, unit, canFit, tests } = candidate;
  const [first = 0] = values;
  const repeated = (why: string): Choice => ({ method: 'last_year', why });
  if (values.length === 0) return repeated('The history has no amounts, so the forecast is 0.');
  if (values.length < SHORTEST) {
    const length = count(values.length, unit);
    return repeated(`The history has only ${length}, so its last amount is repeated.`);
  }
  if (values.every((value) => value === first)) {
    return repeated(
      first === 0
        ? `Every ${unit} of the history is 0, so the forecast is 0.`
        : `Every ${unit} of the history has the same amount, which is repeated.`,
    );
  }
  if (requested === 'auto') return best(candidate);
  const label = LABELS[requested];
  if (!canFit(requested)) {
    return repeated(
      `${label} needs at least two years of history; last year moved is used instead.`,
    );
  }
  const errors = tests?.test(requested)?.errors;
  const benchmark = tests?.test('last_year')?.errors;
  const was = tests && errors && benchmark && compared(errors, benchmark, tests, unit);
  const why = `${label} was requested.`;
  if (requested === 'last_year' || !was) return { method: requested, why };
  return { method: requested, why: `${why} It was ${was}.` };
}

/**
 * Chooses the combination, unless a single method or last year moved is clearly better at each of three origins. One
 * backtest says too little to choose a method by, and the mean of several methods is hard to beat. A history that is
 * too short for three origins has last year moved if that is better at each of them.
 *
 * Source: Makridakis, Spiliotis and Assimakopoulos (2020), The M4 Competition: 100,000 time series and 61 forecasting
 * methods, International Journal of Forecasting 36; Claeskens, Magnus, Vasnev and Wang (2016), The forecast
 * combination puzzle: a simple theoretical explanation, International Journal of Forecasting 32.
 */
function best(candidate: Candidate): Choice {
  const { values, period, unit, tests } = candidate;
  const run = discontinuedFor(values, period);
  if (run > 0) {
    const why = `It had no amounts ${inLast(run, unit)}, longer than ever before, so it counts as discontinued and is forecast as 0.`;
    return { method: 'mean', why, kind: 'discontinued' };
  }
  const slow = slowPart(values, period);
  if (slow) return bestOfSlow(candidate, slow);
  const benchmark = tests?.test('last_year')?.errors;
  if (!tests || !benchmark) {
    const length = count(values.length, unit);
    const why = `The history has only ${length}, too few to compare methods; last year moved is used.`;
    return { method: 'last_year', why };
  }
  const absolute = ({ errors }: Tested) => errors.mae;
  const size = (method: Method) => sum(tests.origins.map((test) => test(method)?.errors.mae ?? 0));
  const { isShort } = tests;
  const areFew = !isShort && tests.origins.length < MOST_ORIGINS;
  const [winner] = (areFew ? [] : isShort ? SINGLES.slice(0, 1) : SINGLES)
    .filter((each) => beats(each, 'combined', tests.origins, absolute, isShort ? 1 : CLEARLY))
    .toSorted((a, b) => size(a) - size(b));
  const method = winner ?? 'combined';
  const errors = tests.test(method)?.errors ?? benchmark;
  const other = method === 'last_year' ? null : benchmark;
  const was = compared(errors, other, tests, unit);
  const { length: backtests } = tests.origins;
  const each = backtests === 1 ? 'in the backtest' : `in each of ${backtests} backtests`;
  const how = isShort ? 'was not worse than' : 'had at most half the error of';
  const sentences = winner
    ? [
        `${LABELS[winner]} ${how} the combination of theta and damped trend ${each}.`,
        ...(was ? [`It was ${was}.`] : []),
      ]
    : [`${LABELS.combined} ${was ? `was ${was}` : 'is used'}.`];
  if (errors.mae > benchmark.mae) {
    const better = areFew
      ? 'better, but there were fewer than three backtests'
      : `not ${isShort ? 'better' : 'clearly better'} in each backtest`;
    sentences.push(`Last year moved was ${better}.`);
  }
  return { method, why: sentences.join(' ') };
}

/** Whether the error of a method is at most a share of that of another one, at each origin. */
const beats = (
  method: Method,
  other: Method,
  origins: Backtesting['origins'],
  errorOf: (tested: Tested) => number,
  share: number,
): boolean =>
  origins.every((test) => {
    const [own, others] = [test(method), test(other)];
    return own !== null && others !== null && errorOf(own) <= share * errorOf(others);
  });

/** A run of periods without an amount is unusual if it has at most this probability. */
const UNUSUAL = 0.05;

/**
 * Chooses the method of a slow series, which is forecast by a mean. Absolute errors would favour forecasts near 0, so
 * methods are compared by squared errors and by the error of the total. The mean of all periods is chosen, unless
 * another method is clearly better at each of three origins. A series that seems to die out has the method of Teunter,
 * Syntetos and Babai.
 *
 * Source: Kolassa (2016), Evaluating predictive count data distributions in retail sales forecasting, International
 * Journal of Forecasting 32, for the errors.
 *
 * @param slow the newest part of the series by which it is slow
 */
function bestOfSlow({ values, period, unit, tests }: Candidate, slow: readonly number[]): Choice {
  const { interval } = demandOf(slow);
  const run = values.length - 1 - values.findLastIndex((value) => value !== 0);
  const origins = tests && tests.origins.length === MOST_ORIGINS ? tests.origins : [];
  const isBetter = (method: Method, figure: 'squares' | 'cumulated') =>
    origins.length > 0 && beats(method, 'mean', origins, (tested) => tested[figure], CLEARLY);
  const seasonal = isSeasonal(values, period) ? (['last_year', 'combined'] as const) : [];
  const better =
    seasonal.find((method) => isBetter(method, 'squares')) ??
    (['croston', 'tsb'] as const).find((method) => isBetter(method, 'cumulated'));
  const isUnusual = (1 - 1 / interval) ** run <= UNUSUAL;
  const method = better ?? (isUnusual ? 'tsb' : 'mean');
  const part = slow.length < values.length ? `last ${slow.length} ` : '';
  const share = `Only ${percent(1 / interval)} of the ${part}${unit}s have an amount`;
  const how = {
    ...{ last_year: 'last year is moved', combined: 'theta and damped trend are combined' },
    croston: 'sizes and intervals are averaged (Croston’s method)',
    tsb: 'a mean is forecast that falls while nothing is sold (TSB)',
    mean: `the mean of all ${unit}s is forecast`,
  }[method];
  const biasOf = (each: Method) => tests?.test(each)?.errors.bias ?? null;
  const [own, benchmark] = [biasOf(method), biasOf('last_year')];
  const total =
    !tests || own === null || benchmark === null
      ? ''
      : ` Its total was ${biasText(own)} ${inLast(tests.periods, unit, tests.isBefore)}; that of last year moved would have been ${biasText(benchmark)}.`;
  const isMean = method !== 'last_year' && method !== 'combined';
  return { method, why: `${share}: ${how}.${total}`, ...(isMean ? { kind: 'slow' } : {}) };
}

/** Returns how far a total was off as a text: "12.3 % too high". */
export const biasText = (bias: number): string =>
  percent(Math.abs(bias)) === '0 %'
    ? 'right'
    : `${percent(Math.abs(bias))} too ${bias > 0 ? 'high' : 'low'}`;

/** Whether a total was off by more than 10 %. */
export const isBiased = ({ bias }: Pick<ForecastErrors, 'bias'>): boolean =>
  bias !== null && Math.abs(bias) > MOST_BIAS;

/**
 * Says how far off a method was.
 *
 * @param benchmark the errors of last year moved to compare with; null for last year moved itself
 * @returns null if the errors have no percentages
 */
function compared(
  errors: ForecastErrors,
  benchmark: ForecastErrors | null,
  { periods, isBefore }: Backtesting,
  unit: string,
): string | null {
  if (errors.wape === null) return null;
  const total = ({ bias }: ForecastErrors) => `(its total ${biasText(bias ?? 0)})`;
  const own = `${percent(errors.wape)} off on average ${inLast(periods, unit, isBefore)} ${total(errors)}`;
  if (benchmark?.wape == null) return own;
  return `${own}; last year moved would have been ${percent(benchmark.wape)} off ${total(benchmark)}`;
}

const ONE_DECIMAL = new Intl.NumberFormat('en-GB', { maximumFractionDigits: 1 });

/** Returns a share as a text: "12.3 %". */
export const percent = (share: number): string => `${ONE_DECIMAL.format(share * 100)} %`;

const count = (periods: number, unit: string): string =>
  periods === 1 ? `1 ${unit}` : `${periods} ${unit}s`;

/**
 * Returns the words for the last periods: "in the last 12 months".
 *
 * @param isBefore whether they are those before an end of the history that is ignored
 */
export function inLast(periods: number, unit: string, isBefore = false): string {
  const named = periods === 1 ? unit : `${periods} ${unit}s`;
  return isBefore ? `in the ${named} before the ignored part` : `in the last ${named}`;
}
