import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseExpression } from '../../contract/formula-expression';
import type { FormulaFormat } from '../../contract/formulas';
import { roundTo } from '../../contract/decimals';
import { type PivotFormula, priceFormula } from '../../pivot/rows/formula-columns';
import { measureOutcome, type MeasureEdit } from './scale-draft';
import {
  changeable,
  isSameResult,
  resultDraft,
  resultOf,
  solvedEdit,
  usedBy,
} from './typed-formula';

const formulaOf = (text: string, format: FormulaFormat = { style: 'number' }): PivotFormula => {
  const { expression, fault } = parseExpression(text, null);
  if (!expression) throw new Error(fault.sentence);
  return { name: text, measure: text, origin: 'formula', expression, format };
};
const SUMS: Record<string, number> = { Sales: 1000, Cost: 700, Hours: 0, Pieces: 40 };
const sumOf = (column: string) => SUMS[column] ?? null;
const total = (amount: number): MeasureEdit => ({ by: 'total', amount });
const change = (amount: number): MeasureEdit => ({ by: 'change', amount });
const percent = (amount: number): MeasureEdit => ({ by: 'percent', amount });

const MARGIN = formulaOf('(Sales - Cost) / Sales', { style: 'percent' });
const PRICE = priceFormula('Sales', 'Pieces');

describe('solvedEdit', () => {
  it.for<[string, PivotFormula, string, MeasureEdit, MeasureEdit | null]>([
    ['a margin by its sales', MARGIN, 'Sales', total(0.5), total(1400)],
    ['a margin by its cost', MARGIN, 'Cost', total(0.5), total(500)],
    ['a change of a margin', MARGIN, 'Cost', change(0.1), change(-100)],
    ['a percentage of a margin', MARGIN, 'Cost', percent(10), change(-30)],
    ['a margin of 100 % by its sales', MARGIN, 'Sales', total(1), null],
    ['a margin of 100 % by its cost', MARGIN, 'Cost', total(1), total(0)],
    ['a price', PRICE, 'Sales', total(30), total(1200)],
    ['an amount more per piece', PRICE, 'Sales', change(0.25), change(10)],
    [
      'a percentage of a price, which is one of its value',
      PRICE,
      'Sales',
      percent(-8),
      percent(-8),
    ],
    ['a price by its pieces', formulaOf('Sales / Pieces'), 'Pieces', total(50), total(20)],
    ['a division by 0', formulaOf('Sales / Hours'), 'Sales', total(5), null],
    ['a square', formulaOf('Sales * Sales'), 'Sales', total(4), null],
  ])('solves %s', ([, formula, column, edit, wanted]) => {
    expect(solvedEdit(formula, column, edit, sumOf)).toEqual(wanted);
  });
});

it('offers the measures that can change, of a price only the value', () => {
  expect(usedBy(MARGIN)).toEqual(['Sales', 'Cost']);
  expect(usedBy(PRICE)).toEqual(['Sales']);
  expect(changeable(MARGIN, total(0.5), sumOf)).toEqual(['Sales', 'Cost']);
  // No sales give 100 %, but other results.
  expect(changeable(MARGIN, total(1), sumOf)).toEqual(['Sales', 'Cost']);
  expect(changeable(formulaOf('Sales * Sales + Cost'), total(5), sumOf)).toEqual(['Cost']);
  expect(changeable(formulaOf('Sales / Hours'), total(5), sumOf)).toEqual(['Hours']);
  expect(changeable(formulaOf('Cost / Hours + Sales / Hours'), change(5), sumOf)).toEqual([]);
  // A result that is typed where there is none yet.
  const empty = (column: string) => (column === 'Sales' ? 0 : sumOf(column));
  expect(resultOf(MARGIN, empty)).toBeNull();
  expect(changeable(MARGIN, total(0.3), empty)).toEqual(['Sales']);
  expect(changeable(MARGIN, change(0.1), empty)).toEqual([]);
});

describe('resultDraft', () => {
  const draft = { now: 1000, total: 1400, change: 400, percent: 40 };

  it('returns the result before and after, and a share without a percentage', () => {
    expect(resultDraft(MARGIN, 'Sales', draft, sumOf)).toEqual({
      ...{ now: 0.3, total: 0.5, change: expect.closeTo(0.2, 12), percent: null },
    });
    expect(resultDraft(PRICE, 'Sales', draft, sumOf)).toEqual({
      ...{ now: 25, total: 35, change: 10, percent: 40 },
    });
  });

  it('has no result before if that divides by 0, and is null if it does afterwards', () => {
    const empty = (column: string) => (column === 'Sales' ? 0 : sumOf(column));
    expect(resultDraft(MARGIN, 'Sales', draft, empty)).toMatchObject({ now: null, total: 0.5 });
    expect(resultDraft(MARGIN, 'Sales', { ...draft, total: 0 }, sumOf)).toBeNull();
  });
});

it('the announced result is the typed one within the rounding of the measure, for random expressions', () => {
  const amount = fc.integer({ min: 1, max: 1e7 }).map((cents) => cents / 100);
  const leaf = fc.oneof(
    fc.integer({ min: 1, max: 20 }).map(String),
    fc.constantFrom('Sales', 'Cost', 'Pieces'),
  );
  const text = fc.letrec<{ text: string }>((tie) => ({
    text: fc.oneof(
      { maxDepth: 3 },
      leaf,
      fc
        .tuple(tie('text'), fc.constantFrom('+', '-', '*', '/'), tie('text'))
        .map((parts) => `(${parts.join(' ')})`),
    ),
  })).text;
  const by = fc.constantFrom<MeasureEdit['by']>('total', 'change', 'percent');
  let solved = 0;
  fc.assert(
    fc.property(text, fc.tuple(amount, amount, amount), by, amount, (typed, sums, kind, wish) => {
      const formula = formulaOf(typed);
      const stored: Record<string, number> = { Sales: sums[0], Cost: sums[1], Pieces: sums[2] };
      const of = (column: string) => stored[column] ?? null;
      const edit = { by: kind, amount: wish };
      for (const column of changeable(formula, edit, of)) {
        const asked = solvedEdit(formula, column, edit, of);
        if (!asked) continue;
        const now = stored[column] ?? NaN;
        const measures = { value_total: now, units_total: null };
        const draft = measureOutcome('value', asked, measures, 2);
        const announced = draft && resultDraft(formula, column, draft, of);
        if (!draft || !announced) continue;
        solved++;
        const unrounded = Math.abs(draft.total - roundTo(draft.total, 2));
        expect(unrounded).toBeLessThanOrEqual(1e-9 * Math.max(1, Math.abs(draft.total)));
        const before = resultOf(formula, of);
        const wanted =
          kind === 'total'
            ? wish
            : (before ?? NaN) + (kind === 'change' ? wish : ((before ?? NaN) * wish) / 100);
        // A cent more or less of the measure moves the result across the typed one.
        const at = (cents: number) =>
          resultOf(formula, (each) => (each === column ? draft.total + cents / 100 : of(each)));
        const [below, above] = [at(-1), at(1)];
        if (below === null || above === null) continue;
        const [low, high] = [Math.min(below, above), Math.max(below, above)];
        // Between two poles of a fraction the result is not monotonic.
        if (announced.total < low || announced.total > high) continue;
        const slack = 1e-6 * Math.max(1, Math.abs(wanted), Math.abs(before ?? 0));
        expect(wanted).toBeGreaterThanOrEqual(low - slack);
        expect(wanted).toBeLessThanOrEqual(high + slack);
      }
    }),
    { numRuns: 1000, seed: 38 },
  );
  expect(solved).toBeGreaterThan(500);
});

describe('isSameResult', () => {
  it('finds a share or a price that has changed by less than the decimals of amounts', () => {
    expect(isSameResult(0.3, 0.301)).toBe(false);
    expect(isSameResult(0.0412, 0.0413)).toBe(false);
    expect(isSameResult(12_000, 12_000.4)).toBe(false);
  });

  it('ignores the errors of floating-point sums', () => {
    expect(isSameResult(0.1 + 0.2, 0.3)).toBe(true);
    expect(isSameResult(0, -2e-10)).toBe(true);
    expect(isSameResult(81_234_567_890.12, 81_234_567_890.13)).toBe(true);
  });
});
