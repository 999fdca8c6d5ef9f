import { expect, it } from 'vitest';
import { croston } from './croston';
import { demandOf } from './slow';

it('smooths sizes and intervals, with the correction of Syntetos and Boylan', () => {
  // Sizes 6 and 10: 6 + 0.1 · 4 = 6.4. Intervals 2 and 3: 2 + 0.1 · 1 = 2.1.
  const { forecast, fitted, parameters } = croston([0, 6, 0, 0, 10, 0], 2);
  expect(parameters['size']).toBeCloseTo(6.4);
  expect(parameters['interval']).toBeCloseTo(2.1);
  expect(forecast).toEqual([(0.95 * 6.4) / 2.1, (0.95 * 6.4) / 2.1]);
  expect(fitted.slice(0, 2)).toEqual([null, null]);
  fitted.slice(2, 5).forEach((each) => expect(each).toBeCloseTo((0.95 * 6) / 2));
  expect(fitted[5]).toBe(forecast[0]);
});

it('calls a series intermittent if its amounts are 1.32 periods apart', () => {
  expect(demandOf([1, 0, 1, 0, 1]).isSlow).toBe(true);
  expect(demandOf([1, 1, 1, 0, 1]).isSlow).toBe(false);
  expect(demandOf([0, 0]).isSlow).toBe(false);
});
