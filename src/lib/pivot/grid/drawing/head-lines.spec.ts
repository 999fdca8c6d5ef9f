import { expect, it } from 'vitest';
import { headLines, isBelow, nameOfPart } from './head-lines';

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
  ['Sales: reference', 'Sales', 'reference'],
  ['Sales: Δ % to Board', 'Sales', 'Δ % to Board'],
  ['Sales: net: Δ', 'Sales: net', 'Δ'],
  ['Sales net', 'Sales', 'Sales net'],
])('names %j as a part of %j', (label, whole, name) => {
  expect(nameOfPart(label, whole)).toBe(name);
});

it.each([
  ['% of parent column', ['Sales'], true],
  ['running total', ['Sales'], true],
  ['rank', ['Sales'], false],
  ['running total', ['Sales: Δ % to ', 'Cautious 2027'], false],
  [null, ['Sales'], false],
] as const)('puts the unit %s of %j below the name: %s', (unit, lines, expected) => {
  expect(isBelow(unit, lines)).toBe(expected);
});
