import { expect, it } from 'vitest';
import { keyOf } from './moved-lines';
import { swappedRows } from './swapped-rows';

const row = (label: string, was: (number | null)[], now = was) => ({ label, was, now });

it('finds rows that have each other’s amounts under one label', () => {
  const [a, b, c] = [
    row('x', [1, null], [2, 5]),
    row('x', [2, 5], [3, 0.1]),
    row('x', [3, 0.1], [1, null]),
  ];
  expect([...swappedRows([a, b, c, row('x', [7, 8])])]).toEqual([a, b, c]);
});

it.each([
  ['a row that got the amounts of another one, which stays', [1, 2], [2, 2]],
  ['two rows that got other amounts', [1, 2], [2, 3]],
  ['rows that stay', [1, 2], [1, 2]],
  ['equal rows', [1, 1], [1, 1]],
])('finds none in %s', (_, was, now) => {
  const rows = was.map((amount, i) => row('x', [amount, 4], [now[i] ?? null, 4]));
  expect(swappedRows(rows).size).toBe(0);
});

it('finds none under two labels', () => {
  expect(swappedRows([row('x', [1], [2]), row('y', [2], [1])]).size).toBe(0);
});

it('compares headers that are texts by their characters, and numbers by their value', () => {
  const key = (text: string, kind?: 'text' | 'number') =>
    keyOf([text], kind && [{ column: 0, kind, text, isFormula: false }]);
  expect(key('007')).not.toBe(key('7'));
  expect(key('007', 'text')).toBe(key('007'));
  expect(key('1.10')).not.toBe(key('1.1'));
  expect([key('1E2', 'number'), key('1.1000000000000001', 'number')]).toEqual([
    key('100'),
    key('1.1'),
  ]);
  expect(key(' 7 ', 'text')).toBe(key('7'));
});
