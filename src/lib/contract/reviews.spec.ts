import { expect, it } from 'vitest';
import { holdsBack, mayTake } from './reviews';

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
