import { expect, it } from 'vitest';
import { rowsText } from './pivot/text/slice-text';
import { ownPartText, selectedText } from './territory-text';

const words = {
  labelOf: (name: string) => ({ region: 'Region', product: 'Product' })[name] ?? name,
};
const north = { region: 'North' };
const two = { region: ['North', 'East'] };

it.each([
  [[], 'nothing'],
  [[{}], 'everything'],
  [[north, {}], 'everything'],
  [[north], 'Region = North'],
  [[two], 'Region in North, East'],
  [[{ region: 'North', product: null }], 'Region = North and Product is empty'],
  [[north, { product: 'Chairs' }], 'Region = North or Product = Chairs'],
])('names the rows of the slices %j', (slices, text) => {
  expect(rowsText(slices, words)).toBe(text);
});

it.each([
  [{ read: [north], write: [north] }, 'You see a part: Region = North'],
  [{ read: [two], write: [north] }, 'You see Region in North, East, and may change Region = North'],
  [{ read: [north], write: [] }, 'You see Region = North, and may change nothing'],
  [{ read: [north], write: [{}] }, 'You see a part: Region = North'],
  [{ read: [{}], write: [north] }, 'You see everything, and may change Region = North'],
])('names what a person sees and may change: %j', (part, text) => {
  expect(ownPartText(part, words)).toBe(text);
});

it.each([
  ['everything', {}, undefined, 'The whole version'],
  ['everything', {}, { read: [{}], write: [north] }, 'The whole version'],
  ['a part', {}, { read: [two], write: [north] }, 'All that you see: Region in North, East'],
  ['a part', north, { read: [two], write: [] }, 'Region = North'],
])('names the rows that somebody selects who sees %s', (_, slice, territory, text) => {
  expect(selectedText(slice, { ...words, source: { territory } })).toBe(text);
});
