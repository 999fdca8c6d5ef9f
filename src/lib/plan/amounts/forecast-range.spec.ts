import { describe, expect, it } from 'vitest';
import type { ForecastParams } from '../../contract/forecasts';
import type { LayoutFilter } from '../../contract/stored-layout';
import { forecastRanges, membersOf, type RangedLine } from './forecast-range';

const fitted = (region: string | null, forecast: number[], deviation?: number[]) => ({
  ...{ group: [region], measure: 'value' as const, method: 'theta' as const, parameters: {} },
  ...{ forecast, ...(deviation && { deviation, freedom: Infinity }) },
});

const FORECAST = {
  history: { through: '2026-12-31' },
  horizon: { from: '2027-01-01', through: '2027-04-30' },
  ...{ unit: 'month', by: ['region'], method: 'auto' },
  groups: [
    fitted('East', [100, 110, 120, 130], [3, 4, 5, 6]),
    fitted('West', [10, 20, 30, 40], [4, 3, 12, 8]),
    fitted(null, [1, 1, 1, 1], [0, 0, 0, 0]),
  ],
} as unknown as ForecastParams;

const line = (starts: (string | null)[], more: Partial<RangedLine> = {}): RangedLine => ({
  ...{ measure: 'value', unit: 'month', members: new Map() },
  starts: starts.map((day) => (day === null ? null : Date.parse(day))),
  ...more,
});
/** The forecast and its deviation, which the limit of 95 % follows from. */
const short = (ranges: ReturnType<typeof forecastRanges>) =>
  ranges.map(
    (range) =>
      range && [range.forecast, Number(((range.band95[1] - range.forecast) / 1.96).toFixed(6))],
  );

describe('the range of a forecast in a chart', () => {
  it('adds deviations of groups in squares, and those of periods as they are', () => {
    expect(short(forecastRanges([FORECAST], line(['2027-01-01', '2027-02-01'])))).toEqual([
      [111, 5],
      [131, 5],
    ]);
    const quarter = line(['2027-01-01'], { unit: 'quarter' });
    // East: 3 + 4 + 5, West: 4 + 3 + 12.
    expect(short(forecastRanges([FORECAST], quarter))).toEqual([
      [393, Number(Math.hypot(12, 19).toFixed(6))],
    ]);
  });

  it('adds deviations of groups in part as they are if their errors depend on each other', () => {
    const groups = FORECAST.groups.map((group) => ({ ...group, dependence: 0.25 }));
    const january = line(['2027-01-01']);
    expect(short(forecastRanges([{ ...FORECAST, groups }], january))).toEqual([
      // 0.75 · (3² + 4²) + 0.25 · (3 + 4)²
      [111, Number(Math.sqrt(31).toFixed(6))],
    ]);
    const same = FORECAST.groups.map((group) => ({ ...group, dependence: 1 }));
    expect(short(forecastRanges([{ ...FORECAST, groups: same }], january))).toEqual([[111, 7]]);
  });

  /** The limits above the forecast of groups, in standard deviations of their sum. */
  const limits = (groups: readonly object[], deviation: number) => {
    const params = { ...FORECAST, groups } as ForecastParams;
    const [range] = forecastRanges([params], line(['2027-01-01']));
    return [range?.band80, range?.band95].map(
      (band) => ((band?.[1] ?? 0) - (range?.forecast ?? 0)) / deviation,
    );
  };

  it.each([
    [3, 1.6377, 3.1824],
    [6, 1.4398, 2.4469],
    [30, 1.3104, 2.0423],
  ])(
    'has the limits of Student’s t distribution with %d degrees of freedom, of variance 1',
    (freedom, of80, of95) => {
      const [in80, in95] = limits([{ ...fitted('East', [100], [5]), freedom }], 5);
      const scale = Math.sqrt((freedom - 2) / freedom);
      expect(in80).toBeCloseTo(of80 * scale, 2);
      expect(in95).toBeCloseTo(of95 * scale, 2);
    },
  );

  it('has more degrees of freedom, the more independent errors it adds', () => {
    const of = (count: number, dependence: number) => {
      const groups = Array.from({ length: count }, (_, i) => ({
        ...fitted(`Region ${i}`, [10], [1]),
        ...{ freedom: 6, dependence },
      }));
      return limits(groups, Math.sqrt(count + dependence * count * (count - 1)));
    };
    const single = (freedom: number) => limits([{ ...fitted('East', [100], [1]), freedom }], 1);
    // A kurtosis of 6 / (6 − 4) divided by 4 is that of 12 degrees of freedom.
    for (const [i, limit] of of(4, 0).entries()) expect(limit).toBeCloseTo(single(12)[i] ?? 0, 6);
    expect(of(10_000, 0)[0]).toBeCloseTo(1.2816, 3);
    expect(of(10_000, 0)[1]).toBeCloseTo(1.96, 3);
  });

  it('has about the limits of older servers for entries without degrees of freedom', () => {
    const { freedom: _, ...older } = fitted('East', [100], [5]);
    const [in80 = 0, in95 = 0] = limits([older], 5);
    expect(Math.abs(in80 / 1.153 - 1)).toBeLessThan(0.021);
    expect(Math.abs(in95 / 1.96 - 1)).toBeLessThan(0.021);
  });

  it('has the limits of 80 and 95 %, not below 0 unless an amount is', () => {
    const members = new Map([['region', ['West']]]);
    const [range] = forecastRanges([FORECAST], line(['2027-03-01'], { members }));
    expect(range?.forecast).toBe(30);
    expect(range?.band80.map((limit) => Number(limit.toFixed(4)))).toEqual([14.6208, 45.3792]);
    expect(range?.band95.map((limit) => Number(limit.toFixed(4)))).toEqual([6.48, 53.52]);
    const wide = { ...FORECAST, groups: [fitted('West', [1, 1, 1, 1], [1, 1, 1, 1])] };
    const [at0] = forecastRanges([wide], line(['2027-03-01']));
    expect(at0?.band95[0]).toBe(0);
    const below = { ...FORECAST, groups: [fitted('West', [-1, 1, 1, 1], [1, 1, 1, 1])] };
    const [negative] = forecastRanges([below], line(['2027-03-01']));
    expect(negative?.band95[0]).toBeCloseTo(-0.96, 10);
  });

  it('is that of the groups that a line adds up', () => {
    const of = (...values: (string | null)[]) =>
      short(
        forecastRanges(
          [FORECAST],
          line(['2027-01-01'], { members: new Map([['region', values]]) }),
        ),
      );
    expect(of('East')).toEqual([[100, 3]]);
    expect(of('East', null)).toEqual([[101, 3]]);
    expect(of('North')).toEqual([null]);
  });

  it('is unknown for parts of groups and of periods, for another measure, and outside the horizon', () => {
    const months = line(['2026-12-01', null, '2027-05-01']);
    expect(forecastRanges([FORECAST], months)).toEqual([null, null, null]);
    const product = line(['2027-01-01'], { members: new Map([['product', ['Chairs']]]) });
    expect(forecastRanges([FORECAST], product)).toEqual([null]);
    expect(forecastRanges([FORECAST], line(['2027-01-01'], { measure: 'units' }))).toEqual([null]);
    // The second quarter is forecast only in April.
    const quarters = line(['2027-04-01'], { unit: 'quarter' });
    expect(forecastRanges([FORECAST], quarters)).toEqual([null]);
    const byQuarter: ForecastParams = { ...FORECAST, unit: 'quarter' };
    expect(forecastRanges([byQuarter], line(['2027-01-01']))).toEqual([null]);
    expect(short(forecastRanges([byQuarter], line(['2027-04-01'], { unit: 'quarter' })))).toEqual([
      [131, 5],
    ]);
    const byWeek: ForecastParams = { ...FORECAST, unit: 'week' };
    expect(forecastRanges([byWeek], line(['2027-01-01']))).toEqual([null]);
    const older = { ...FORECAST, groups: [fitted('East', [1, 2, 3, 4])] };
    expect(forecastRanges([older], line(['2027-01-01']))).toEqual([null]);
  });

  it('adds up forecasts, unless a newer one has replaced the others', () => {
    const newer = { ...FORECAST, groups: [fitted('East', [7, 7, 7, 7], [12, 12, 12, 12])] };
    const january = line(['2027-01-01']);
    expect(short(forecastRanges([newer, FORECAST], january))).toEqual([[118, 13]]);
    expect(short(forecastRanges([{ ...newer, replace: true }, FORECAST], january))).toEqual([
      [7, 12],
    ]);
    expect(short(forecastRanges([newer, { ...FORECAST, replace: true }], january))).toEqual([
      [118, 13],
    ]);
  });
});

describe('the values that filters limit a line to', () => {
  const schema = { region: 'string', year: 'integer', size: 'integer' } as const;
  const of = (...filters: LayoutFilter[]) => membersOf(filters, ['year'], schema);

  it('are those of filters by a list', () => {
    expect(of(['region', 'in', ['East', 'West']], ['size', '==', 5])).toEqual(
      new Map<string, unknown>([
        ['region', ['East', 'West']],
        ['size', [5]],
      ]),
    );
    expect(of(['year', '>=', 2027])).toEqual(new Map());
  });

  it('are unknown for other filters', () => {
    expect(of(['region', 'contains', 'a'])).toBeNull();
    expect(of(['size', '>', 5])).toBeNull();
    expect(of(['region', '==', 'East'], ['region', 'in', ['East', 'West']])).toBeNull();
  });
});
