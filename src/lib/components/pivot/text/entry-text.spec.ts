import { describe, expect, it } from 'vitest';
import type { MeasureDecimals } from '$lib/contract/decimals';
import type { LogEntry } from '$lib/contract/log';
import {
  changesText,
  closedText,
  effectTexts,
  entryText,
  redoneText,
  triedText,
} from './entry-text';

/** Words as the page has them: the label comes from a method of the version. */
class Words {
  private readonly labels = new Map([
    ['sub', 'Sub-Category'],
    ['hrs', 'Hours'],
  ]);
  readonly decimals: MeasureDecimals = {
    value: { least: 2, most: 2 },
    units: { least: 0, most: 0 },
    cost: { least: 3, most: 3 },
    hrs: { least: 0, most: 6 },
  };
  readonly measures = [
    { key: 'value', column: 'Sales', name: 'Sales', decimals: { least: 2, most: 2 } },
    { key: 'units', column: 'Quantity', name: 'Quantity', decimals: { least: 0, most: 0 } },
    { key: 'cost', column: 'cost', name: 'cost', decimals: { least: 3, most: 3 } },
    { key: 'hrs', column: 'hrs', name: 'Hours', decimals: { least: 0, most: 6 } },
  ];
  labelOf(column: string): string {
    return this.labels.get(column) ?? column;
  }
}
const WORDS = new Words();
const BASE = { id: 1, version_id: 1, pf_user: 'ana', stamp: '', note: null };
const textOf = (content: Record<string, unknown>) =>
  entryText({ ...BASE, ...content } as unknown as LogEntry, WORDS);

describe('entryText', () => {
  it.each([
    ['2027-03-31', 'closed through Mar 2027'],
    ['2028-02-29', 'closed through Feb 2028'],
    ['2028-02-28', 'closed through Feb 28, 2028'],
  ])('names the month of a close through %s, or the day', (through, text) => {
    const params = { column: 'Order Date', from: '2027-01-01', through };
    expect(textOf({ operation: 'actual', slice: null, params })).toBe(text);
  });

  it.each([
    [1, 'of 1 load: source changed'],
    [2, 'of 2 loads: source changed for at least one'],
  ])('counts the loads of a refresh: %i', (count, text) => {
    const load = { logid: 4, rows: 10, written_at: '2027-01-05T00:00:00Z' };
    const params = { loads: Array.from({ length: count }, () => load) };
    expect(textOf({ operation: 'refresh', slice: null, params })).toBe(text);
  });

  it('names the level of a forecast and those that it agrees with', () => {
    const params = { by: ['sub'], unit: 'month', history: { through: '2027-03-31' } };
    const text = (levels?: string[][]) =>
      textOf({ operation: 'forecast', slice: null, params: { ...params, levels } });
    expect(text()).toBe('by Sub-Category and month, learned through Mar 2027');
    expect(text([[], ['sub']])).toBe(
      'by Sub-Category and month, agreeing with the total and Sub-Category, learned through Mar 2027',
    );
  });

  it('describes closed and restated months by the totals that change', () => {
    const closed = {
      ...{ logid: 7, row_count: 5, from: '2027-01-01', through: '2027-03-31' },
      before: { row_count: 5, value_total: 410, units_total: 41 },
      after: { row_count: 10, value_total: 305.75, units_total: 41 },
    };
    expect(closedText(closed, false, WORDS)).toBe(
      'Closed through Mar 2027: 410 → 305.75 Sales, saved as 5 new rows.',
    );
    const costly = {
      ...closed,
      before: { ...closed.before, measures: { cost: 4, hrs: 2 } },
      after: { ...closed.before, measures: { cost: 1.5, hrs: 2 } },
    };
    expect(closedText(costly, false, WORDS)).toBe(
      'Closed through Mar 2027: 4 → 1.500 cost, saved as 5 new rows.',
    );
    const same = { ...closed, row_count: 0, after: closed.before };
    expect(closedText(same, true, WORDS)).toBe('Restated through Mar 2027: saved as 0 new rows.');
  });

  it('lists the measures that a scale changes, before and after', () => {
    const of = (now: number, total: number) => {
      return { now, total, change: total - now, percent: null };
    };
    const drafts = { value: of(100, 120), units: of(5, 6), cost: of(4, 4.5), hrs: of(2, 2) };
    expect(changesText(drafts, WORDS)).toBe('100 → 120 Sales, 5 → 6 Quantity, 4 → 4.500 cost');
    expect(changesText({ value: of(100, 100), units: null }, WORDS)).toBe('');
  });

  it('describes a redo by the measures with another total', () => {
    const was = { row_count: 2, value_total: 10, units_total: 1, measures: { cost: 3, hrs: 1 } };
    const now = { ...was, measures: { cost: 4, hrs: 1 } };
    expect(redoneText(was, now, WORDS)).toBe('Redone: 4.000 cost (previously 3.000).');
  });

  it.each([
    ['a percentage', { pct: 10 }, '+10 %'],
    ['less', { pct: -2.5 }, '-2.5 %'],
    ['an amount', { value_incr: 1500.5, units_incr: null }, '+1,500.50 Sales'],
    ['both measures', { value_incr: -10, units_incr: 3 }, '-10 Sales, +3 Quantity'],
    [
      'equal parts',
      { value_incr: 10, units_incr: 0, spread: 'equal' },
      '+10 Sales, in equal parts',
    ],
    ['a hold', { pct: 5, hold: [{ Region: 'West' }] }, '+5 %, except held rows'],
    ['one edit', { edits: [{ slice: {}, pct: 5 }] }, '+5 %'],
    [
      'edits',
      {
        edits: [
          { slice: {}, pct: 5 },
          { slice: {}, pct: 1 },
        ],
      },
      '2 changes: +5 %, +1 %',
    ],
    [
      'edits that are all alike',
      {
        edits: [
          { slice: { Region: 'West' }, value_incr: null, units_incr: null, value_pct: 5 },
          { slice: { Region: 'East' }, value_incr: null, units_incr: null, value_pct: 5 },
        ],
      },
      '+5 % Sales in each of 2 selections',
    ],
    [
      'many edits',
      { edits: [1, 2, 3, 4, 5].map((pct) => ({ slice: {}, pct })) },
      '5 changes: +1 %, +2 %, +3 % and 2 more',
    ],
    [
      'a percentage of one measure',
      { value_incr: null, units_incr: 3, value_pct: -2.5 },
      '-2.5 % Sales, +3 Quantity',
    ],
    [
      'totals',
      { value_incr: null, units_incr: null, value_total: 1200000, units_total: 0 },
      'Sales → 1,200,000, Quantity → 0',
    ],
    [
      'further measures',
      {
        value_incr: 7,
        measures: { cost: { total: 5000.5 }, hrs: { pct: 10 }, gone: { incr: -3 } },
      },
      '+7 Sales, cost → 5,000.500, +10 % Hours, -3 gone',
    ],
    [
      'a further measure without value and units',
      { value_incr: null, units_incr: null, measures: { hrs: { total: 'keep' } } },
      'Hours kept in total',
    ],
    ['one that follows', { value_pct: 5, with: ['cost'] }, '+5 % Sales, cost changes with Sales'],
    [
      'several that follow',
      { value_incr: 480, units_incr: 2, with: ['cost', 'hrs'], spread: 'equal' },
      '+480 Sales, +2 Quantity, cost and Hours change with Sales, in equal parts',
    ],
    [
      'a total that is kept',
      { value_incr: 500, units_incr: null, keep: { Region: 'West' } },
      '+500 Sales, total kept',
    ],
    [
      'a shape like other rows',
      {
        value_incr: 10,
        units_incr: null,
        spread: { like: { slice: {}, by: ['Order Date', 'Region'], unit: 'month' } },
      },
      '+10 Sales, like other rows by Order Date, Region',
    ],
    [
      'a shape like the reference',
      {
        value_incr: 10,
        units_incr: null,
        spread: {
          like: { slice: {}, by: ['Order Date'], unit: 'month', origins: ['reference'] },
        },
      },
      '+10 Sales, like the reference by Order Date',
    ],
    [
      'a shape like the reference of another version',
      {
        value_incr: 10,
        units_incr: null,
        spread: {
          like: { slice: {}, by: ['Order Date'], origins: ['reference'], version_id: 2 },
        },
      },
      '+10 Sales, like other rows by Order Date',
    ],
    [
      'a shape',
      {
        value_incr: null,
        units_incr: null,
        value_total: 'keep',
        spread: { profile: { column: 'Order Date', unit: 'month', even: true } },
      },
      'Sales kept in total, evenly by month of Order Date',
    ],
  ])('describes a scale: %s', (_, params, text) =>
    expect(textOf({ operation: 'scale', slice: {}, params })).toBe(text),
  );

  it('names the share and the dates that a recode and a clone move', () => {
    const shift = { sub: '3 months' };
    expect(
      textOf({ operation: 'recode', slice: {}, params: { set: {}, shift, factor: 0.3 } }),
    ).toBe('30 %, Sub-Category + 3 months');
    const factors = [{ from: '2027-01-01', factor: 0.5 }];
    const params = { set: { Region: 'East' }, scale_factor: 1, shift, factors };
    expect(textOf({ operation: 'clone', slice: {}, params })).toBe(
      '× 1, other factors by date, Region → East, Sub-Category + 3 months',
    );
  });

  it('writes an interval back in time as one', () => {
    const of = (interval: string) =>
      textOf({ operation: 'recode', slice: {}, params: { set: {}, shift: { sub: interval } } });
    expect(of('-1 year')).toBe('Sub-Category - 1 year');
    expect(of('-1 year 2 days')).toBe('Sub-Category + -1 year 2 days');
  });

  it('names the values that a recode and a clone set', () => {
    const set = { Region: 'East', sub: null, note: '' };
    const moved = 'Region → East, Sub-Category → empty, note → blank';
    expect(textOf({ operation: 'recode', slice: {}, params: { set } })).toBe(moved);
    expect(textOf({ operation: 'clone', slice: {}, params: { set, scale_factor: 1.05 } })).toBe(
      `× 1.05, ${moved}`,
    );
    expect(textOf({ operation: 'clone', slice: {}, params: { set: {}, scale_factor: 2 } })).toBe(
      '× 2',
    );
  });

  it('names the shift of dates of a load', () => {
    const params = { where_clause: 'TRUE', date_offset: '13 years' };
    expect(textOf({ operation: 'baseline', slice: null, params })).toBe('dates moved by 13 years');
    const unmoved = { ...params, date_offset: '0 days' };
    expect(textOf({ operation: 'reference', slice: null, params: unmoved })).toBe(
      'dates unchanged',
    );
  });

  it('is null if the log has no parameters', () =>
    expect(textOf({ operation: 'recode', slice: {}, params: null })).toBeNull());
});

describe('effectTexts', () => {
  const none = { value: 0, units: 0 };
  it.each([
    [
      { rows: 2, amounts: { value: 1500.5, units: 0 }, moved: none },
      { value: 2000, units: 0 },
      ['+1,500.50 Sales (75 % of the difference)'],
    ],
    [
      { rows: 2, amounts: { value: -100, units: 2 }, moved: none },
      { value: 200, units: 3 },
      ['-100 Sales (-50 % of the difference)', '+2 Quantity (66.7 % of the difference)'],
    ],
    [{ rows: 2, amounts: { value: 100, units: 0 }, moved: none }, none, ['+100 Sales']],
    [
      { rows: 2, amounts: { value: 2487.29, units: -2 }, moved: none },
      { value: 487.29, units: 1 },
      ['+2,487.29 Sales', '-2 Quantity'],
    ],
    [
      { rows: 4, amounts: { value: 0, units: 0 }, moved: { value: 40, units: 4 } },
      { value: 10, units: 0 },
      ['40 Sales moved', '4 Quantity moved'],
    ],
    [{ rows: 1, amounts: { value: 0, units: 0 }, moved: none }, none, []],
  ])('lists amounts and shares: %#', (effect, together, texts) => {
    expect(effectTexts(effect, WORDS, together)).toEqual(texts);
  });

  it('lists amounts without shares for a change that stands alone', () => {
    const moved = { value: 0, units: 4 };
    expect(effectTexts({ rows: 4, amounts: { value: -1500.5, units: 0 }, moved }, WORDS)).toEqual([
      '-1,500.50 Sales',
      '4 Quantity moved',
    ]);
  });

  it('describes an operation as its entry', () => {
    const scale = { kind: 'scale', body: { value_total: 200 } } as const;
    expect(triedText(scale, WORDS)).toBe('Sales → 200');
    const recode = { kind: 'recode', body: { set: { sub: 'Seats' }, factor: 0.3 } } as const;
    expect(triedText(recode, WORDS)).toBe('30 %, Sub-Category → Seats');
  });
});
