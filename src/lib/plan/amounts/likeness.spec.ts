import { describe, expect, it } from 'vitest';
import type { ColumnEntry } from '../../contract/columns';
import { moving, whyNoCopies } from './likeness';

type Column = Pick<ColumnEntry, 'cname' | 'role' | 'dim_group' | 'dim_period_col'>;
const column = (cname: string, more: Partial<Column> = {}): Column => ({
  cname,
  role: 'dimension',
  dim_group: null,
  dim_period_col: null,
  ...more,
});
const COLUMNS = [
  column('Region'),
  column('Product'),
  column('Day', { role: 'date', dim_group: 'day' }),
  column('Month', { dim_group: 'day', dim_period_col: 'cal_label' }),
];

describe('moving', () => {
  it('sets the values that differ, and those that the other slice lacks', () => {
    const to = { Region: 'North', Product: 'A', Day: '2028-02-01' };
    expect(moving({ Region: 'North', Product: 'A', Day: '2028-01-01' }, to, COLUMNS)).toEqual({
      Day: '2028-02-01',
    });
    expect(moving({ Region: 'North', Day: '2028-02-01' }, to, COLUMNS)).toEqual({ Product: 'A' });
    expect(moving({}, { Region: null }, COLUMNS)).toEqual({ Region: null });
    expect(moving({ Region: null }, { Region: '' }, COLUMNS)).toEqual({ Region: '' });
  });

  it('uses the first of several days, in any order', () => {
    const to = { Day: ['2028-02-20', '2028-02-03'] };
    expect(moving({ Day: '2028-01-01' }, to, COLUMNS)).toEqual({ Day: '2028-02-03' });
    expect(moving({ Day: ['2028-02-03', '2028-02-20'] }, to, COLUMNS)).toBeNull();
  });

  it('cannot move a period, nor a day whose period is unknown', () => {
    const from = { Month: 'Jan 2028', Day: '2028-01-01' };
    expect(moving(from, { Month: 'Feb 2028', Day: '2028-02-01' }, COLUMNS)).toBeNull();
    // The copies would get the period of the new day, outside the slice.
    expect(moving(from, { Month: 'Jan 2028', Day: '2028-02-01' }, COLUMNS)).toBeNull();
    expect(moving({ Month: 'Jan 2028' }, { Month: 'Feb 2028' }, COLUMNS)).toBeNull();
    expect(moving({ Month: 'Jan 2028' }, { Month: 'Jan 2028', Region: 'A' }, COLUMNS)).toEqual({
      Region: 'A',
    });
  });

  it("cannot derive a dimension of a date's group that does not follow from the new date", () => {
    const columns = [...COLUMNS, column('Season', { dim_group: 'day' })];
    const from = { Day: '2028-01-01' };
    expect(moving(from, { Day: '2028-02-01' }, columns)).toBeNull();
    expect(moving(from, { Day: '2028-02-01', Season: 'Spring' }, columns)).toEqual({
      Day: '2028-02-01',
      Season: 'Spring',
    });
  });

  it('cannot move rows to several values, to a range of days, or to their own place', () => {
    expect(moving({}, { Region: ['North', 'South'] }, COLUMNS)).toBeNull();
    expect(moving({}, { Day: { from: '2028-01-01' } }, COLUMNS)).toBeNull();
    expect(moving({ Region: 'North' }, { Region: ['North'] }, COLUMNS)).toBeNull();
  });
});

it('says why copies cannot give an empty cell an amount', () => {
  const why = (amount: number, decimals: number | null) =>
    whyNoCopies({ by: 'change', amount }, { total: 2055.13, decimals });
  expect([why(0, 2), why(0.004, 2), why(-0.004, 2)]).toEqual([
    'This changes nothing.',
    'This amount rounds to 0. Type a larger one.',
    'This amount rounds to 0. Type a larger one.',
  ]);
  expect([why(0.006, 2), why(0.004, 3), why(0.004, null), why(-50, 0)]).toEqual(
    Array(4).fill(null),
  );
});
