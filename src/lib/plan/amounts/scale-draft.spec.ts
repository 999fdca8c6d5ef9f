import { describe, expect, it } from 'vitest';
import { price } from '../../pivot/values/ratios';
import { decimalsOf } from '../../contract/decimals';
import {
  followedOutcome,
  measureOutcome,
  roundedEdit,
  scaleOutcome,
  type MeasureEdit,
} from './scale-draft';

const totals = { value_total: 1200.5, units_total: 40 };
const none = { value: null, units: null };
const HELD = { holdPrice: true };
const PARTLY_LOCKED = { holdPrice: true, isPartlyLocked: true };

/** The draft of a scale. */
const scale = (edits: Record<string, MeasureEdit>, settings = { holdPrice: false }) => ({
  ...{ edits: { ...none, ...edits }, ...settings },
});

describe('scaleOutcome', () => {
  it('has the percentage of the rounded units at a held price', () => {
    const decimals = { value_decimals: null, units_decimals: 0 };
    const rows = { value_total: 31_290.7, units_total: -54, ...decimals };
    const value = { by: 'percent', amount: 10 } as const;
    const fixed = { value: null, units: 0 };
    const { drafts } = scaleOutcome(scale({ value }, HELD), rows, fixed);
    const { units } = drafts;
    expect(drafts.value?.percent).toBe(10);
    expect(units?.change).toBe(-5);
    expect(units?.percent).toBeCloseTo(9.259_259, 5);
  });

  it('changes nothing if nothing is filled in', () => {
    expect(scaleOutcome(scale({}), totals).amounts).toBeNull();
  });

  it('links total, change and percent of each measure', () => {
    const edit = { by: 'total', amount: 1320.55 } as const;
    const { value } = scaleOutcome(scale({ value: edit }), totals).drafts;
    expect(value).toEqual({ now: 1200.5, total: 1320.55, change: 120.05, percent: 10 });
  });

  it('sends a change of one measure as it was typed', () => {
    const by = (edit: MeasureEdit) => scaleOutcome(scale({ units: edit }), totals).amounts;
    expect(by({ by: 'percent', amount: 25 })).toEqual({ units_pct: 25 });
    expect(by({ by: 'change', amount: 10 })).toEqual({ units_incr: 10 });
    expect(by({ by: 'total', amount: 50 })).toEqual({ units_total: 50 });
    expect(by({ by: 'total', amount: 40 })).toBeNull();
  });

  it('sends one percentage of everything as a percentage, even if a total is 0', () => {
    const edit = { by: 'percent', amount: -5 } as const;
    const draft = scale({ value: edit, units: edit });
    expect(scaleOutcome(draft, { value_total: 0, units_total: 40 }).amounts).toEqual({ pct: -5 });
  });

  it('holds the price by changing the other measure by the same share', () => {
    const draft = scale({ value: { by: 'change', amount: 600.25 } as const }, HELD);
    const outcome = scaleOutcome(draft, totals);
    expect(outcome.amounts).toEqual({ value_incr: 600.25, units_incr: 20, spread: 'price' });
    expect(outcome.unroundedUnits).toBeNull();
    expect(price(outcome.drafts.value?.total ?? 0, outcome.drafts.units?.total ?? 0)).toBe(
      price(1200.5, 40),
    );
  });

  it('holds the price with both totals if a total is asked for', () => {
    const draft = scale({ value: { by: 'total', amount: 1800.75 } as const }, HELD);
    expect(scaleOutcome(draft, totals).amounts).toEqual({
      ...{ value_total: 1800.75, units_total: 60, spread: 'price' },
    });
    const units = { by: 'change', amount: 20 } as const;
    expect(scaleOutcome({ ...draft, edits: { ...draft.edits, units } }, totals).amounts).toEqual({
      ...{ value_total: 1800.75, units_incr: 20, spread: 'price' },
    });
  });

  it('rounds a total to the decimals of its column, and sends any other as it was typed', () => {
    const amount = { by: 'total', amount: 12.349 } as const;
    const rows = { value_total: 0.1, units_total: 40 };
    const fixed = { value: 2, units: 0 };
    const rounded = scaleOutcome(scale({ value: amount }), rows, fixed);
    expect(rounded.drafts.value).toMatchObject({ total: 12.35, change: 12.25 });
    expect(rounded.amounts).toEqual({ value_total: 12.35 });
    expect(scaleOutcome(scale({ value: amount }), rows).amounts).toEqual({ value_total: 12.349 });
  });

  it('holds the price with amounts for a percentage, and with the percentage if a total is 0', () => {
    const draft = scale({ value: { by: 'percent', amount: 10 } as const }, HELD);
    expect(scaleOutcome(draft, totals).amounts).toEqual({
      value_incr: 120.05,
      units_incr: 4,
      spread: 'price',
    });
    expect(scaleOutcome(draft, { ...totals, units_total: 0 }).amounts).toEqual({ pct: 10 });
  });

  it('holds the price of partly locked rows only for a percentage', () => {
    const by = (edit: MeasureEdit) =>
      scaleOutcome(scale({ value: edit }, PARTLY_LOCKED), totals).amounts;
    expect(by({ by: 'percent', amount: 10 })).toEqual({ pct: 10 });
    expect(by({ by: 'change', amount: 100 })).toBeNull();
    const units: MeasureEdit = { by: 'total', amount: 30 };
    const value: MeasureEdit = { by: 'percent', amount: 10 };
    const both = scale({ value, units }, PARTLY_LOCKED);
    expect(scaleOutcome(both, totals).amounts).toBeNull();
  });

  it('holds the price of the free rows if others are locked', () => {
    const decimals = { value_decimals: 2, units_decimals: 0, value_gross: null, units_gross: null };
    const free = { ...decimals, row_count: 3, value_total: 900, units_total: 30 };
    const rows = { value_total: 1200, units_total: 50, free: { ...free, measures: { cost: 300 } } };
    const by = (edits: Record<string, MeasureEdit>) =>
      scaleOutcome(scale(edits, PARTLY_LOCKED), { ...rows, measures: { cost: 500 } });
    const amounts = (by: MeasureEdit['by'], amount: number) => ({ value: { by, amount } });
    expect(by(amounts('percent', 10)).amounts).toEqual({
      ...{ value_incr: 90, units_incr: 3, spread: 'price' },
    });
    expect(by(amounts('change', 300)).amounts).toEqual({
      ...{ value_incr: 300, units_incr: 10, spread: 'price' },
    });
    expect(by(amounts('total', 1500)).amounts).toEqual({
      ...{ value_total: 1500, units_total: 60, spread: 'price' },
    });
    expect(by({ units: { by: 'change', amount: -6 } }).amounts).toEqual({
      ...{ value_incr: -180, units_incr: -6, spread: 'price' },
    });
    const { value, units } = by(amounts('change', 300)).drafts;
    expect(((value?.total ?? 0) - 300) / ((units?.total ?? 0) - 20)).toBe(30);
  });

  it('holds no price of free rows that have none', () => {
    const decimals = { value_decimals: 2, units_decimals: 0, value_gross: null, units_gross: null };
    const free = { ...decimals, row_count: 1, value_total: 0, units_total: 30 };
    const rows = { value_total: 1200, units_total: 50, free };
    const value = { by: 'change', amount: 100 } as const;
    expect(scaleOutcome(scale({ value }, PARTLY_LOCKED), rows).amounts).toBeNull();
  });

  it('returns the change of units that would hold the price, and holds none by less than a unit', () => {
    const decimals = { value: 2, units: 0 };
    const by = (amount: number) =>
      scaleOutcome(
        scale({ value: { by: 'change', amount } }, HELD),
        { value_total: 300, units_total: 10 },
        decimals,
      );
    expect(by(100)).toMatchObject({
      amounts: { value_incr: 100, units_incr: 3 },
      unroundedUnits: expect.closeTo(3.3333, 4),
    });
    expect(by(10)).toMatchObject({ amounts: null, unroundedUnits: expect.closeTo(0.3333, 4) });
  });

  it('handles sources without units', () => {
    const draft = scale({ value: { by: 'percent', amount: 10 } as const }, HELD);
    const outcome = scaleOutcome(draft, { value_total: 50, units_total: null });
    expect(outcome).toMatchObject({ drafts: { units: null }, amounts: { pct: 10 } });
  });

  it('rounds a change to the decimals of the columns, as the service does', () => {
    const draft = scale({ value: { by: 'percent', amount: 7 } as const }, HELD);
    const decimals = { value: decimalsOf('numeric(12,2)'), units: decimalsOf('integer') };
    const outcome = scaleOutcome(draft, { value_total: 10.5, units_total: -40 }, decimals);
    expect(outcome.drafts.value).toMatchObject({ change: 0.74, total: 11.24 });
    expect(outcome.drafts.units).toMatchObject({ change: -3, total: -43 });
    expect(decimalsOf('numeric')).toBeNull();
    expect(decimalsOf('double precision')).toBeNull();
  });

  it('does not show the digits of binary fractions', () => {
    const draft = scale({ value: { by: 'change', amount: 0.1 } as const });
    expect(scaleOutcome(draft, { value_total: 0.2, units_total: null }).drafts.value?.total).toBe(
      0.3,
    );
  });
});

describe('further measures', () => {
  const rows = { ...totals, measures: { cost: 700, hours: 0 } };
  const percent = { by: 'percent', amount: 10 } as const;
  const fixed = { value: 2, units: 0, cost: 2, hours: 1 };

  it('are changed beside value and units', () => {
    const cost = { by: 'total', amount: 650.004 } as const;
    const outcome = scaleOutcome(scale({ value: percent, cost }), rows, fixed);
    expect(outcome.drafts).toMatchObject({
      cost: { now: 700, total: 650, change: -50 },
      hours: { now: 0, change: 0 },
    });
    expect(outcome.amounts).toEqual({ value_pct: 10, measures: { cost: { total: 650 } } });
  });

  it('are not changed by one percentage of value and units, unless they have the same', () => {
    const draft = scale({ value: percent, units: percent });
    expect(scaleOutcome(draft, rows, fixed).amounts).toEqual({ value_pct: 10, units_pct: 10 });
    const all = scale({ value: percent, units: percent, cost: percent, hours: percent });
    expect(scaleOutcome(all, rows, fixed).amounts).toEqual({ pct: 10 });
  });

  it('are changed by an amount instead of a percentage while the price is held', () => {
    const draft = scale({ value: percent, cost: percent }, HELD);
    expect(scaleOutcome(draft, rows, fixed).amounts).toEqual({
      ...{ value_incr: 120.05, units_incr: 4, measures: { cost: { incr: 70 } }, spread: 'price' },
    });
  });

  it('follow the percentage of the value, except in rows that locks hold', () => {
    const { value } = scaleOutcome(scale({ value: percent }), rows, fixed).drafts;
    if (!value) throw new Error('no value');
    const follow = (known: typeof rows) => followedOutcome('cost', percent, value, known, 2);
    expect(follow(rows)).toMatchObject({ now: 700, total: 770, change: 70 });
    const free = {
      ...{ row_count: 1, value_total: 600.25, units_total: 20, measures: { cost: 100, hours: 0 } },
      ...{ value_decimals: 2, units_decimals: 0, value_gross: null, units_gross: null },
    };
    // 10 % of all value is 20 % of the free one.
    expect(follow({ ...rows, free } as typeof rows)).toMatchObject({ total: 720, change: 20 });
    const worthless = { ...free, value_total: 0 };
    expect(follow({ ...rows, free: worthless } as typeof rows)).toBeNull();
  });
});

describe('around locks', () => {
  const decimals = { value_decimals: 2, units_decimals: 0 };
  const free = {
    ...{ row_count: 3, value_total: 600.25, units_total: 21, ...decimals },
    ...{ value_gross: null, units_gross: null },
  };
  const known = { value_total: 1000.25, units_total: 40, ...decimals, free };
  const percent = { by: 'percent', amount: -8 } as const;

  it('applies a percentage of everything to the free rows', () => {
    const outcome = scaleOutcome(scale({ value: percent, units: percent }), known);
    expect(outcome.amounts).toEqual({ pct: -8 });
    expect(outcome.drafts.value).toMatchObject({ now: 1000.25, change: -48.02, total: 952.23 });
    expect(outcome.drafts.units).toMatchObject({ change: -2, total: 38 });
  });

  it('computes a percentage of one measure from all of its rows', () => {
    const outcome = scaleOutcome(scale({ value: percent }), known);
    expect(outcome.amounts).toEqual({ value_pct: -8 });
    expect(outcome.drafts.value).toMatchObject({ change: -80.02, total: 920.23 });
    const alone = { ...known, units_total: null };
    expect(measureOutcome('value', percent, alone, 2)).toMatchObject({ change: -80.02 });
  });
});

describe('roundedEdit', () => {
  const rounded = (edit: MeasureEdit, value_decimals: number | null, fixed: number | null) =>
    roundedEdit('value', edit, { value_decimals, units_decimals: null }, fixed).amount;
  const third = { by: 'change', amount: 100 / 3 } as const;

  it('rounds a computed amount to the decimals of the type or of the rows', () => {
    expect(rounded(third, 2, 2)).toBe(33.33);
    expect(rounded(third, 0, 0)).toBe(33);
    expect(rounded(third, 3, null)).toBe(33.333);
    expect(rounded({ by: 'total', amount: 200 / 3 }, 3, null)).toBe(66.667);
  });

  it('keeps at least 2 decimals if the type fixes none', () => {
    expect(rounded(third, 0, null)).toBe(33.33);
  });

  it('keeps a percentage, and all decimals of a floating-point measure', () => {
    expect(rounded({ by: 'percent', amount: 100 / 3 }, 2, 2)).toBe(100 / 3);
    expect(rounded(third, null, null)).toBe(100 / 3);
  });
});
