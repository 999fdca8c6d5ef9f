import { expect, it } from 'vitest';
import { staircase } from './staircase';

const BOX = { width: 100, height: 40 };

it('steps after each entry, with the reference as a line', () => {
  expect(staircase([0.4, 0.2], 0.3, BOX)).toEqual({
    points: '0,0 50,0 50,20 100,20',
    reference: 10,
    most: 0.4,
    scale: [
      { amount: 0, y: 40 },
      { amount: 0.1, y: 30 },
      { amount: 0.2, y: 20 },
      { amount: expect.closeTo(0.3), y: 10 },
      { amount: 0.4, y: 0 },
    ],
  });
});

it('has the reference at the top if it is worse than every entry', () => {
  expect(staircase([0.1], 0.2, BOX)).toMatchObject({ points: '0,20 100,20', reference: 0 });
});

it('is flat without errors, and absent without entries', () => {
  expect(staircase([0, null], null, BOX)).toMatchObject({
    points: '0,40 50,40 50,40 100,40',
    reference: null,
  });
  expect(staircase([], 0.2, BOX)).toBeNull();
});
