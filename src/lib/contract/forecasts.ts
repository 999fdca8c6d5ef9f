/** Forecasts of the source's history: bodies and answers, and what the log stores. */
import * as v from 'valibot';
import { LoadAnswer, LoadParams, selection } from './loads';
import { atMost, day, note, number, pfUser, scalar, shortName, text } from './primitives';

/** The methods that a series can be forecast with (docs/forecasting.md). */
export const METHODS = [
  'last_year',
  'theta',
  'damped',
  'combined',
  'croston',
  'tsb',
  'mean',
  'holt_winters',
] as const;
export const Method = v.picklist(METHODS);
export type Method = v.InferOutput<typeof Method>;

/** The methods that forecast a mean of a slow series. */
export const MEANS: readonly Method[] = ['mean', 'croston', 'tsb'];

/** The shares of the amounts, in per cent, that the bands of a forecast hold. */
export type BandShare = 80 | 95;

/** The limits of the normal distribution, in standard deviations. */
const NORMAL: Record<BandShare, number> = { 80: 1.2816, 95: 1.96 };

/** The degrees of freedom of entries that do not keep any: their limits become those of older servers to 2 %. */
export const OLDER_FREEDOM = 6;

/**
 * Returns half the width of the range that a share of the amounts is expected in, in standard deviations: the limit of
 * Student's t distribution, scaled to a variance of 1.
 *
 * Source: Abramowitz and Stegun (1964), Handbook of Mathematical Functions, 26.7.5.
 *
 * @param freedom degrees of freedom, at least 3
 */
export function limitOf(share: BandShare, freedom: number): number {
  const z = NORMAL[share];
  const terms = [
    z,
    (z ** 3 + z) / 4,
    (5 * z ** 5 + 16 * z ** 3 + 3 * z) / 96,
    (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / 384,
    (79 * z ** 9 + 776 * z ** 7 + 1482 * z ** 5 - 1920 * z ** 3 - 945 * z) / 92_160,
  ];
  const limit = terms.reduce((total, term, i) => total + term / freedom ** i, 0);
  return limit * Math.sqrt(1 - 2 / freedom);
}

/** The length of a period. */
export const ForecastUnit = v.picklist(['month', 'quarter', 'week']);
export type ForecastUnit = v.InferOutput<typeof ForecastUnit>;

/** The days of a week on which something is sold, by their number from Monday on. */
export const SELLING_DAYS = { monday_to_friday: 5, monday_to_saturday: 6 } as const;
export const SellingDays = v.picklist(['monday_to_friday', 'monday_to_saturday']);
export type SellingDays = v.InferOutput<typeof SellingDays>;

const range = v.object({ from: day, through: day });

/** The most periods of a history and of a horizon. */
export const MOST_PERIODS = 600;
const MOST_IGNORED = 100;
const MOST_LEVELS = 20;

/** Body of POST forecast/preview (docs/contract/05-operations.md#post-versionsidforecastpreview). */
export const ForecastPreviewRequest = v.object({
  ...selection,
  history: v.pipe(
    v.object({ from: v.optional(v.nullable(day)), through: day }),
    v.description('Days whose rows are the history; only whole periods count'),
  ),
  horizon: v.pipe(range, v.description('Days to forecast; every period that they touch')),
  unit: ForecastUnit,
  by: v.optional(
    v.nullable(
      v.pipe(
        v.array(text),
        v.description('Dimensions whose groups are forecast; the total without any'),
      ),
    ),
  ),
  levels: v.optional(
    v.nullable(
      v.pipe(
        v.array(v.array(text)),
        atMost(MOST_LEVELS),
        v.description(
          'Coarser levels that are forecast too, so that all levels agree; each has some of the dimensions of `by`, the total none',
        ),
      ),
    ),
  ),
  method: v.optional(v.nullable(v.picklist(['auto', ...METHODS]))),
  ignore: v.optional(
    v.nullable(
      v.pipe(
        v.array(
          v.object({
            from: day,
            to: day,
            name: v.optional(
              v.pipe(
                v.nullable(shortName),
                v.description('The event that comes again on these days'),
              ),
            ),
          }),
        ),
        atMost(MOST_IGNORED),
        v.description(
          'Ranges of days whose periods are not learned from; those with a name are events, whose lift is measured in the history and added in the horizon',
        ),
      ),
    ),
  ),
  selling_days: v.optional(
    v.nullable(
      v.pipe(
        SellingDays,
        v.description(
          'Days whose number in each month or quarter counts: amounts are fitted per selling day; none by default',
        ),
      ),
    ),
  ),
  measures: v.optional(
    v.nullable(
      v.pipe(
        v.array(text),
        v.minLength(1, 'must not be an empty list'),
        v.description(
          'value, units, or columns of further measures; those of the source by default',
        ),
      ),
    ),
  ),
});
export type ForecastPreviewRequest = v.InferOutput<typeof ForecastPreviewRequest>;

/** Body of POST forecast (docs/contract/05-operations.md#post-versionsidforecast). */
export const ForecastRequest = v.object({
  ...ForecastPreviewRequest.entries,
  replace: v.optional(
    v.pipe(
      v.nullable(v.boolean()),
      v.description('Whether the plan of the horizon is taken out; false by default'),
    ),
  ),
  missing: v.optional(
    v.pipe(
      v.nullable(v.literal('leave_out')),
      v.description('Leaves out amounts of groups that have no row to carry them; 422 by default'),
    ),
  ),
  pf_user: pfUser,
  note: v.optional(v.nullable(note)),
});
export type ForecastRequest = v.InferOutput<typeof ForecastRequest>;

const share = v.nullable(number);
const errors = {
  mae: v.pipe(number, v.description('Mean absolute error')),
  mase: v.pipe(
    share,
    v.description('Mean absolute error, divided by that of last year moved in the history before'),
  ),
  wape: v.pipe(share, v.description('Absolute errors as a share of the absolute amounts')),
  bias: v.pipe(share, v.description('Forecast less amount, as a share of the absolute amounts')),
};
const amounts = v.array(number);
const known = v.array(v.nullable(number));
const band = v.object({ lower: amounts, upper: amounts });

const group = v.pipe(
  v.record(v.string(), v.nullable(scalar)),
  v.description('Its value per dimension of `by`'),
);

const measure = v.pipe(
  v.string(),
  v.description('value, units, or the column of a further measure'),
);

/** What an event does to one measure of one group. */
const GroupEvent = v.object({
  name: v.string(),
  lift: v.pipe(
    share,
    v.description(
      'What it adds to a period that it falls into as a whole, as a share of the amount without it; null if it adds the same to each',
    ),
  ),
  history: v.pipe(known, v.description('What it added to each of its periods of the history')),
  horizon: v.pipe(amounts, v.description('What it adds to each of its periods of the horizon')),
});
export type GroupEvent = v.InferOutput<typeof GroupEvent>;

/**
 * The forecast of one measure of one group. The lists of the history have an amount for each period of
 * `history`, the others for each of `horizon`.
 */
export const GroupForecast = v.object({
  group,
  measure,
  history: v.pipe(known, v.description('null before the first row of the group')),
  fit: v.pipe(known, v.description('The forecast of each period from those before it')),
  forecast: v.pipe(amounts, v.description('With events')),
  band80: band,
  band95: band,
  events: v.pipe(v.array(GroupEvent), v.description('In the order of those of the answer')),
  method: Method,
  why: v.pipe(v.string(), v.description('Why this method, and how far off it was')),
  parameters: v.record(v.string(), number),
  backtest: v.pipe(
    v.nullable(v.object({ periods: v.number(), ...errors, last_year: v.object(errors) })),
    v.description('Errors over the withheld end of the history; null if it is too short'),
  ),
});
export type GroupForecast = v.InferOutput<typeof GroupForecast>;

/** An event and the periods that it falls into. */
const EventPeriods = v.object({
  name: v.string(),
  history: v.array(v.string()),
  horizon: v.array(v.string()),
});

/** Answer of POST forecast/preview. Periods are named by their first day. */
export const ForecastPreview = v.object({
  column: v.pipe(v.string(), v.description('The date column of the periods')),
  history: v.array(v.string()),
  horizon: v.array(v.string()),
  ignored: v.pipe(v.array(v.string()), v.description('Periods of the history that are ignored')),
  events: v.array(EventPeriods),
  groups: v.array(GroupForecast),
  sums: v.pipe(
    v.array(GroupForecast),
    v.description('The groups of `levels`: the sums of `groups`, and what was forecast for them'),
  ),
});
export type ForecastPreview = v.InferOutput<typeof ForecastPreview>;

/** A line of the progress of a forecast (docs/contract/05-operations.md#progress). */
export const FitProgress = v.object({
  fitted: v.pipe(v.number(), v.description('Number of series that are fitted')),
  series: v.pipe(
    v.number(),
    v.description('Number of all series: one per measure and group of any level'),
  ),
});
export type FitProgress = v.InferOutput<typeof FitProgress>;

/** The most dimensions of which all combinations are coarser levels. */
const MOST_COMBINED = 3;

/**
 * Returns the levels that are coarser than one with these dimensions, the total first: all combinations of few
 * dimensions, else the total, each one alone and all but one.
 */
export function coarserLevels<Dimension>(by: readonly Dimension[]): Dimension[][] {
  if (by.length === 0) return [];
  if (by.length > MOST_COMBINED) {
    return [[], ...by.map((each) => [each]), ...by.map((each) => by.filter((d) => d !== each))];
  }
  const combinations = by.reduce<Dimension[][]>(
    (sets, each) => [...sets, ...sets.map((set) => [...set, each])],
    [[]],
  );
  return combinations
    .filter(({ length }) => length < by.length)
    .toSorted((a, b) => a.length - b.length);
}

const byLevel = v.pipe(v.array(text), v.description('Its dimensions; none for the total'));
const pooled = {
  mae: errors.mae,
  rmse: v.pipe(number, v.description('Root of the mean squared error')),
  ...{ wape: errors.wape, bias: errors.bias },
};

/** A level and the errors of its forecast, measured at the level of the request. */
const LevelResult = v.object({
  by: byLevel,
  levels: v.pipe(
    v.array(byLevel),
    v.description('Coarser levels that its forecast was made to agree with; mostly none'),
  ),
  groups: v.pipe(v.number(), v.description('Number of series that were fitted')),
  ...pooled,
});
export type LevelResult = v.InferOutput<typeof LevelResult>;

/** Answer of POST forecast/levels. */
export const ForecastLevels = v.object({
  by: v.pipe(v.array(text), v.description('The level at which all errors are measured')),
  measure: v.pipe(
    measure,
    v.description(
      'The measure that is compared, the first of the request: value, units, or the column of a further one',
    ),
  ),
  periods: v.pipe(v.number(), v.description('Number of withheld periods')),
  from: v.pipe(v.nullable(v.string()), v.description('First withheld day; null if there is none')),
  through: v.pipe(v.nullable(v.string()), v.description('Last withheld day')),
  last_year: v.pipe(
    v.nullable(v.object(pooled)),
    v.description('Errors of last year moved; null if nothing is withheld'),
  ),
  levels: v.pipe(
    v.array(LevelResult),
    v.description(
      'Levels whose total was at most 10 % off first; among these, the smallest rmse first',
    ),
  ),
  skipped: v.pipe(
    v.array(v.object({ by: byLevel, why: v.string() })),
    v.description('Levels that were not compared, and why'),
  ),
  best: byLevel,
  best_levels: v.pipe(v.array(byLevel), v.description('The `levels` of the best one')),
  why: v.pipe(v.string(), v.description('Which level did best, as a sentence')),
});
export type ForecastLevels = v.InferOutput<typeof ForecastLevels>;

/** Periods of the horizon whose amounts no row of a group can carry. */
const LeftOut = v.object({
  group,
  periods: v.pipe(v.array(v.string()), v.description('Their first days')),
});
export type LeftOut = v.InferOutput<typeof LeftOut>;

/** Answer of POST forecast (docs/contract/05-operations.md#post-versionsidforecast). */
export const ForecastAnswer = v.object({
  ...LoadAnswer.entries,
  left_out: v.optional(
    v.pipe(v.array(LeftOut), v.description('Absent if every amount found a row to carry it')),
  ),
});
export type ForecastAnswer = v.InferOutput<typeof ForecastAnswer>;

/** The forecast of one measure of one group as the log stores it. */
const FittedGroup = v.object({
  group: v.pipe(v.array(v.nullable(v.string())), v.description('Its values of `by`, as texts')),
  measure,
  method: Method,
  parameters: v.record(v.string(), number),
  forecast: v.pipe(amounts, v.description('The amount of each period of the horizon')),
  deviation: v.optional(
    v.pipe(
      amounts,
      v.description('Standard deviation of the error of each amount; absent in older entries'),
    ),
  ),
  freedom: v.optional(
    v.pipe(
      number,
      v.description(
        'Degrees of freedom of the Student’s t distribution of its errors; absent in older entries',
      ),
    ),
  ),
  dependence: v.optional(
    v.pipe(
      number,
      v.description(
        'Correlation of its errors with those of another group, from 0 to 1; absent in older entries',
      ),
    ),
  ),
});
export type FittedGroup = v.InferOutput<typeof FittedGroup>;

/** The stored parameters of a forecast: those of a load, the request, and the amounts that were fitted. */
export const ForecastParams = v.object({
  ...LoadParams.entries,
  history: ForecastPreviewRequest.entries.history,
  horizon: range,
  unit: ForecastUnit,
  by: v.array(text),
  levels: ForecastPreviewRequest.entries.levels,
  method: v.picklist(['auto', ...METHODS]),
  ignore: ForecastPreviewRequest.entries.ignore,
  selling_days: ForecastPreviewRequest.entries.selling_days,
  measures: ForecastPreviewRequest.entries.measures,
  replace: v.optional(v.literal(true)),
  missing: v.optional(v.literal('leave_out')),
  groups: v.array(FittedGroup),
});
export type ForecastParams = v.InferOutput<typeof ForecastParams>;
