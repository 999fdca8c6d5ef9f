import { expect, it } from 'vitest';
import { begunMention, peopleIn } from './people';

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

it.each([
  ['Ask @', { at: 4, name: '' }],
  ['Ask @an', { at: 4, name: 'an' }],
  ['@"Ann Lee', { at: 0, name: 'Ann Lee' }],
  ['Ask @ann and @Bo.', { at: 13, name: 'Bo.' }],
  ['mail@example', null],
  ['Ask @ann ', null],
  ['@"Ann Lee" ', null],
])('finds the mention that %j ends with', (text, mention) => {
  expect(begunMention(text)).toEqual(mention);
});
