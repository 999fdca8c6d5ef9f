import { describe, expect, it } from 'vitest';
import type { LogOperation } from '../../contract/operations';
import { placeOf, waterfall, type ExplainedEntry } from './waterfall';

let logid = 0;
const entry = (
  operation: LogOperation,
  value_total: number | null,
  rest: Partial<ExplainedEntry> = {},
): ExplainedEntry => ({
  logid: ++logid,
  operation,
  pf_user: 'ann',
  stamp: '2026-11-21T22:43:58.872Z',
  note: null,
  excluded: operation === 'reference',
  row_count: 1,
  value_total,
  units_total: 0,
  ...rest,
});

const steps = (bars: ReturnType<typeof waterfall>['bars']) =>
  bars.map(({ kind, from, to }) => [kind, from, to]);

describe('waterfall', () => {
  it('adds up a conversion by its name', () => {
    const converted = (total: number) => ({ conversions: { EUR: { total, missing: 0 } } });
    const entries = [entry('baseline', 100, converted(90)), entry('scale', 10, converted(9.5))];
    expect(steps(waterfall(entries, 'EUR', null).bars)).toEqual([
      ['baseline', 0, 90],
      ['entry', 90, 99.5],
      ['total', 0, 99.5],
    ]);
  });

  it('goes from the loaded amount to the current number', () => {
    const { bars } = waterfall(
      [entry('baseline', 1000.1), entry('scale', 99.9), entry('recode', -400)],
      'value',
      null,
    );
    expect(steps(bars)).toEqual([
      ['baseline', 0, 1000.1],
      ['entry', 1000.1, 1100],
      ['entry', 1100, 700],
      ['total', 0, 700],
    ]);
  });

  it('explains a further measure by its own amounts', () => {
    const of = (operation: LogOperation, cost: number) =>
      entry(operation, 999, { measures: { cost } });
    const { bars } = waterfall([of('baseline', 60), of('scale', -5.5)], 'cost', null);
    expect(steps(bars)).toEqual([
      ['baseline', 0, 60],
      ['entry', 60, 54.5],
      ['total', 0, 54.5],
    ]);
  });

  it('counts a refresh to the origin of its loads, as a step of its own', () => {
    const refresh = (iter: string, amount: number) =>
      entry('refresh', amount, { iter, excluded: iter === 'reference' });
    const entries = [
      ...[entry('baseline', 60), entry('reference', 50)],
      ...[refresh('baseline', 5), refresh('reference', 9), entry('scale', 1)],
    ];
    const ends = (origin: 'baseline' | 'changes' | 'reference' | null) =>
      waterfall(entries, 'value', origin).bars.map(({ kind, to }) => [kind, to]);
    expect(ends(null)).toEqual([
      ['baseline', 60],
      ['entry', 65],
      ['entry', 66],
      ['total', 66],
    ]);
    expect(ends('baseline').at(-1)).toEqual(['total', 65]);
    expect(ends('changes').at(-1)).toEqual(['total', 1]);
    expect(ends('reference')).toEqual([
      ['reference', 50],
      ['entry', 59],
      ['total', 59],
    ]);
    expect(waterfall(entries, 'value', 'difference').bars[0]).toMatchObject({ to: 59 });
  });

  it('counts a forecast to the baseline, as its column does', () => {
    const entries = [entry('baseline', 60), entry('forecast', 40), entry('scale', 5)];
    const { bars } = waterfall(entries, 'value', 'baseline');
    expect(steps(bars)).toEqual([
      ['baseline', 0, 100],
      ['total', 0, 100],
    ]);
  });

  it('has one bar for all loads, and none if nothing was loaded', () => {
    const loads = [entry('baseline', 60), entry('baseline', 40)];
    const { bars } = waterfall([...loads, entry('scale', 5)], 'value', null);
    expect(bars[0]).toMatchObject({ kind: 'baseline', amount: 100, entries: loads });
    expect(steps(waterfall([entry('clone', 5)], 'value', null).bars)).toEqual([
      ['entry', 0, 5],
      ['total', 0, 5],
    ]);
  });

  it('separates entries that are not part of the plan', () => {
    const reference = entry('reference', 900);
    const { bars, beside } = waterfall([reference, entry('baseline', 1000)], 'value', null);
    expect(bars.at(-1)?.amount).toBe(1000);
    expect(beside).toEqual([reference]);
  });

  it('goes from the reference to the plan for a difference', () => {
    const entries = [entry('reference', 900), entry('baseline', 1000), entry('scale', 50)];
    for (const origin of ['difference', 'percent'] as const) {
      const { bars, beside } = waterfall(entries, 'value', origin);
      expect(steps(bars)).toEqual([
        ['reference', 0, 900],
        ['instead', 900, 1000],
        ['entry', 1000, 1050],
        ['total', 0, 1050],
      ]);
      expect(beside).toEqual([]);
    }
  });

  it('shows only the part of the number that the cell shows', () => {
    const entries = [entry('reference', 900), entry('baseline', 1000), entry('scale', 50)];
    const totals = (['baseline', 'changes', 'reference'] as const).map(
      (origin) => waterfall(entries, 'value', origin).bars.at(-1)?.amount,
    );
    expect(totals).toEqual([1000, 50, 900]);
  });

  it('folds the smallest of many changes, and keeps the others in order', () => {
    const amounts = [50, -1, 70, 2, 90, -60, 3, 80, 40, 30];
    const changes = amounts.map((amount) => entry('scale', amount));
    const { bars } = waterfall([entry('baseline', 1000), ...changes], 'value', null);
    const shown = bars.filter(({ kind }) => kind === 'entry');
    expect(shown.map(({ amount }) => amount)).toEqual([50, 70, 90, -60, 80, 40, 30]);
    const fold = bars.find(({ kind }) => kind === 'fold');
    expect(fold?.entries.map(({ value_total }) => value_total)).toEqual([-1, 2, 3]);
    expect(fold).toMatchObject({ amount: 4, from: 1300, to: 1304 });
    expect(bars.at(-1)?.amount).toBe(1304);
    const eight = waterfall(changes.slice(0, 8), 'value', null).bars;
    expect(eight.every(({ kind }) => kind !== 'fold')).toBe(true);
  });

  it('adds up the requested measure, or 0 if the source lacks it', () => {
    const entries = [entry('baseline', null, { units_total: 7 })];
    expect(waterfall(entries, 'units', null).bars.at(-1)?.amount).toBe(7);
    expect(waterfall(entries, 'value', null).bars.at(-1)?.amount).toBe(0);
  });

  it('cuts the axis if the changes are small, so that they are visible', () => {
    const small = waterfall([entry('baseline', 10_000), entry('scale', 100)], 'value', null);
    expect(small.axis).toEqual({ from: 9950, to: 10_100, isCut: true });
    const [baseline, change] = small.bars.map((bar) => placeOf(bar, small.axis));
    expect(baseline?.left).toBe(0);
    expect(baseline?.width).toBeCloseTo(100 / 3);
    expect(change?.left).toBeCloseTo(100 / 3);
    expect(change?.width).toBeCloseTo(200 / 3);
    const below = waterfall([entry('baseline', -10_000), entry('scale', -100)], 'value', null);
    expect(below.axis).toEqual({ from: -10_100, to: -9950, isCut: true });
  });

  it('starts the axis at or below 0 otherwise', () => {
    const big = waterfall([entry('baseline', 100), entry('scale', -150)], 'value', null);
    expect(big.axis).toEqual({ from: -50, to: 100, isCut: false });
    expect(placeOf(big.bars[1]!, big.axis)).toEqual({ left: 0, width: 100 });
    const nothing = waterfall([], 'value', null);
    expect(placeOf(nothing.bars[0]!, nothing.axis)).toEqual({ left: 0, width: 0 });
  });
});
