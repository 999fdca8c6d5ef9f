import { expect, it } from 'vitest';
import { fitsView } from './published';

it.each([
  ['x'.repeat(55), true],
  ['x'.repeat(56), false],
  // A letter of two bytes, and one of three.
  ['é'.repeat(27), true],
  ['é'.repeat(28), false],
  ['周'.repeat(18), true],
  ['周'.repeat(19), false],
])('the name %s fits a view: %s', (name, fits) => {
  expect(fitsView(name)).toBe(fits);
});
