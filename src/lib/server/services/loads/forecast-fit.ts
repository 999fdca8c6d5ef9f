/** Fits the series of a history, at its own level and at coarser ones. */
import { PERIODS_OF_YEAR } from '../../../contract/calendar';
import { measureKey } from '../../../contract/columns';
import { digitsOf } from '../../../contract/decimals';
import type {
  FitProgress,
  ForecastPreviewRequest,
  GroupEvent,
  GroupForecast,
} from '../../../contract/forecasts';
import type { GroupSums } from '../../db/loads/history';
import type { ForecastColumn } from '../../sql/forecast-columns';
import { measureKind } from '../../sql/forecast-columns';
import { type ForecastedSum, moved } from '../../statistics/agree';
import { dependenceOf } from '../../statistics/dependence';
import type { Effect, MeasuredEvents, Shares, WithoutEvents } from '../../statistics/events';
import {
  addedBy,
  effectOfSum,
  effectsOf,
  liftOfSum,
  likelyLifts,
  measureEvents,
  raised,
  raisedDeviation,
  raisedLimit,
  takeOut,
} from '../../statistics/events';
import { forecastSeries, type SeriesForecast } from '../../statistics/forecast';
import { rounded, roundedAtLevels, roundedTogether } from '../../statistics/rounding';
import { notBelow, perDay, sum, sumOfKnown } from '../../statistics/series';
import { type Forecasted, together } from '../../statistics/together';
import { Turns } from '../../turns';
import { unnamed } from './forecast-events';
import type { Amounts } from './forecast-hierarchy';
import { agreed, coarser, groupCounts, groupNumbers, nestedLevels } from './forecast-hierarchy';
import { type History, seriesOf } from './forecast-history';
import {
  horizonOf,
  ignoredIn,
  isRegular,
  numbers,
  periodNumbers,
  regularPlaces,
  sellingDaysIn,
  sellingDaysText,
} from './forecast-periods';

/** Digits of a standard deviation in the log, which has one for each amount. */
const DEVIATION_DIGITS = 5;
/** Decimals of a lift in an answer. */
const LIFT_DIGITS = 4;

/** The forecast of one measure of one group, and the values of the group as texts. */
interface Fit extends GroupForecast {
  id: (string | null)[];
  /** Standard deviation of the error of each amount. */
  deviation: number[];
  /** Degrees of freedom of the distribution of its errors. */
  freedom: number;
  /** Correlation of its errors with those of another group. */
  dependence: number;
}

/** A forecast without events. */
interface Forecast extends Forecasted {
  /** The amounts as they are in the source. */
  amounts: Amounts;
}

/** The forecast of a group or sum, and what events do to it. */
interface Planned extends Forecast {
  /** The effects of events on the learned periods of the history. */
  past: Effect[];
  /** The effects of events on the periods of the horizon. */
  coming: Effect[];
  events: GroupEvent[];
}

/** The forecast of a group, and the lifts of events in it. */
interface PlannedGroup extends Planned {
  lifts: WithoutEvents['lifts'];
  /** For each event, the amount without it in its periods of the horizon; in those of the history, if it has none there. */
  sizes: number[];
}

/**
 * Forecasts each measure of each group of a history, and of the groups of its coarser levels. Other requests are
 * answered between two series.
 *
 * @param signal ends the work between two series, when nobody waits for it
 * @param report called before each series
 * @throws AppError 422 for an amount that is not a number
 */
export async function fitHistory(
  history: History,
  request: ForecastPreviewRequest,
  signal?: AbortSignal,
  report?: (progress: FitProgress) => void,
): Promise<{ groups: Fit[]; sums: GroupForecast[] }> {
  const { by, levels, measures, sums } = history;
  const turns = new Turns(signal);
  const fitting = new Fitting(history, request);
  const { options, inHorizon } = fitting;
  const series = measures.length * (sums.length + sum(groupCounts(sums, levels)));
  let fitted = 0;
  /** Forecasts the series of one level. */
  const forecastLevel = async <Series extends Pick<Forecasted, 'history'>>(
    all: readonly Series[],
  ): Promise<(Series & Forecasted)[]> => {
    const own = await turns.each(all, (one) => {
      report?.({ fitted: fitted++, series });
      return { ...one, result: forecastSeries(one.history, options) };
    });
    const forecastOf = together(own, options);
    return turns.each(own, (one) => ({ ...one, result: forecastOf(one) }));
  };
  const groupOf = (group: GroupSums | undefined, kept: readonly number[]) =>
    Object.fromEntries(kept.map((k) => [by[k]?.name ?? '', group?.key[k] ?? null]));

  const fits: Fit[][] = [];
  const fitsOfSums: GroupForecast[] = [];
  const amountsOf = await turns.each(sums, (group) => fitting.amountsOf(group));
  for (const [i, measure] of measures.entries()) {
    const decimals = await decimalsOf(measure, i, history, turns);
    const known = await turns.each(amountsOf, (amountsOfGroup) => amountsOfGroup(i, measure));
    const measured = await turns.each(known, (amounts) => fitting.measured(amounts));
    const likely = likelyLifts(measured, fitting.past, options.period);
    const parted = await turns.each(measured, (one, c) => ({
      ...takeOut(one, fitting.past, likely),
      amounts: known[c] ?? [],
    }));
    const cells = await forecastLevel(parted);
    const correlation = dependenceOf(cells.map(({ result }) => result.withheld));
    const dependence = Number(correlation.toPrecision(DEVIATION_DIGITS));

    const coarse: (ForecastedSum & { kept: readonly number[]; amounts: Amounts })[] = [];
    for (const kept of levels) {
      const histories = coarser(
        history,
        parted.map((one) => one.history),
        kept,
      );
      const groups = coarser(history, known, kept).groups.map(({ amounts, cells: parts }, g) => ({
        ...{ amounts, parts, kept, history: histories.groups[g]?.amounts ?? [] },
      }));
      coarse.push(...(await forecastLevel(groups)));
    }
    const exact = coarse.length === 0 ? null : await agreed(cells, coarse, options, turns);
    const planned = await turns.each(cells, (cell, c) =>
      fitting.planned(exact ? { ...cell, result: moved(cell, exact[c] ?? []) } : cell, decimals),
    );
    const withEvents = planned.map(({ result, coming }) =>
      fitting.sold(inHorizon(result.forecast).map((amount, h) => raised(amount, coming[h]))),
    );
    const given = exact
      ? roundedAtLevels(withEvents, groupNumbers(sums, nestedLevels(levels)), decimals)
      : withEvents.map((amounts, c) =>
          planned[c]?.result.isSlow
            ? roundedTogether(amounts, decimals)
            : amounts.map((amount) => rounded(amount, decimals)),
        );
    for (const { kept, parts, ...one } of coarse) {
      await turns.give();
      const result = moved(one, addedUp(exact ?? [], parts));
      const ofParts = parts.flatMap((c) => planned[c] ?? []);
      const forecast = addedUp(given, parts).map((amount) => rounded(amount, decimals));
      fitsOfSums.push({
        ...{ group: groupOf(sums[parts[0] ?? 0], kept), measure: measureKey(measure) },
        ...fitting.answered(fitting.plannedSum({ ...one, result }, ofParts, decimals), forecast),
      });
    }
    for (const [g, one] of planned.entries()) {
      await turns.give();
      const group = sums[g];
      if (!group) continue;
      (fits[g] ??= []).push({
        ...{ id: group.id, group: groupOf(group, [...by.keys()]), measure: measureKey(measure) },
        ...fitting.answered(one, given[g] ?? []),
        ...{
          deviation: fitting.deviations(one),
          freedom: rounded(one.result.freedom, 1),
          dependence,
        },
      });
    }
  }
  return { groups: fits.flat(), sums: fitsOfSums };
}

/** The periods and events that all series of a request have in common. */
class Fitting {
  /** The shares of each event in the learned periods of the history. */
  readonly past: Shares[];
  readonly options;
  /** The shares of each event in all periods of the history. */
  private readonly ofHistory: Shares[];
  /** The shares of each event in the periods of the horizon. */
  private readonly ofHorizon: Shares[];
  /** For each period of the history, whether it is ignored. */
  private readonly ignored: boolean[];
  /** For each period of the history, whether methods learn from it. */
  private readonly regular: boolean[];
  private readonly periods: number[];
  private readonly periodOf: (day: string) => number;
  /** Selling days of the periods of the history and of the horizon, in units of those of a mean period. */
  private readonly daysOfHistory: number[];
  private readonly daysOfHorizon: number[];
  /** The place of each period of the horizon in a forecast, which begins at the end of the history. */
  private readonly places: number[];

  constructor(
    private readonly history: History,
    request: ForecastPreviewRequest,
  ) {
    const { unit, first, through, horizon, events } = history;
    this.periods = numbers(first, through);
    this.periodOf = periodNumbers(history);
    this.ignored = this.periods.map(ignoredIn(history, { ...request, ignore: unnamed(request) }));
    this.regular = this.periods.map(isRegular(history));
    const ahead = numbers(through + 1, horizon.last);
    this.places = regularPlaces(history, ahead).slice(horizon.first - through - 1);
    this.daysOfHistory = sellingDaysIn(history, this.periods);
    this.daysOfHorizon = sellingDaysIn(history, horizonOf(history));
    this.ofHistory = events.map(({ sharesIn }) => sharesIn(this.periods));
    this.ofHorizon = events.map(({ sharesIn }) => sharesIn(horizonOf(history)));
    this.past = this.ofHistory.map((shares) => this.learned(shares));
    this.options = {
      horizon: Math.max(1, ahead.filter(isRegular(history)).length),
      period: PERIODS_OF_YEAR[unit],
      unit,
      method: request.method ?? 'auto',
    };
  }

  /** Prepares the amounts of a group by measure. */
  amountsOf(group: GroupSums): ReturnType<typeof seriesOf> {
    return seriesOf(group, this.periods, this.periodOf);
  }

  /** Measures the events in the learned periods of a series, per selling day if these count. */
  measured(amounts: Amounts): MeasuredEvents {
    const known = perDay(amounts, this.daysOfHistory).map((amount, t) =>
      this.ignored[t] ? null : amount,
    );
    return measureEvents(this.learned(known), this.past, this.options.period);
  }

  /** Returns the values of the learned periods from those of all periods of the history. */
  private learned<Value>(values: readonly Value[]): Value[] {
    return values.filter((_, t) => this.regular[t]);
  }

  /** Returns the values of the horizon from those of all learned periods after the history. */
  readonly inHorizon = (values: readonly number[]): number[] =>
    this.places.map((place) => values[place] ?? 0);

  /** Returns the amounts of the horizon from those of periods with the mean number of selling days. */
  sold(amounts: readonly number[]): number[] {
    return amounts.map((amount, h) => amount * (this.daysOfHorizon[h] ?? 1));
  }

  /** Returns the values of all periods of the history from those of the learned ones; null for the others. */
  private inHistory(values: readonly (number | null)[]): (number | null)[] {
    const learned = values.values();
    return this.regular.map((isLearned) => (isLearned ? (learned.next().value ?? null) : null));
  }

  /** Plans the events of a group. */
  planned(group: Forecast & WithoutEvents, decimals: number | null): PlannedGroup {
    const { result } = group;
    const base = this.inHorizon(result.forecast);
    // A series that has ended is not lifted any more.
    const hasEnded = result.isSlow && result.forecast.every((amount) => amount === 0);
    const lifts = group.lifts.map((lift) => (hasEnded ? { ...lift, size: 0, variance: 0 } : lift));
    const expected = this.inHistory(group.expected);
    return {
      ...group,
      sizes: this.past.map((past, k) => {
        const coming = this.ofHorizon[k] ?? [];
        const isComing = coming.some((share) => share > 0);
        const [shares, amounts] = isComing ? [coming, base] : [past, group.expected];
        return sum(shares.map((share, t) => share * (amounts[t] ?? 0)));
      }),
      past: effectsOf(group.lifts, this.past),
      coming: effectsOf(lifts, this.ofHorizon),
      events: group.lifts.map((measured, k) => ({
        name: this.history.events[k]?.name ?? '',
        lift: measured.isShare ? rounded(measured.size, LIFT_DIGITS) : null,
        history: addedBy(
          measured,
          (this.ofHistory[k] ?? []).map((share, t) => share * (this.daysOfHistory[t] ?? 1)),
          expected,
        ).map(roundedTo(decimals)),
        horizon: addedBy(lifts[k] ?? measured, this.sold(this.ofHorizon[k] ?? []), base)
          .map(roundedTo(decimals))
          .filter((amount) => amount !== null),
      })),
    };
  }

  /** Plans the events of a sum: they add what they add to its parts. */
  plannedSum(own: Forecast, parts: readonly PlannedGroup[], decimals: number | null): Planned {
    const bases = parts.map(({ result }) => this.inHorizon(result.forecast));
    const effects = (of: 'past' | 'coming', base: (part: number, t: number) => number) =>
      (parts[0]?.[of] ?? []).map((_, t) =>
        effectOfSum(
          parts.flatMap((part) => part[of][t] ?? []),
          parts.map((__, p) => base(p, t)),
        ),
      );
    return {
      ...own,
      past: effects('past', (p, t) => parts[p]?.history[t] ?? 0),
      coming: effects('coming', (p, t) => bases[p]?.[t] ?? 0),
      events: this.history.events.map(({ name }, k) => {
        const ofParts = parts.flatMap(({ events }) => events[k] ?? []);
        const total = (of: 'history' | 'horizon') =>
          (ofParts[0]?.[of] ?? []).map((_, t) => sumOfKnown(ofParts.map((event) => event[of][t])));
        const lift = liftOfSum(
          parts.flatMap(({ lifts }) => lifts[k] ?? []),
          parts.map(({ sizes }) => sizes[k] ?? 0),
        );
        return {
          name,
          lift: lift === null ? null : rounded(lift, LIFT_DIGITS),
          history: total('history').map(roundedTo(decimals)),
          horizon: total('horizon').map((amount) => rounded(amount ?? 0, decimals)),
        };
      }),
    };
  }

  /** Standard deviations of the errors of the amounts of the horizon. */
  deviations({ result, coming }: Planned): number[] {
    const base = this.inHorizon(result.forecast);
    return this.sold(
      this.inHorizon(result.deviation).map((deviation, h) =>
        raisedDeviation(base[h] ?? 0, deviation, coming[h]),
      ),
    ).map((deviation) => Number(deviation.toPrecision(DEVIATION_DIGITS)));
  }

  /** Returns the answer about a group or sum. @param forecast rounded, with events */
  answered(
    { amounts, result, history, past, coming, events }: Planned,
    forecast: number[],
  ): Omit<GroupForecast, 'group' | 'measure'> {
    const { fitted, deviation, band80, band95, ...others } = result;
    const { freedom: _, isSlow: __, withheld: ___, ...facts } = others;
    const [base, deviations] = [this.inHorizon(result.forecast), this.inHorizon(deviation)];
    const known = history.flatMap((amount) => amount ?? []);
    const limitsOf = (of: readonly number[]) =>
      this.sold(
        this.inHorizon(of).map((limit, h) =>
          raisedLimit(limit, base[h] ?? 0, deviations[h] ?? 0, coming[h]),
        ),
      );
    const limits = ({ lower, upper }: SeriesForecast['band80']) => ({
      lower: notBelow(known, limitsOf(lower)),
      upper: limitsOf(upper),
    });
    return {
      ...facts,
      why: [facts.why, sellingDaysText(this.history) ?? []].flat().join(' '),
      history: amounts,
      fit: this.inHistory(
        fitted.map((value, t) => (value === null ? null : raised(value, past[t]))),
      ).map((value, t) => (value === null ? null : value * (this.daysOfHistory[t] ?? 1))),
      forecast,
      band80: limits(band80),
      band95: limits(band95),
      events,
    };
  }
}

/** Adds up the amounts of some series by period. */
const addedUp = (series: readonly (readonly number[])[], parts: readonly number[]): number[] =>
  (series[0] ?? []).map((_, h) => sum(parts.map((i) => series[i]?.[h] ?? 0)));

/** Rounds known amounts to the decimals of their column. */
const roundedTo =
  (decimals: number | null) =>
  (amount: number | null): number | null =>
    amount === null ? null : rounded(amount, decimals);

/**
 * The number of decimals that the forecast of a measure is rounded to: those of its column, or for a numeric
 * without a scale those of the history, at least 2; null for a floating-point column.
 */
async function decimalsOf(
  measure: ForecastColumn,
  index: number,
  { sums }: History,
  turns: Turns,
): Promise<number | null> {
  const kind = measureKind(measure);
  if (!kind.exact) return null;
  if (kind.scale !== null) return kind.scale;
  let most = 2;
  for (const group of sums) {
    await turns.give();
    for (const amount of group.sums[index] ?? []) {
      most = Math.max(most, digitsOf(String(amount)).places);
    }
  }
  return most;
}
