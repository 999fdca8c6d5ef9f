/** The range in which a loaded forecast expects the amounts of a chart. */
import { monthNumber, monthNumberAt } from '../../contract/calendar';
import { BANDS, type ForecastParams } from '../../contract/forecasts';
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
 * The errors of groups count as independent: their deviations are added in squares. Those of one group in several
 * periods count as the same: they are added as they are (docs/forecasting.md).
 *
 * @param forecasts newest first
 */
export function forecastRanges(
  forecasts: readonly ForecastParams[],
  line: RangedLine,
): (ForecastRange | null)[] {
  return line.starts.map((start) => {
    if (start === null) return null;
    let [forecast, variance] = [0, 0];
    let isNegative = false;
    let found = false;
    for (const params of forecasts) {
      const periods = periodsIn(params, start, line.unit);
      if (periods === 'none') continue;
      const groups = periods === 'some' ? null : groupsOf(params, line);
      if (periods === 'some' || !groups) return null;
      for (const { forecast: amounts, deviation } of groups) {
        if (!deviation) return null;
        const sum = (of: readonly number[]) => periods.reduce((all, i) => all + (of[i] ?? 0), 0);
        forecast += sum(amounts);
        variance += sum(deviation) ** 2;
        isNegative ||= amounts.some((amount) => amount < 0);
        found = true;
      }
      // It has taken out the plan of its periods, older forecasts included.
      if (params.replace) break;
    }
    if (!found) return null;
    const limits = (width: number): [number, number] => {
      const off = width * Math.sqrt(variance);
      return [isNegative ? forecast - off : Math.max(0, forecast - off), forecast + off];
    };
    return { forecast, band80: limits(BANDS[80]), band95: limits(BANDS[95]) };
  });
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
