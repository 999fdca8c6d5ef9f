import { expect, test } from 'vitest';
import { columnLabel } from './column-label';

const COLUMNS = [
  { cname: 'amt', label: 'Net sales' },
  { cname: 'amt: late', label: 'Late sales' },
  { cname: 'qty', label: null },
  { cname: 'blank', label: '' },
];

test('a column has its label, and its name without one', () => {
  const names = ['amt', 'amt: late', 'qty', 'blank', 'Margin'];
  expect(names.map((name) => columnLabel(name, COLUMNS))).toEqual([
    'Net sales',
    'Late sales',
    'qty',
    'blank',
    'Margin',
  ]);
});

test('the label of a part of a measure begins with that of its measure', () => {
  const names = ['amt: Δ %', 'amt: late: reference', 'qty: Δ', 'amtx: Δ'];
  expect(names.map((name) => columnLabel(name, COLUMNS))).toEqual([
    'Net sales: Δ %',
    'Late sales: reference',
    'qty: Δ',
    'amtx: Δ',
  ]);
});
