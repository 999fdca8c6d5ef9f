import { expect, it } from 'vitest';
import { holdsBack, mayTake, type Review, waitsFor } from './reviews';

it('a reviewer whose name differs from the owner only in case returns and reopens, but approves nothing', () => {
  const submitted = { owner: 'ann', reviewers: ['Ann', 'bea'], state: 'submitted' as const };
  const alike = { name: 'Ann', isAdmin: false };
  expect(mayTake(submitted, 'approve', alike)).toBe(false);
  expect(mayTake(submitted, 'return', alike)).toBe(true);
  expect(mayTake({ ...submitted, state: 'approved' }, 'reopen', alike)).toBe(true);
  expect(holdsBack(submitted, 'Ann')).toBe(true);

  const other = { name: 'bea', isAdmin: false };
  expect(mayTake(submitted, 'approve', other)).toBe(true);
  expect(holdsBack(submitted, 'bea')).toBe(false);
});

it('a submitted review waits for its reviewers, a returned one for its owner, any other for nobody', () => {
  const parties = { owner: 'ann', reviewers: ['bea', 'carl'] };
  const waiting = (state: Review['state']) =>
    ['ann', 'bea', 'carl', 'dora'].filter((name) => waitsFor({ ...parties, state }, name));
  expect(waiting('submitted')).toEqual(['bea', 'carl']);
  expect(waiting('returned')).toEqual(['ann']);
  for (const state of ['open', 'approved', 'reopened'] as const) expect(waiting(state)).toEqual([]);
});
