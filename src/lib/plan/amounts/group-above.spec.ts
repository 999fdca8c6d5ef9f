import { describe, expect, it } from 'vitest';
import type { SlicePreview } from '../../contract/previews';
import { keptCaution, othersOf, pathAbove, whyNotKept } from './group-above';
import { measureOutcome } from './scale-draft';

const cell = (...rowPath: string[]) => ({ rowPath, columnPath: ['2028'], measure: 'Sales' });

describe('pathAbove', () => {
  it('is the row above all of the cells', () => {
    expect(pathAbove([cell('Furniture', 'Chairs')])).toEqual(['Furniture']);
    expect(pathAbove([cell('Furniture', 'Chairs'), cell('Furniture', 'Tables')])).toEqual([
      'Furniture',
    ]);
    expect(pathAbove([cell('Furniture')])).toEqual([]);
  });

  it.each([
    ['no cells', []],
    ['the total row', [cell()]],
    ['rows of two groups', [cell('Furniture', 'Chairs'), cell('Technology', 'Phones')]],
    ['rows of two levels', [cell('Furniture', 'Chairs'), cell('Furniture')]],
  ])('is missing for %s', (_, cells) => expect(pathAbove(cells)).toBeNull());
});

const none = { row_count: 0, value_total: 0, units_total: 0 };
const decimals = { value_decimals: 2, units_decimals: 0 };

/** A group whose other rows that are not locked have some totals. */
const group = (
  value_total: number,
  gross: number | null = null,
  row_count = 3,
): Parameters<typeof othersOf>[0] => {
  const free = { row_count, value_total, units_total: 12, ...decimals };
  const rows: SlicePreview = {
    ...{ ...free, row_count: row_count + 1, skipped: [], held: none, excluded: none },
    free: { ...free, value_gross: gross, units_gross: null },
  };
  return { keep: { Category: 'Furniture' }, rows };
};

const change = (amount: number) => ({
  value: measureOutcome(
    'value',
    { by: 'change', amount },
    { value_total: 100, units_total: 10 },
    2,
  ),
  units: null,
});

it('othersOf takes what the cell gains from the other rows, measure by measure', () => {
  expect(othersOf(group(300), change(0.1))).toEqual([
    { measure: 'value', before: 300, after: 299.9 },
  ]);
  expect(othersOf(group(300), change(-20))).toEqual([
    { measure: 'value', before: 300, after: 320 },
  ]);
  expect(othersOf(group(300), { value: null, units: null })).toEqual([]);
});

describe('a group whose other rows', () => {
  it('give the change is not refused', () => {
    expect(whyNotKept(group(300), change(50))).toBeNull();
    expect(keptCaution(group(300), change(50))).toBeNull();
  });

  it('are all locked, or missing, is refused', () => {
    expect(whyNotKept(group(0, null, 0), change(50))).toMatch(/no other rows/);
  });

  it('cancel each other out has to be confirmed, or is refused', () => {
    expect(keptCaution(group(2, 100), change(50))).toEqual({
      ...{ kind: 'offset', measure: 'value', gross: 2500, isOfOthers: true },
    });
    expect(whyNotKept(group(0, 100), change(50))).toMatch(/cancel each other out/);
    expect(keptCaution(group(0, 100), change(50))).toBeNull();
  });
});
