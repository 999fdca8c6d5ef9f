import { expect, it } from 'vitest';
import { peopleIn } from './people';

const step = { step: 'open' as const, stamp: '', newest_entry: 0 };

it('lists each person of a version once, by name', () => {
  const people = peopleIn({
    version: { created_by: 'zoe', closed_by: null },
    entries: [{ pf_user: 'ann' }, { pf_user: 'ann' }],
    comments: [{ created_by: 'cem', resolved_by: 'Bea' }, { created_by: 'cem' }],
    reviews: [{ owner: 'ann', reviewers: ['rita'], steps: [{ ...step, pf_user: 'dora' }] }],
    locks: [{ created_by: 'eve' }],
  });
  expect(people).toEqual(['ann', 'Bea', 'cem', 'dora', 'eve', 'rita', 'zoe']);
});
