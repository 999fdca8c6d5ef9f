import { expect, it } from 'vitest';
import { ownPartText, rowsText } from './territory-text';

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
