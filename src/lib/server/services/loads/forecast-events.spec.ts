import { expect, it } from 'vitest';
import { periodOfDay } from '../../../contract/calendar';
import type { ForecastUnit } from '../../../contract/forecasts';
import { eventsOf } from './forecast-events';

type Range = [from: string, to: string];

/** The shares of an event in the periods of some days. */
function sharesOf(unit: ForecastUnit, ranges: readonly Range[], days: readonly string[]) {
  const periods = days.map((day) => periodOfDay(day, unit));
  const ignore = ranges.map(([from, to]) => ({ from, to, name: 'Easter' }));
  const [first, through] = [Math.min(...periods), Math.max(...periods)];
  return eventsOf({ unit, ignore }, first, through)[0]?.sharesIn(periods);
}

it.each<[string, ForecastUnit, Range[], string[], number[]]>([
  [
    'a short range is divided over its periods by days',
    'month',
    [['2024-03-29', '2024-04-01']],
    ['2024-02-01', '2024-03-01', '2024-04-01'],
    [0, 0.75, 0.25],
  ],
  [
    'a short range in one period is a whole event',
    'month',
    [['2025-04-18', '2025-04-21']],
    ['2025-03-01', '2025-04-01'],
    [0, 1],
  ],
  [
    'a long range counts in each period by the share of its days',
    'week',
    [['2026-11-19', '2026-12-02']],
    ['2026-11-16', '2026-11-23', '2026-11-30'],
    [4 / 7, 1, 3 / 7],
  ],
  [
    'ranges that overlap or follow each other are one',
    'month',
    [
      ['2025-04-20', '2025-04-21'],
      ['2025-04-18', '2025-04-19'],
      ['2025-04-19', '2025-04-19'],
    ],
    ['2025-04-01'],
    [1],
  ],
  [
    'two ranges in one period count twice',
    'quarter',
    [
      ['2025-04-05', '2025-04-06'],
      ['2025-05-05', '2025-05-06'],
    ],
    ['2025-04-01'],
    [2],
  ],
])('%s', (_, unit, ranges, days, shares) => {
  expect(sharesOf(unit, ranges, days)).toEqual(shares);
});

it('a 53rd week alone is no history of an event, since methods do not learn from it', () => {
  // The last week of 2020 is its 53rd.
  const ask = () => sharesOf('week', [['2020-12-30', '2020-12-30']], ['2020-12-21', '2020-12-28']);
  expect(ask).toThrow(/has no period in the history/);
});
