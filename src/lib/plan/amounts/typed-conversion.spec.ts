import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SlicePreview } from '../../contract/previews';
import { measureOutcome } from './scale-draft';
import { conversionDraft, editOfMeasure, missingRates } from './typed-conversion';

const EUR = { name: 'EUR', key: 'value' };

interface Line {
  amount: number;
  rate: number;
  isHeld: boolean;
}

/** The answer of the service about some rows, as far as conversions need it. */
function rowsOf(lines: readonly Line[], missing = 0): SlicePreview {
  const sums = (of: readonly Line[]) => ({
    ...{ row_count: of.length, units_total: null, units_decimals: null, value_decimals: 2 },
    value_total: of.reduce((total, { amount }) => total + amount, 0),
    conversions: {
      EUR: { total: of.reduce((total, { amount, rate }) => total + amount * rate, 0), missing },
    },
  });
  const free = sums(lines.filter(({ isHeld }) => !isHeld));
  const none = { row_count: 0, value_total: null, units_total: null };
  return {
    ...sums(lines),
    free: { ...free, value_gross: null, units_gross: null },
    ...{ held: none, excluded: none, skipped: [] },
  };
}

const line = fc.record({
  amount: fc.integer({ min: 1, max: 100_000 }),
  rate: fc.oneof(fc.constant(0), fc.double({ min: 0.01, max: 200, noNaN: true })),
  isHeld: fc.boolean(),
});

/** The conversion after a change of the measure is spread over the free lines in proportion. */
function after(lines: readonly Line[], change: number): number {
  const free = lines.filter(({ isHeld }) => !isHeld);
  const whole = free.reduce((total, { amount }) => total + amount, 0);
  return lines.reduce(
    (total, { amount, rate, isHeld }) =>
      total + rate * (isHeld ? amount : amount + (change * amount) / whole),
    0,
  );
}

describe('editOfMeasure', () => {
  it('reaches the typed total, change or percentage while held rows and rates stay', () => {
    fc.assert(
      fc.property(
        fc
          .array(line, { minLength: 1, maxLength: 10 })
          .filter((all) => all.some(({ isHeld, rate }) => !isHeld && rate > 0)),
        fc.constantFrom('total', 'change', 'percent'),
        fc.integer({ min: -5000, max: 5000 }),
        (lines, how, amount) => {
          const rows = rowsOf(lines);
          const now = rows.conversions?.['EUR']?.total ?? NaN;
          const edit = editOfMeasure(EUR, { by: how, amount }, rows);
          const change =
            edit?.by === 'percent' ? ((rows.value_total ?? 0) * edit.amount) / 100 : edit?.amount;
          const wanted = { total: amount, change: now + amount, percent: now * (1 + amount / 100) };
          const scale = Math.max(1, now, Math.abs(wanted[how]));
          expect(Math.abs(after(lines, change ?? NaN) - wanted[how]) / scale).toBeLessThan(1e-8);
        },
      ),
    );
  });

  it('is the typed percentage if no row is held', () => {
    const rows = rowsOf([{ amount: 100, rate: 0.9, isHeld: false }]);
    expect(editOfMeasure(EUR, { by: 'percent', amount: 5 }, rows)).toEqual({
      by: 'percent',
      amount: 5,
    });
  });

  it('is the change of the free rows if the conversion of the held ones is 0', () => {
    const rows = rowsOf([
      { amount: 100, rate: 2, isHeld: false },
      { amount: 300, rate: 0, isHeld: true },
    ]);
    expect(editOfMeasure(EUR, { by: 'percent', amount: 10 }, rows)).toEqual({
      by: 'change',
      amount: 10,
    });
  });

  it('is none if the free rows have no amount, and none without the conversion', () => {
    const held = rowsOf([{ amount: 100, rate: 0.9, isHeld: true }]);
    expect(editOfMeasure(EUR, { by: 'total', amount: 5 }, held)).toBeNull();
    expect(editOfMeasure({ ...EUR, name: 'USD' }, { by: 'total', amount: 5 }, held)).toBeNull();
  });
});

describe('conversionDraft', () => {
  it('is the conversion after the measure is rounded to its decimals', () => {
    const rows = rowsOf([{ amount: 100, rate: 3, isHeld: false }]);
    const edit = editOfMeasure(EUR, { by: 'total', amount: 301 }, rows);
    const draft = edit && measureOutcome('value', edit, rows, 2);
    expect(draft).toMatchObject({ total: 100.33, change: 0.33 });
    expect(draft && conversionDraft(EUR, draft, rows)).toEqual({
      ...{ now: 300, total: 300.99, change: 0.99, percent: 0.33 },
    });
  });
});

it('missingRates returns the number of amounts without a rate, and null for an unknown conversion', () => {
  const rows = rowsOf([], 37);
  expect(missingRates(EUR, rows)).toBe(37);
  expect(missingRates({ name: 'USD' }, rows)).toBeNull();
});
