import { expect, it } from 'vitest';
import type { ImportCell } from '../contract/imports';
import { amountAfter, asChosen, asTotal, compare, editsOf } from './workbook-compared';

const FIXED = { value: 2, units: 0 };
const SLICE = { Region: 'East' };

const change = (
  address: string,
  was: number,
  file: number,
  measure: 'value' | 'units' = 'value',
) => ({
  ...{ address, name: address, measure, slice: SLICE, was, file },
});

const cellOf = (value_total: number, more: Partial<ImportCell> = {}): ImportCell => ({
  ...{ row_count: 1, value_total, units_total: 4, refusal: null, entries: [] },
  ...more,
});

it('writes value and units of a cell by one edit', () => {
  expect(editsOf([change('B3', 1, 2), change('C3', 4, 5, 'units')], asTotal)).toEqual({
    edits: [{ slice: SLICE, value_total: 2, units_total: 5 }],
    places: [0, 0],
  });
});

it('asks for a choice where the plan differs from what was exported, and computes both exactly', () => {
  const entries = [{ logid: 9, row_count: 1, value_total: 0.2, units_total: 0 }];
  const { changes, faults } = compare(
    [change('B3', 0.1, 0.4), change('B4', 1, 2), change('B5', 1, 2), change('B6', 1, 2)],
    [
      cellOf(0.3, { entries }),
      cellOf(1),
      cellOf(1, { refusal: 'locked' }),
      cellOf(0, { refusal: 'no_rows' }),
    ],
    [],
    FIXED,
  );
  expect(changes.map(({ address, isConflict }) => [address, isConflict])).toEqual([
    ['B3', true],
    ['B4', false],
  ]);
  expect(changes[0]?.others).toEqual([{ entry: undefined, amount: 0.2 }]);
  expect(faults.map(({ address, why }) => [address, why])).toEqual([
    ['B5', 'Every row of it is locked, or its months are closed.'],
    ['B6', 'It has no rows any more.'],
  ]);
  const after = (choices: Parameters<typeof amountAfter>[1]) =>
    changes.map((each) => amountAfter(each, choices, FIXED));
  expect(after({})).toEqual([null, 2]);
  expect(after({ B3: 'number' })).toEqual([0.4, 2]);
  expect(after({ B3: 'change', B4: 'change' })).toEqual([0.6, 2]);
  expect(changes.map(asChosen({ B3: 'change', B4: 'change' }, FIXED))).toEqual([
    { value_incr: 0.3 },
    { value_total: 2 },
  ]);
});
