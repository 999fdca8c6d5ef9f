import { expect, it } from 'vitest';
import type { ImportCell } from '../../contract/imports';
import { amountAfter, asChosen, asTotal, compare, editsOf } from './workbook-compared';

const FIXED = { value: 2, units: 0, cost: 3, hours: null };
const SLICE = { Region: 'East' };

const change = (address: string, was: number, file: number, measure = 'value') => ({
  ...{ address, name: address, measure, slice: SLICE, was, file },
});

const cellOf = (value_total: number, more: Partial<ImportCell> = {}): ImportCell => ({
  ...{ row_count: 1, value_total, units_total: 4, refusal: null, state: 'compared', entries: [] },
  ...more,
});

it('writes value and units of a cell by one edit', () => {
  expect(editsOf([change('B3', 1, 2), change('C3', 4, 5, 'units')], asTotal)).toEqual({
    edits: [{ slice: SLICE, value_total: 2, units_total: 5 }],
    places: [0, 0],
  });
});

it('writes further measures of a cell by the same edit, with their own decimals', () => {
  const changes = [
    change('B3', 1, 2),
    change('C3', 4, 5.25, 'cost'),
    change('D3', 0.1, 0.4, 'hours'),
  ];
  const { edits, places } = editsOf(changes, asTotal);
  expect(places).toEqual([0, 0, 0]);
  expect(edits).toEqual([
    { slice: SLICE, value_total: 2, measures: { cost: { total: 5.25 }, hours: { total: 0.4 } } },
  ]);
  const now = cellOf(1, { measures: { cost: 4.5, hours: 0.1 } });
  const { changes: compared } = compare(changes, [now, now, now], [], FIXED);
  expect(compared.map(({ now, isConflict }) => [now, isConflict])).toEqual([
    [1, false],
    [4.5, true],
    [0.1, false],
  ]);
  const choices = { C3: 'change' } as const;
  expect(compared.map((each) => amountAfter(each, choices, FIXED))).toEqual([2, 5.75, 0.4]);
  expect(editsOf(compared, asChosen(choices, FIXED)).edits).toEqual([
    {
      slice: SLICE,
      value_total: 2,
      measures: { cost: { incr: 1.25 }, hours: { total: 0.4 } },
      seen: 'compared',
    },
  ]);
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
    { value_incr: 0.3, seen: 'compared' },
    { value_total: 2, seen: 'compared' },
  ]);
});
