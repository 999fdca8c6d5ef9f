/** Chooses the method of a forecast and says why. */
import type { Method } from '../../contract/forecasts';
import type { Backtesting, ForecastErrors } from './backtest';
import { isIntermittent } from './croston';
import { SHORTEST } from './methods';
import { isSeasonal } from './seasonality';

/** A method, and the sentences that say why it is used. */
export interface Choice {
  method: Method;
  why: string;
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
  holt_winters: 'Holt-Winters',
};

/**
 * Returns the methods that `auto` compares with last year moved. Holt-Winters needs seasons, and Croston’s method
 * an intermittent series.
 */
const candidates = (values: readonly number[], period: number): Method[] => [
  ...(['combined', 'theta', 'damped'] as const),
  ...(isSeasonal(values, period) ? (['holt_winters'] as const) : []),
  ...(isIntermittent(values) ? (['croston'] as const) : []),
];

/**
 * Chooses the method of a forecast: the requested one if it can be fitted. `auto` chooses the one with the
 * smallest mean absolute error in the backtest, and last year moved if none is better.
 */
export function choose(requested: Method | 'auto', candidate: Candidate): Choice {
  const { known, values, period, unit } = candidate;
  const { method, why } = chooseMethod(requested, candidate);
  const gaps = known.filter((value) => value === null).length;
  const isShort = method === 'last_year' && values.length >= SHORTEST && values.length < period;
  const sentences = [
    why,
    ...(isShort ? ['The history is shorter than a year, so its last amount is repeated.'] : []),
    ...(gaps > 0 ? [`Gaps of the history were filled: ${count(gaps, unit)}.`] : []),
  ];
  return { method, why: sentences.join(' ') };
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
  const was = tests && errors && benchmark && compared(errors, benchmark, tests.periods, unit);
  const why = `${label} was requested.`;
  if (requested === 'last_year' || !was) return { method: requested, why };
  return { method: requested, why: `${why} It was ${was}.` };
}

/**
 * Chooses the method with the smallest error in the backtest. Holt-Winters estimates more from the same history
 * than the others and fits it too closely more often, so it must have two thirds of their error.
 */
function best({ values, period, unit, tests }: Candidate): Choice {
  const benchmark = tests?.test('last_year')?.errors;
  if (!tests || !benchmark) {
    const length = count(values.length, unit);
    const why = `The history has only ${length}, too few to compare methods; last year moved is used.`;
    return { method: 'last_year', why };
  }
  const better = candidates(values, period).flatMap((method) => {
    const errors = tests.test(method)?.errors;
    return errors && errors.mae < benchmark.mae ? [{ method, errors }] : [];
  });
  const [first] = better;
  const span = inLast(tests.periods, unit);
  if (!first) {
    const by =
      benchmark.wape === null ? '' : `, which was ${percent(benchmark.wape)} off on average`;
    return { method: 'last_year', why: `No method was better than last year moved${by} ${span}.` };
  }
  const rank = ({ method, errors }: typeof first) =>
    method === 'holt_winters' ? 1.5 * errors.mae : errors.mae;
  const winner = better.reduce((found, each) => (rank(each) < rank(found) ? each : found), first);
  const was = compared(winner.errors, benchmark, tests.periods, unit);
  return {
    method: winner.method,
    why: `${LABELS[winner.method]} did best in the backtest: ${was ?? `its error was the smallest ${span}`}.`,
  };
}

/** Compares the errors of a method with those of last year moved; null if they have no percentages. */
function compared(
  { wape }: ForecastErrors,
  { wape: benchmark }: ForecastErrors,
  periods: number,
  unit: string,
): string | null {
  if (wape === null || benchmark === null) return null;
  const off = `${percent(wape)} off on average ${inLast(periods, unit)}`;
  return `${off}; last year moved would have been ${percent(benchmark)} off`;
}

/** Returns a share as a text: "12.3 %". */
export const percent = (share: number): string =>
  `${(share * 100).toLocaleString('en-GB', { maximumFractionDigits: 1 })} %`;

const count = (periods: number, unit: string): string =>
  periods === 1 ? `1 ${unit}` : `${periods} ${unit}s`;

/** Returns the words for the last periods: "in the last 12 months". */
export const inLast = (periods: number, unit: string): string =>
  periods === 1 ? `in the last ${unit}` : `in the last ${periods} ${unit}s`;
