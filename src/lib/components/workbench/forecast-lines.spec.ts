import { expect, it } from 'vitest';
import type { GroupForecast } from '$lib/contract/forecasts';
import {
  eventLines,
  forecastLines,
  periodAt,
  periodsBetween,
  scaleOf,
  stripesOf,
} from './forecast-lines';

const group = (of: Partial<GroupForecast>): GroupForecast => ({
  ...{
    group: {},
    measure: 'value',
    method: 'theta',
    why: '',
    parameters: {},
    events: [],
    backtest: null,
  },
  ...{ history: [0, 10], fit: [null, 5], forecast: [20, 15] },
  band80: { lower: [10, 10], upper: [20, 20] },
  band95: { lower: [5, 5], upper: [20, 20] },
  ...of,
});
const BOX = { width: 40, height: 20 };

it('draws history, fit, forecast and bands, with the largest amount at the top', () => {
  expect(forecastLines(group({}), 0, BOX)).toEqual({
    history: ['5,20 15,10'],
    fit: ['15,15'],
    forecast: '15,10 25,0 35,5',
    band80: '25,0 35,0 35,10 25,10',
    band95: '25,0 35,0 35,15 25,15',
    now: 20,
    zero: null,
  });
});

it('leaves a gap for unknown amounts and for periods before the horizon', () => {
  const lines = forecastLines(group({ history: [10, null, 10], fit: [null, null, null] }), 1, {
    width: 60,
    height: 20,
  });
  expect(lines).toMatchObject({ history: ['5,10', '25,10'], fit: [], now: 30 });
  expect(lines.forecast).toBe('25,10 45,0 55,5');
});

it('draws what each event adds, 0 in the other periods, and where it falls', () => {
  const lines = eventLines(
    group({
      events: [
        { name: 'Easter', lift: 1, history: [5], horizon: [10] },
        { name: 'Black week', lift: null, history: [null], horizon: [] },
      ],
    }),
    {
      history: ['2026-01-01', '2026-02-01'],
      horizon: ['2026-04-01', '2026-05-01'],
      events: [
        { name: 'Easter', history: ['2026-02-01'], horizon: ['2026-05-01'] },
        { name: 'Black week', history: ['2026-01-01'], horizon: [] },
      ],
    },
    1,
    { width: 50, height: 20 },
  );
  expect(lines).toEqual([
    {
      name: 'Easter',
      points: '5,20 15,15 25,20 35,20 45,10',
      stripes: [
        { x: 10, width: 10 },
        { x: 40, width: 10 },
      ],
    },
    {
      name: 'Black week',
      points: '5,20 15,20 25,20 35,20 45,20',
      stripes: [{ x: 0, width: 10 }],
    },
  ]);
});

it('shows where 0 is if there are amounts on both sides', () => {
  expect(forecastLines(group({ history: [-20, 10] }), 0, BOX).zero).toBe(10);
});

it('has a scale of round amounts', () => {
  const amountsOf = (least: number, most: number) =>
    scaleOf(group({ band95: { lower: [least], upper: [most] } }), 100).map(({ amount }) => amount);
  expect(amountsOf(0, 183_000)).toEqual([0, 50_000, 100_000, 150_000]);
  expect(amountsOf(-30, 20)).toEqual([-20, 0, 20]);
  const easter = { name: 'Easter', lift: 9, history: [38], horizon: [] };
  expect(scaleOf(group({ events: [easter] }), 100).at(-1)?.amount).toBe(30);
  expect(amountsOf(-5, 40)).toEqual([0, 20, 40]);
  expect(amountsOf(0, 40)).toEqual([0, 10, 20, 30, 40]);
  expect(scaleOf(group({}), 20)).toEqual([
    { amount: 0, y: 20 },
    { amount: 5, y: 15 },
    { amount: 10, y: 10 },
    { amount: 15, y: 5 },
    { amount: 20, y: 0 },
  ]);
  const none = { history: [0], fit: [0], forecast: [0] };
  const flat = group({ ...none, band95: { lower: [0], upper: [0] } });
  expect(scaleOf(flat, 20)).toEqual([{ amount: 0, y: 10 }]);
});

it('counts the periods between history and horizon', () => {
  const between = (last: string, first: string, unit: 'month' | 'quarter' | 'week') =>
    periodsBetween({ history: ['2020-01-01', last], horizon: [first, '2030-01-01'] }, unit);
  expect(between('2026-12-01', '2027-01-01', 'month')).toBe(0);
  expect(between('2026-11-01', '2027-02-01', 'month')).toBe(2);
  expect(between('2026-10-01', '2027-04-01', 'quarter')).toBe(1);
  expect(between('2026-12-21', '2027-01-04', 'week')).toBe(1);
});

it('finds the period at a place of the chart, and the stripes that cover periods', () => {
  expect([-0.5, 0, 0.24, 0.25, 0.99, 1, 2].map((place) => periodAt(place, 4))).toEqual([
    ...[0, 0, 0, 1, 3, 3, 3],
  ]);
  expect(stripesOf([true, false, true, true], 8, 80)).toEqual([
    { x: 0, width: 10 },
    { x: 20, width: 20 },
  ]);
  expect(stripesOf([false, false], 8, 80)).toEqual([]);
});
