import { expect, it } from 'vitest';
import { extentOf, placeOf } from './chart-scale';

it('has room for zero and for negative amounts', () => {
  const extent = extentOf([-10, 20, 30, null]);
  expect([30, 0, -10].map((amount) => placeOf(amount, extent, 40))).toEqual([0, 30, 40]);
  expect(extentOf([])).toEqual([0, 0]);
});
