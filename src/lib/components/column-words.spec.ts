import { expect, it } from 'vitest';
import type { ColumnEntry } from '$lib/contract/columns';
import { columnWords } from './column-words';
import { sliceTexts } from './pivot/text/slice-text';

const column = (cname: string, label: string | null, type: string): ColumnEntry => ({
  ...{ cname, label, type, role: 'dimension', is_key: false, in_grain: false, opos: 1 },
  ...{ dim_group: null, dim_period_col: null },
});

it('names the columns of a slice by their labels, and writes the days of a date, not texts that look like them', () => {
  const words = columnWords([
    column('cat', 'Category', 'text'),
    column('shipped', null, 'date'),
    column('code', 'Code', 'text'),
  ]);
  const day = '2027-01-05';
  expect(sliceTexts({ cat: 'Furniture', shipped: day, code: day, gone: day }, words)).toEqual([
    'Category = Furniture',
    'shipped = Jan 5, 2027',
    'Code = 2027-01-05',
    'gone = 2027-01-05',
  ]);
});
