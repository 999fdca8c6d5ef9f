/** The range in which a loaded forecast expects the amounts of a chart. */
import { monthNumber, monthNumberAt } from '../../contract/calendar';
import {
  type BandShare,
  type ForecastParams,
  limitOf,
  OLDER_FREEDOM,
} from '../../contract/forecasts';
import type { LayoutFilter } from '../../contract/stored-layout';
import { filterValues } from '../../pivot/slice/filter-values';
import type { CellValue, Schema } from '../../pivot/values/engine-types';
import { MONTHS_IN, type TimeUnit } from '../../pivot/values/time-unit';

/** A forecast amount with the limits of 80 and 95 %. */
export interface ForecastRange {
  forecast: number;
  band80: readonly [lower: number, upper: number];
  band95: readonly [lower: number, upper: number];
}

/** The places of a chart, and the rows that one of its lines adds up. */
export interface RangedLine {
  /** The key of the measure of the line. */
  measure: string;
  /** First day of each place in epoch milliseconds; null for rows without a date. */
  starts: readonly (number | null)[];
  unit: TimeUnit;
  /** The values of each column that the line is limited to. */
  members: ReadonlyMap<string, readonly CellValue[]>;
}

/** A group of a forecast in some periods, whose errors count as the same. */
interface Summand {
  forecast: number;
  deviation: number;
  /** Degrees of freedom of the distribution of its errors. */
  freedom?: number | undefined;
  /** Correlation of its errors with those of other groups of the forecast; 0 if it is not known. */
  dependence?: number | undefined;
}

/** Months of a period of a forecast. A week has no whole number of them. */
const MONTHS = { month: 1, quarter: 3, week: null } as const;

/** Returns the text of a value as the log has those of the groups. */
const textOf = (value: CellValue): string | null => (value === null ? null : String(value));

/**
 * Returns the values that filters limit a line to, by column.
 *
 * @param periods columns whose values follow from the date; their filters choose whole places
 * @returns null for a filter that does not list values
 */
export function membersOf(
  filters: readonly LayoutFilter[],
  periods: readonly string[],
  schema: Schema,
): Map<string, readonly CellValue[]> | null {
  const members = new Map<string, readonly CellValue[]>();
  for (const filter of filters) {
    const [column] = filter;
    if (periods.includes(column)) continue;
    const values = filterValues(filter, schema);
    if (!values || members.has(column)) return null;
    members.set(column, values);
  }
  return members;
}

/** Returns the values of each column for a line that is limited to some values of one more column. */
export const limitedTo = (
  members: RangedLine['members'],
  column: string,
  values: readonly CellValue[],
): RangedLine['members'] => new Map([...members, [column, values]]);

/**
 * Returns for each place of a line the range of the forecasts that cover it whole; null where none does, and for a
 * line of which the forecasts know no range: their groups are coarser, or an older server has loaded them.
 *
 * The errors of groups count as correlated as in the backtest, those of different forecasts as independent, and those
 * of one group in several periods as the same (docs/forecasting.md).
 *
 * @param forecasts newest first
 */
export function forecastRanges(
  forecasts: readonly ForecastParams[],
  line: RangedLine,
): (ForecastRange | null)[] {
  return line.starts.map((start) => {
    if (start === null) return null;
    const found: Summand[][] = [];
    let isNegative = false;
    for (const params of forecasts) {
      const periods = periodsIn(params, start, line.unit);
      if (periods === 'none') continue;
      const groups = periods === 'some' ? null : groupsOf(params, line);
      if (periods === 'some' || !groups) return null;
      const parts: Summand[] = [];
      for (const { forecast, deviation, freedom, dependence } of groups) {
        if (!deviation) return null;
        const sum = (of: readonly number[]) => periods.reduce((all, i) => all + (of[i] ?? 0), 0);
        parts.push({
          ...{ forecast: sum(forecast), deviation: sum(deviation) },
          ...{ freedom, dependence },
        });
        isNegative ||= forecast.some((amount) => amount < 0);
      }
      if (parts.length > 0) found.push(parts);
      // It has taken out the plan of its periods, older forecasts included.
      if (params.replace) break;
    }
    return found.length > 0 ? rangeOfSum(found, isNegative) : null;
  });
}

/**
 * Returns the range of a sum of forecasts. Its errors count as having Student's t distribution with the variance and the
 * kurtosis of the sum: the more independent errors it has, the closer it is to the normal distribution.
 *
 * Source: Johnson, Kotz and Balakrishnan (1995), Continuous Univariate Distributions 2, chapter 28, for the kurtosis; that
 * of a sum of independent errors is the mean of theirs, weighted by the squares of their variances.
 *
 * @param forecasts the parts of each; parts of different forecasts count as independent
 * @param isNegative whether the limits may be below 0
 */
export function rangeOfSum(
  forecasts: readonly (readonly Summand[])[],
  isNegative: boolean,
): ForecastRange {
  let [sum, variance] = [0, 0];
  const shares: { added: number; freedom: number }[] = [];
  for (const parts of forecasts) {
    let common = 0;
    for (const { deviation, dependence = 0 } of parts) common += Math.sqrt(dependence) * deviation;
    for (const { forecast, deviation, dependence = 0, freedom = OLDER_FREEDOM } of parts) {
      // What the part adds to the variance: its own, and the covariances with the other parts.
      const added = (1 - dependence) * deviation ** 2 + Math.sqrt(dependence) * deviation * common;
      sum += forecast;
      variance += added;
      shares.push({ added, freedom });
    }
  }
  // The kurtosis is 6 / (freedom − 4), which is not defined up to 4 degrees of freedom. If a part has that few, a smaller
  // number replaces the 4.
  const least = shares.reduce((all, share) => Math.min(all, share.freedom), Infinity);
  const offset = Math.min(4, least - 0.5);
  const squares = shares.reduce(
    (all, { added, freedom }) => all + added ** 2 / (freedom - offset),
    0,
  );
  const freedom = variance === 0 ? Infinity : offset + variance ** 2 / squares;
  const limits = (share: BandShare): [number, number] => {
    const off = limitOf(share, freedom) * Math.sqrt(variance);
    return [isNegative ? sum - off : Math.max(0, sum - off), sum + off];
  };
  return { forecast: sum, band80: limits(80), band95: limits(95) };
}

/** Returns the positions of the periods of a forecast that a place adds up, and whether it covers the place only in part. */
function periodsIn(
  { horizon, unit }: ForecastParams,
  start: number,
  unitOfPlace: TimeUnit,
): number[] | 'some' | 'none' {
  const [first, last] = [horizon.from, horizon.through].map(monthNumber);
  const month = monthNumberAt(start);
  const end = month + MONTHS_IN[unitOfPlace] - 1;
  if (first === undefined || last === undefined || end < first || month > last) return 'none';
  const length = MONTHS[unit];
  if (length === null || MONTHS_IN[unitOfPlace] % length !== 0) return 'some';
  const origin = first - (first % length);
  const isWhole = month >= origin && end <= last - (last % length) + length - 1;
  if (!isWhole) return 'some';
  const from = (month - origin) / length;
  return Array.from({ length: MONTHS_IN[unitOfPlace] / length }, (_, i) => from + i);
}

/** Returns the groups of a forecast that a line adds up; null if it adds up parts of groups, or has another measure. */
function groupsOf({ by, groups }: ForecastParams, { measure, members }: RangedLine) {
  const ofMeasure = groups.filter((group) => group.measure === measure);
  if (ofMeasure.length === 0 || [...members.keys()].some((column) => !by.includes(column)))
    return null;
  const wanted = by.map((column) => {
    const values = members.get(column);
    return values && new Set(values.map(textOf));
  });
  return ofMeasure.filter(({ group }) =>
    wanted.every((values, i) => values?.has(group[i] ?? null) ?? true),
  );
}
