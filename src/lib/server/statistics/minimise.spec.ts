import { expect, it } from 'vitest';
import { minimise } from './minimise';

const parameter = (start: number, lower = -5, upper = 5) => ({ start, lower, upper });

it('finds the minimum of the function of Rosenbrock', () => {
  const banana = ([x = NaN, y = NaN]: readonly number[]) => 100 * (y - x * x) ** 2 + (1 - x) ** 2;
  const search = { tolerance: 1e-12, evaluations: 2000 };
  const [x, y] = minimise(banana, [parameter(-1.2), parameter(1)], search);
  expect(x).toBeCloseTo(1, 4);
  expect(y).toBeCloseTo(1, 4);
});

it('stays within the bounds', () => {
  const seen: number[] = [];
  const falling = ([x = NaN]: readonly number[]) => {
    seen.push(x);
    return -x;
  };
  expect(minimise(falling, [parameter(0.3, 0, 1)])).toEqual([1]);
  expect(seen.every((x) => x >= 0 && x <= 1)).toBe(true);
});

it('ends after the given number of evaluations, and finds the same again', () => {
  let calls = 0;
  const bowl = ([x = NaN, y = NaN]: readonly number[]) => {
    calls++;
    return (x - 2) ** 2 + (y + 1) ** 2;
  };
  const once = minimise(bowl, [parameter(0), parameter(0)], { tolerance: 0, evaluations: 40 });
  expect(calls).toBeLessThanOrEqual(44);
  expect(minimise(bowl, [parameter(0), parameter(0)], { tolerance: 0, evaluations: 40 })).toEqual(
    once,
  );
});
