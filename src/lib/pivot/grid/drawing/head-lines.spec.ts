import { expect, it } from 'vitest';
import { headLines, headNames } from './head-lines';

it.each([
  ['Sales', ['Sales']],
  ['Margin %', ['Margin %']],
  ['Sales: reference', ['Sales: ', 'reference']],
  ['Sales: Δ %', ['Sales: ', 'Δ %']],
  ['Sales: Δ % to Cautious 2027', ['Sales: Δ % to ', 'Cautious 2027']],
  ['Sales: Δ % to Board', ['Sales: Δ % ', 'to Board']],
  ['Sales: Cautious 2027', ['Sales: ', 'Cautious 2027']],
  ['Margin of all sales: Δ', ['Margin of ', 'all sales: Δ']],
  ['AverageSellingPrice', ['AverageSellingPrice']],
  ['AverageSellingPrice ', ['AverageSellingPrice ']],
])('splits %j into %j', (name, lines) => {
  expect(headLines(name)).toEqual(lines);
  expect(headLines(name).join('')).toBe(name);
});

it.each([
  [
    ['Sales', 'Sales: reference', 'Sales: Δ %'],
    ['Sales', 'reference', 'Δ %'],
  ],
  [
    ['Sales: Δ', 'Sales'],
    ['Δ', 'Sales'],
  ],
  [
    ['Sales', 'Sales net'],
    ['Sales', 'Sales net'],
  ],
  [
    ['Sales: Δ', 'Sales: Δ %'],
    ['Sales: Δ', 'Sales: Δ %'],
  ],
  [
    ['Sales', 'Sales: Δ', 'Quantity'],
    ['Sales', 'Sales: Δ', 'Quantity'],
  ],
  [
    ['Sales: net', 'Sales: net: Δ'],
    ['Sales: net', 'Δ'],
  ],
])('names %j in headers as %j', (names, short) => {
  expect(names.map(headNames(names))).toEqual(short);
});
