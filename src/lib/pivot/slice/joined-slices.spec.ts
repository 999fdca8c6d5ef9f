import { expect, it } from 'vitest';
import type { Slice } from '../../contract/slices';
import { joinedSlices } from './joined-slices';

const JANUARY = { from: '2027-01-01', to: '2027-01-31' };

it.each<[what: string, one: Slice, other: Slice, both: Slice | null]>([
  ['different columns', { a: 1 }, { b: null }, { a: 1, b: null }],
  ['equal values', { a: null }, { a: null }, { a: null }],
  ['different values', { a: 1 }, { a: 2 }, null],
  ['lists', { a: [1, 2, null] }, { a: [2, null, 3] }, { a: [2, null] }],
  ['a list and one of its values', { a: [1, 2] }, { a: 2 }, { a: 2 }],
  [
    'a year and a month of it',
    { d: { from: '2027-01-01', to: '2027-12-31' } },
    { d: JANUARY },
    { d: JANUARY },
  ],
  [
    'open ranges',
    { d: { from: '2027-02-01' } },
    { d: { from: '2027-01-01' } },
    { d: { from: '2027-02-01' } },
  ],
  [
    'a range and an open one',
    { d: JANUARY },
    { d: { from: '2027-01-10' } },
    { d: { ...JANUARY, from: '2027-01-10' } },
  ],
  ['months apart', { d: JANUARY }, { d: { from: '2027-02-01' } }, null],
  ['days and a range', { d: ['2027-01-05', '2027-02-05'] }, { d: JANUARY }, { d: '2027-01-05' }],
])('joins %s', (_, one, other, both) => {
  expect(joinedSlices(one, other)).toEqual(both);
  expect(joinedSlices(other, one)).toEqual(both);
});
