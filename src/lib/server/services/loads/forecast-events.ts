/** Events of a forecast: ranges of days with the same name, in the history and in the horizon. */
import {
  dayAfter,
  daysOfPeriod,
  firstDay,
  isWeek53,
  periodOfDay,
} from '../../../contract/calendar';
import { folded } from '../../../contract/folding';
import type { ForecastPreviewRequest, ForecastUnit } from '../../../contract/forecasts';
import { faultAt, fieldPlace } from '../../errors';
import type { Shares } from '../../statistics/events';

type Ignored = NonNullable<NonNullable<ForecastPreviewRequest['ignore']>[number]>;
type Range = Pick<Ignored, 'from' | 'to'>;

/** An event of a request. */
export interface NamedEvent {
  name: string;
  /** The part of it that falls into each of some periods, by number. */
  sharesIn: (periods: readonly number[]) => Shares;
}

/** The ranges of a request that are no event: their periods are not learned from. */
export const unnamed = ({ ignore }: ForecastPreviewRequest): Ignored[] =>
  (ignore ?? []).filter(({ name }) => name == null);

/**
 * Returns the events of a request. Ranges whose names differ in case only are one event, which has the first name.
 *
 * @param first number of the first period of the history
 * @param through number of its last period
 * @throws AppError 400 for a range that ends before it begins; 422 for an event without a period in the history that
 * methods learn from
 */
export function eventsOf(
  { unit, ignore }: Pick<ForecastPreviewRequest, 'unit' | 'ignore'>,
  first: number,
  through: number,
): NamedEvent[] {
  const history = Array.from({ length: through - first + 1 }, (_, t) => first + t).filter(
    (period) => unit !== 'week' || !isWeek53(period),
  );
  const events = new Map<string, { name: string; place: string; ranges: Range[] }>();
  for (const [i, { name, from, to }] of (ignore ?? []).entries()) {
    if (name == null) continue;
    if (from > to) {
      throw faultAt(fieldPlace(`ignore.${i}`), 400, 'the range ends before it begins');
    }
    const key = folded(name);
    const known = events.get(key) ?? { name, place: `ignore.${i}.name`, ranges: [] };
    events.set(key, { ...known, ranges: joined([...known.ranges, { from, to }]) });
  }
  return [...events.values()].map(({ name, place, ranges }) => {
    const sharesIn = (periods: readonly number[]) =>
      periods.map((period) => ranges.reduce((sum, range) => sum + shareOf(range, period, unit), 0));
    if (sharesIn(history).every((share) => share === 0)) {
      const fault = `the event "${name}" has no period in the history, so its lift cannot be measured`;
      throw faultAt(fieldPlace(place), 422, fault);
    }
    return { name, sharesIn };
  });
}

/** Joins ranges that overlap or follow each other. */
function joined(ranges: readonly Range[]): Range[] {
  const found: Range[] = [];
  for (const range of ranges.toSorted((a, b) => (a.from < b.from ? -1 : 1))) {
    const last = found.at(-1);
    if (last && range.from <= dayAfter(last.to)) {
      last.to = last.to > range.to ? last.to : range.to;
    } else found.push({ ...range });
  }
  return found;
}

/**
 * Returns the part of an event that falls into a period. A range that is shorter than the period is one event, which
 * several periods share by its days; a longer one counts as the share of the period's days that it covers.
 */
function shareOf(range: Range, period: number, unit: ForecastUnit): number {
  const day = firstDay(period, unit);
  const length = periodOfDay(range.to, 'day') - periodOfDay(range.from, 'day') + 1;
  return daysOfPeriod(day, unit, range) / Math.min(length, daysOfPeriod(day, unit, {}));
}
