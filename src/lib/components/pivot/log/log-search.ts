/** Finds entries of the log by text, person, day and time of day. */
import { contains } from '$lib/contract/folding';
import type { LogListEntry } from '$lib/contract/log';

/** How far back entries are searched, in days of the person's own calendar; `all` has no limit. */
export const TIMES = [
  { value: 'all', label: 'Any time', days: null },
  { value: 'today', label: 'Today', days: 0 },
  { value: 'yesterday', label: 'Since yesterday', days: 1 },
  { value: 'week', label: 'Last 7 days', days: 6 },
] as const;
export type Time = (typeof TIMES)[number]['value'];

/** The conditions of a search. An empty text and an empty person match every entry. */
export interface LogSearch {
  text: string;
  person: string;
  time: Time;
  /** First and last minute of the day, such as `14:05`; empty for any. A first one after the last one is the evening before. */
  from: string;
  to: string;
  /** Whether only entries that touch the selection are wanted. */
  isOnSelection: boolean;
}

export const NO_SEARCH: LogSearch = {
  ...{ text: '', person: '', time: 'all', from: '', to: '', isOnSelection: false },
};

/** Returns whether a search leaves out any entry at all. */
export const isSearch = ({ text, person, time, from, to, isOnSelection }: LogSearch): boolean =>
  text.trim() !== '' || person !== '' || time !== 'all' || from + to !== '' || isOnSelection;

/**
 * Returns the entries that meet all conditions, in the order of the list. Every word of the text has to be in
 * the entry, in any order; case is ignored.
 *
 * @param words the text of an entry as the log shows it
 * @param touches whether an entry touches the selection
 * @param now the current time
 */
export function foundIn(
  entries: readonly LogListEntry[],
  { text, person, time, from, to, isOnSelection }: LogSearch,
  words: (entry: LogListEntry) => string,
  touches: (entry: LogListEntry) => boolean,
  now = new Date(),
): LogListEntry[] {
  const wanted = text.split(/\s+/).filter((word) => word !== '');
  const days = TIMES.find(({ value }) => value === time)?.days ?? null;
  const start =
    days === null
      ? -Infinity
      : new Date(now.getFullYear(), now.getMonth(), now.getDate() - days).getTime();
  return entries.filter((entry) => {
    if (person !== '' && entry.pf_user !== person) return false;
    if (Date.parse(entry.stamp) < start) return false;
    if (!isWithin(timeOfDay(entry.stamp), from, to)) return false;
    if (isOnSelection && !touches(entry)) return false;
    const all = wanted.length === 0 ? '' : words(entry);
    return wanted.every((word) => contains(all, word));
  });
}

/** Returns the minute of a moment in the calendar of the person, as `14:05`. */
export function timeOfDay(stamp: string): string {
  const at = new Date(stamp);
  return [at.getHours(), at.getMinutes()].map((part) => String(part).padStart(2, '0')).join(':');
}

function isWithin(time: string, from: string, to: string): boolean {
  const [isAfter, isBefore] = [from === '' || time >= from, to === '' || time <= to];
  return from !== '' && to !== '' && from > to ? isAfter || isBefore : isAfter && isBefore;
}

/** Returns the people who wrote entries, in alphabetical order. */
export const peopleOf = (entries: readonly LogListEntry[]): string[] =>
  [...new Set(entries.map(({ pf_user }) => pf_user))].sort((a, b) => a.localeCompare(b));
