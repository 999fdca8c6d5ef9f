import { describe, expect, it } from 'vitest';
import { bytesOf, SCHEMA, tableFrom, type Row } from '../../../../tests/support/pivot-tables';
import type { ColumnEntry } from '../../contract/columns';
import type { Layout, ShowAs } from '../../contract/stored-layout';
import { columnsIn, encoded } from '../rows/arrow-columns';
import { added, biggest, chartAxes, evenly, rest, shownAs } from './chart';
import type { ShownGroups } from '../values/others';
import { conditionsOf, readChart, type Chart } from './chart-reader';
import type { Table } from '../values/engine-types';
import { monthOrder } from '../layout/layout';
import { Origins } from '../rows/origins';

const day = (iso: string) => Date.parse(iso);
const iso = (times: number[]) => times.map((time) => new Date(time).toISOString().slice(0, 10));

describe('the axis and the series', () => {
  const isTime = (name: string) => ['month', 'year'].includes(name);
  const axes = (group_by: string[], split_by: string[]) =>
    chartAxes({ group_by, split_by }, isTime);

  it('puts time along the axis, and uses the first other level as series', () => {
    expect(axes(['region', 'product'], ['year', 'month'])).toEqual({
      axis: ['year', 'month'],
      isTime: true,
      series: 'region',
    });
    expect(axes(['month', 'region'], [])).toMatchObject({ axis: ['month'], series: 'region' });
    expect(axes(['month'], ['region'])).toMatchObject({ axis: ['month'], series: 'region' });
    // A comparison of years.
    expect(axes(['year'], ['month'])).toMatchObject({ axis: ['month'], series: 'year' });
  });

  it('draws the first level along the axis if there is no time', () => {
    expect(axes(['region', 'product'], [])).toEqual({
      axis: ['region'],
      isTime: false,
      series: 'product',
    });
    expect(axes([], [])).toEqual({ axis: [], isTime: false, series: null });
  });

  it('shows layouts of earlier builds as the nearest kind of chart', () => {
    const names = [undefined, 'Datagrid', 'Y Bar', 'Y Line', 'X Bar', 'Y Area', 'Treemap'];
    expect(names.map(shownAs)).toEqual([
      ...['Datagrid', 'Datagrid', 'Y Bar', 'Y Line', 'Grouped Bar', 'Y Line', 'Y Bar'],
    ]);
  });
});

describe('combined groups', () => {
  it('finds the biggest by size, and leaves one place for all others', () => {
    const sums = [[1], [-50], [null], [7], [7]];
    expect(biggest(sums, 5)).toEqual([1, 3, 4, 0, 2]);
    expect(biggest(sums, 4)).toEqual([1, 3, 4]);
    expect(biggest([], 4)).toEqual([]);
  });

  it('adds exact cents, and keeps null distinct from 0', () => {
    expect(added([0.1, null, null], [0.2, 3, null])).toEqual([0.3, 3, null]);
    expect(
      rest(
        [0.3, null, 10],
        [
          [0.1, null, 4],
          [0.2, null],
        ],
      ),
    ).toEqual([0, null, 6]);
    expect(rest([1e9 + 0.01], [[1e9]])).toEqual([0.01]);
  });
});

describe('a time axis', () => {
  it('includes the months without rows between others', () => {
    expect(iso(evenly([day('2027-11-01'), day('2028-02-01')], 'month'))).toEqual([
      ...['2027-11-01', '2027-12-01', '2028-01-01', '2028-02-01'],
    ]);
    expect(iso(evenly([day('2027-10-01'), day('2028-04-01')], 'quarter'))[1]).toBe('2028-01-01');
    expect(iso(evenly([day('2026-01-01'), day('2028-01-01')], 'year'))).toHaveLength(3);
  });

  it('uses the common interval of its days', () => {
    const quarters = ['2027-01-15', '2027-04-15', '2027-10-15'].map(day);
    expect(iso(evenly(quarters, undefined))).toContain('2027-07-15');
    expect(evenly(quarters, undefined)).toHaveLength(4);
    const weeks = ['2027-01-04', '2027-01-11', '2027-01-25'].map(day);
    expect(iso(evenly(weeks, undefined))[2]).toBe('2027-01-18');
    expect(evenly([day('1900-01-01'), day('2027-01-02')], undefined)).toHaveLength(2);
    expect(evenly([day('2027-01-31')], undefined)).toHaveLength(1);
    expect(evenly([], 'month')).toEqual([]);
  });
});

describe('a chart of the engine’s sums', () => {
  const COLUMNS: ColumnEntry[] = (
    [
      ['region', 'dimension'],
      ['sub-category', 'dimension'],
      ['Order Date', 'date'],
      ['value', 'value'],
      ['units', 'units'],
    ] as const
  ).map(([cname, role], opos) => ({
    ...{ cname, role, opos, label: null, is_key: false, in_grain: true },
    ...{ dim_group: null, dim_period_col: null, type: null },
  }));

  const SERIES = 2000;
  const rows: Row[] = Array.from({ length: SERIES * 8 }, (_, i) => {
    const region = i % SERIES;
    const month = Math.floor(i / SERIES) * 3;
    return {
      ...{ pf_id: i + 1, pf_note: null, flag: null, size: 1, rate: null, units: 1 },
      pf_iter: i % 3 === 0 ? 'reference' : 'baseline',
      region: region === 7 ? null : `r${region}`,
      'sub-category': ['Mar', 'Jan', 'Feb'][i % 3] ?? null,
      'Order Date':
        region === 1999
          ? null
          : new Date(Date.UTC(2010, month, 1 + (i % 5))).toISOString().slice(0, 10),
      // Large values among small ones, some below zero.
      value: region < 12 ? (region % 2 ? -1 : 1) * (5000 + region * 10 + 0.01) : (i % 97) / 100,
    };
  });

  async function chartOf(
    layout: Layout,
    {
      measure = null,
      of = rows,
      shownGroups = null,
    }: { measure?: string | null; of?: Row[]; shownGroups?: ShownGroups | null } = {},
  ): Promise<Chart> {
    const { columns: made, origins } = Origins.prepare(
      columnsIn(bytesOf(of, SCHEMA)),
      ['value', 'units'],
      ['reference'],
    );
    const table = (await tableFrom(encoded(made))) as unknown as Table;
    const schema = await table.schema();
    const months = monthOrder(COLUMNS[1] as ColumnEntry, COLUMNS, ['Jan', 'Feb', 'Mar']);
    return readChart(
      {
        ...{ table, layout, schema, columns: COLUMNS, origins, formats: new Map() },
        months: new Map(months ? [['sub-category', months]] : []),
        shownGroups,
      },
      measure,
    );
  }

  const BY_MONTH: Layout = {
    group_by: ['region', 'sub-category'],
    split_by: ['month'],
    columns: ['value', 'value: reference', 'value: Δ', 'value: Δ %', 'units'],
    expressions: { month: `bucket("Order Date", 'M')` },
  };
  const inPlan = (row: Row) => row.pf_iter !== 'reference';
  const sum = (of: Row[]) => of.reduce((all, row) => all + Number(row.value), 0);

  it('combines 2,000 series into a few that add up to the total of each month', async () => {
    const chart = await chartOf(BY_MONTH);
    expect(chart).toMatchObject({
      measures: ['value', 'value: Δ', 'value: Δ %', 'units'],
      measure: 'value',
      series: 'region',
      isTime: true,
      isSum: true,
      left: 0,
    });
    expect(chart.sides.map(({ origin }) => origin)).toEqual(['plan', 'reference']);
    // From January 2010 to October 2011, and the rows without a day.
    expect(chart.labels).toHaveLength(23);
    expect([chart.labels[0], chart.labels[1], chart.labels.at(-1)]).toEqual([
      ...['Jan 2010', 'Feb 2010', '(empty)'],
    ]);
    expect(chart.lines).toHaveLength(8);
    expect(chart.lines.map(({ label }) => label)).toContain('r11');
    expect(chart.lines.at(-1)).toMatchObject({ label: '1993 others', folded: 1993 });
    const total = (side: number, x: number) =>
      chart.lines.reduce((all, { values }) => all + (values[side]?.[x] ?? 0), 0);
    const ofMonth = (start: string) => (row: Row) => String(row['Order Date']).startsWith(start);
    for (const [x, month] of [
      [0, '2010-01'],
      [3, '2010-04'],
      [21, '2011-10'],
      [22, 'null'],
    ] as const) {
      const found = rows.filter(ofMonth(month));
      expect(total(0, x)).toBeCloseTo(sum(found.filter(inPlan)), 6);
      expect(total(1, x)).toBeCloseTo(sum(found.filter((row) => !inPlan(row))), 6);
    }
    // February 2010 has no rows.
    expect(chart.lines.every(({ values }) => values.every((side) => side[1] === null))).toBe(true);
  });

  it('draws the groups that a limit of the rows shows, and the others or nothing beside them', async () => {
    const kept = new Set(['["r3"]', '["r4"]', '[null]']);
    const shown = (hasOthers: boolean, layout: Layout = BY_MONTH) =>
      chartOf(layout, { shownGroups: { columns: ['region'], levels: [{ kept, hasOthers }] } });
    const total = ({ lines }: Chart) =>
      lines
        .flatMap(({ values: [side = []] }) => side)
        .reduce<number>((all, value) => all + (value ?? 0), 0);
    const inside = (row: Row) => ['r3', 'r4', null].includes(row.region as string | null);
    const ofAll = await shown(true);
    expect(ofAll.lines.map(({ label }) => label).sort()).toEqual(
      ['(empty)', '1997 others', 'r3', 'r4'].sort(),
    );
    expect(total(ofAll)).toBeCloseTo(sum(rows.filter(inPlan)), 6);
    const ofKept = await shown(false);
    expect(ofKept.lines.map(({ label }) => label).sort()).toEqual(['(empty)', 'r3', 'r4']);
    expect(total(ofKept)).toBeCloseTo(sum(rows.filter(inPlan).filter(inside)), 6);
    const along = await shown(false, { group_by: ['region'], columns: ['value'] });
    expect(along.labels.toSorted()).toEqual(['(empty)', 'r3', 'r4']);
    // Their whole is not drawn.
    const amounts = { value: { show_as: 'share_of_total' as const } };
    const shares = await shown(false, { ...BY_MONTH, columns: ['value'], amounts });
    expect(shares.lines.flatMap(({ values }) => values.flat()).every((n) => n === null)).toBe(true);

    // The chart has another field.
    const other = { shownGroups: { columns: ['date'], levels: [{ kept, hasOthers: false }] } };
    const whole = await chartOf({ ...BY_MONTH, columns: ['value'], amounts }, other);
    expect(whole).toEqual(await chartOf({ ...BY_MONTH, columns: ['value'], amounts }));
    expect(total(whole)).toBeCloseTo(1, 6);

    // More groups than a chart has series: the rest of those that the rows show.
    const many = new Set(Array.from({ length: 20 }, (_, i) => `["r${i}"]`));
    const chart = await chartOf(BY_MONTH, {
      shownGroups: { columns: ['region'], levels: [{ kept: many, hasOthers: false }] },
    });
    const drawn = rows.filter(({ region }) => many.has(JSON.stringify([region]))).filter(inPlan);
    const regions = new Set(drawn.map(({ region }) => region));
    expect(chart.lines.at(-1)).toMatchObject({ label: `${regions.size - 7} others` });
    expect(total(chart)).toBeCloseTo(sum(drawn), 6);
  });

  it('computes a difference and a share from the sums of all combined groups', async () => {
    const shown = (measure: string) => chartOf(BY_MONTH, { measure });
    const [amounts, difference, share] = await Promise.all(
      ['value', 'value: Δ', 'value: Δ %'].map(shown),
    );
    expect(share).toMatchObject({ isSum: false, measure: 'value: Δ %' });
    for (const [i, line] of amounts?.lines.entries() ?? []) {
      const [plan = [], reference = []] = line.values;
      const [changes = []] = difference?.lines[i]?.values ?? [];
      const [shares = []] = share?.lines[i]?.values ?? [];
      expect(changes[0]).toBeCloseTo(Number(plan[0]) - Number(reference[0]), 6);
      const base = Number(reference[0]);
      expect(shares[0] ?? 0).toBeCloseTo(base ? Number(changes[0]) / Math.abs(base) : 0, 9);
    }
  });

  it('sorts names of months by month, and has one series without other groups', async () => {
    const chart = await chartOf({ group_by: ['sub-category'], columns: ['units'] });
    expect(chart.labels).toEqual(['Jan', 'Feb', 'Mar']);
    expect(chart.lines).toHaveLength(1);
    expect(chart.lines[0]?.label).toBeNull();
  });

  it('draws groups along the axis if there is no time, the biggest first', async () => {
    const chart = await chartOf({ group_by: ['region'], columns: ['value'] });
    expect(chart.labels).toHaveLength(24);
    expect(chart.labels.at(-1)).toBe('1977 others');
    expect(chart.labels).toContain('(empty)');
    const drawn = chart.lines[0]?.values[0] ?? [];
    expect(drawn.reduce<number>((all, value) => all + (value ?? 0), 0)).toBeCloseTo(
      sum(rows.filter(inPlan)),
      6,
    );
  });

  it('combines no averages, and reports the number of series left out', async () => {
    const chart = await chartOf({ ...BY_MONTH, aggregates: { value: 'avg' }, columns: ['value'] });
    expect(chart).toMatchObject({ isSum: false, left: 1993 });
    expect(chart.lines).toHaveLength(7);
  });

  const chartAs = (way: ShowAs, layout: Layout = {}, of = rows) => {
    const amounts = { value: { show_as: way } };
    return chartOf({ ...BY_MONTH, columns: ['value'], amounts, ...layout }, { of });
  };
  // With four regions, all series are drawn.
  const few = rows.filter(({ region }) => ['r1', 'r2', 'r3', 'r4'].includes(String(region)));
  const drawnIn = ({ lines }: Chart) =>
    lines.flatMap(({ values }) => values.flat()).filter((value) => value !== null);

  it.each(['avg', 'min', 'distinct count'])('adds up no %s for shares and totals', async (way) => {
    const layout: Layout = { aggregates: { value: way } };
    for (const as of ['share_of_total', 'share_of_row', 'running_total'] as const) {
      const chart = await chartAs(as, layout, few);
      expect(chart.lines).toHaveLength(4);
      expect(drawnIn(chart)).toEqual([]);
    }
    const ranked = drawnIn(await chartAs('rank', layout, few));
    expect(ranked.length).toBeGreaterThan(0);
    expect(ranked.every((rank) => rank >= 1 && rank <= 4)).toBe(true);
  });

  it('ranks no combined groups', async () => {
    const chart = await chartAs('rank');
    expect(chart.lines.at(-1)).toMatchObject({ folded: 1993 });
    const [combined = [], ...drawn] = chart.lines.map(({ values: [side = []] }) => side).reverse();
    expect(combined.every((rank) => rank === null)).toBe(true);
    expect(Math.max(...drawn.flat().map((rank) => rank ?? 0))).toBe(7);

    const along = await chartAs('rank', { group_by: ['region'], split_by: [] });
    expect(along.labels.at(-1)).toBe('1977 others');
    const ranks = along.lines[0]?.values[0] ?? [];
    expect(ranks.at(-1)).toBeNull();
    expect(Math.max(...ranks.map((rank) => rank ?? 0))).toBe(23);
  });

  it('stacks shares of a whole that contains all series, and no others', async () => {
    const inColumns: Layout = { group_by: ['sub-category'], split_by: ['region'] };
    const charts = await Promise.all([
      ...(['share_of_total', 'share_of_row', 'share_of_column', 'rank'] as const).map((way) =>
        chartAs(way, {}, few),
      ),
      chartAs('share_of_row', inColumns, few),
      chartAs('share_of_column', inColumns, few),
    ]);
    expect(charts.map(({ isSum }) => isSum)).toEqual([true, true, false, false, false, true]);
  });

  it('is empty if a filter excludes all rows, or without a measure', async () => {
    const none = await chartOf({ ...BY_MONTH, filter: [['region', '==', 'nowhere']] });
    expect(none).toMatchObject({ labels: [], lines: [] });
    expect(await chartOf({ ...BY_MONTH, columns: ['region'] })).toMatchObject({ measure: null });
    const one = await chartOf({ ...BY_MONTH, filter: [['region', '==', 'r3']] });
    expect(one.lines.map(({ label }) => label)).toEqual(['r3']);
  });

  describe('with a limit below the outermost level of the rows', () => {
    const of = few.map((row): Row => ({
      ...row,
      pf_note: ['x', 'y', 'z'][Number(row.pf_id) % 3] ?? '',
    }));
    const centsOf = (row: Row) => Math.round(Number(row.value) * 100);
    /** Returns the numbers of the first side by place and series. */
    const numbersOf = ({ labels, lines }: Chart) =>
      Object.fromEntries(
        labels.flatMap((place, x) =>
          lines.flatMap(({ label, values: [side = []] }) =>
            side[x] == null ? [] : [[`${place} ${label}`, Math.round(side[x] * 100)]],
          ),
        ),
      );

    it.each([
      ['groups', 'region', 'pf_note', ['["r1","x"]', '["r2","y"]', '["r2","z"]', '["r3","x"]'], 3],
      ['dates', 'sub-category', 'region', ['["Jan","r1"]', '["Feb","r2"]', '["Mar","r1"]'], 4],
    ] as const)(
      'draws along %s what the rows show, others included',
      async (_, one, two, keys, n) => {
        const kept = new Set<string>(keys);
        const columns = [one, two];
        const keyOf = (row: Row) => JSON.stringify([row[one], row[two]]);
        const shown = (hasOthers: boolean) =>
          chartOf(
            { group_by: columns, columns: ['value'] },
            { of, shownGroups: { columns, levels: [null, { kept, hasOthers }] } },
          );
        /** The sums of the plan, with others for the groups that are not kept; null leaves them out. */
        const expected = (others: string | null) => {
          const sums: Record<string, number> = {};
          for (const row of of) {
            const isKept = kept.has(keyOf(row));
            if (!isKept && others === null) continue;
            const name = `${row[one]} ${isKept ? row[two] : others}`;
            // A group without rows of the plan is 0.
            sums[name] = (sums[name] ?? 0) + (inPlan(row) ? centsOf(row) : 0);
          }
          return sums;
        };
        const chart = await shown(true);
        expect(numbersOf(chart)).toEqual(expected(`${n} others`));

        // A click on the others of a place selects the rows of that place alone.
        const [first] = of.filter((row) => kept.has(keyOf(row)));
        const place = chart.labels.indexOf(String(first?.[one]));
        const others = chart.lines.findIndex(({ folded }) => folded !== null);
        const [rows] = conditionsOf(chart, place, others).filter(
          (each) => each.columns.length === 2,
        );
        const behind = of.filter((row) => row[one] === first?.[one] && !kept.has(keyOf(row)));
        const keysOf = (paths: readonly unknown[]) =>
          new Set(paths.map((path) => JSON.stringify(path)));
        expect(keysOf(rows?.paths ?? [])).toEqual(new Set(behind.map(keyOf)));

        expect(numbersOf(await shown(false))).toEqual(expected(null));
      },
    );

    const [regions, notes] = [['["r1"]'], ['["r1","x"]']].map((keys) => new Set(keys));
    const columns = ['region', 'pf_note'];

    it('draws a row of others as one bar that is not divided', async () => {
      const levels = [regions, notes].map((kept = new Set()) => ({ kept, hasOthers: true }));
      const layout: Layout = { group_by: columns, columns: ['value'] };
      const chart = await chartOf(layout, { of, shownGroups: { columns, levels } });
      const cents = (wanted: (row: Row) => boolean) =>
        of.filter(inPlan).reduce((sum, row) => sum + (wanted(row) ? centsOf(row) : 0), 0);
      const isFirst = (row: Row) => row.region === 'r1';
      expect(chart.labels).toEqual(['r1', '3 others']);
      expect(numbersOf(chart)).toEqual({
        'r1 x': cents((row) => isFirst(row) && row.pf_note === 'x'),
        'r1 3 others': cents((row) => isFirst(row) && row.pf_note !== 'x'),
        '3 others 3 others': cents((row) => !isFirst(row)),
      });
    });

    it('combines no averages', async () => {
      const levels = [null, { kept: notes ?? new Set(), hasOthers: true }];
      const chart = await chartOf(
        { group_by: columns, columns: ['value'], aggregates: { value: 'avg' } },
        { of, shownGroups: { columns, levels } },
      );
      expect(chart.lines.map(({ label }) => label)).toEqual(['x']);
      // x of two regions, y and z.
      expect(chart.left).toBe(3);
    });
  });
});
