import { describe, expect, it } from 'vitest';
import type { LogListEntry } from '$lib/contract/log';
import { foundIn, isSearch, NO_SEARCH, peopleOf, timeOfDay, type LogSearch } from './log-search';

const entry = (id: number, pf_user: string, stamp: string, note: string | null = null) =>
  ({ id, pf_user, stamp, note, operation: 'scale', slice: {}, params: {} }) as LogListEntry;

// 00:30 of 3 June in the time zone of this process.
const now = new Date(2027, 5, 3, 0, 30);
const at = (day: number, hour: number) => new Date(2027, 5, day, hour).toISOString();
const entries = [
  entry(4, 'Ben', at(3, 0), 'Fair in Köln'),
  entry(3, 'Ann', at(2, 0)),
  entry(2, 'Ann', at(1, 23), 'fair prices'),
  entry(1, 'Chika', at(-5, 12)),
];
const found = (search: Partial<LogSearch>) =>
  foundIn(
    entries,
    { ...NO_SEARCH, ...search },
    ({ note, pf_user }) => `${note ?? ''} ${pf_user}`,
    ({ id }) => id % 2 === 0,
    now,
  ).map(({ id }) => id);

describe('a search in the log', () => {
  it('without conditions finds every entry', () => {
    expect(isSearch(NO_SEARCH)).toBe(false);
    expect(isSearch({ ...NO_SEARCH, text: '  ' })).toBe(false);
    expect(found({})).toEqual([4, 3, 2, 1]);
  });

  it('finds entries that have every word, in any case and order', () => {
    expect(found({ text: 'FAIR' })).toEqual([4, 2]);
    expect(found({ text: ' ann fair ' })).toEqual([2]);
    expect(found({ text: 'KÖLN' })).toEqual([4]);
    expect(found({ text: 'spring' })).toEqual([]);
  });

  it('counts days by the calendar of the person, from midnight', () => {
    expect(found({ time: 'today' })).toEqual([4]);
    expect(found({ time: 'yesterday' })).toEqual([4, 3]);
    expect(found({ time: 'week' })).toEqual([4, 3, 2]);
  });

  it('knows the time of day of the person', () => {
    expect(timeOfDay(at(1, 23))).toBe('23:00');
    expect(found({ from: '12:00' })).toEqual([2, 1]);
    expect(found({ from: '12:00', to: '12:00' })).toEqual([1]);
    expect(found({ to: '00:30', time: 'yesterday' })).toEqual([4, 3]);
    expect(found({ from: '22:00', to: '01:00' })).toEqual([4, 3, 2]);
    expect(isSearch({ ...NO_SEARCH, to: '09:00' })).toBe(true);
  });

  it('joins person, time and selection', () => {
    expect(found({ person: 'Ann' })).toEqual([3, 2]);
    expect(found({ person: 'Ann', isOnSelection: true })).toEqual([2]);
    expect(found({ person: 'Ann', time: 'today' })).toEqual([]);
  });

  it('offers each person once, in alphabetical order', () => {
    expect(peopleOf(entries)).toEqual(['Ann', 'Ben', 'Chika']);
  });
});
