/** Texts of slices and their conditions. */
import type { LogEntry } from '$lib/contract/log';
import { isDateRange, type DateRange, type Slice } from '$lib/contract/slices';
import type { Scalar } from '$lib/contract/primitives';
import { lastOfMonth, monthOf } from '$lib/contract/calendar';
import { overlapOf } from '$lib/pivot/grid/cells/reach';
import { ISO_DAY } from '$lib/pivot/slice/date-ranges';
import { listOf } from '$lib/pivot/slice/slice-values';
import { label, lookalikeLabel } from '$lib/pivot/values/labels';
import type { MeasureWords } from '$lib/plan/amounts/measure-words';
import { formatDay, formatMoment } from '$lib/pivot/values/date-language';
import { formatMonth } from '../../format';

const SHOWN = 3;

/** Formats a slice value for planners; a text that looks like another loaded one as the grid labels it. */
export function valueText(value: Scalar | null): string {
  if (value === null) return 'empty';
  if (value === '') return 'blank';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return (typeof value === 'string' && lookalikeLabel(value)) || String(value);
}

const ISO_MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

const isTime = (text: string): boolean => ISO_DAY.test(text) || ISO_MOMENT.test(text);

/** Formats an ISO day or moment in the browser's language; any other text stays as it is. */
function dayText(text: string): string {
  if (ISO_DAY.test(text)) return formatDay(text);
  return ISO_MOMENT.test(text) ? formatMoment(Date.parse(text)) : text;
}

/**
 * Formats a value in a sentence, as {@link valueText} does; a day or moment in the browser's language.
 *
 * @param isDay whether the values of its column are days or moments: a text may only look like one
 */
export const termText = (value: Scalar | null, isDay = true): string =>
  isDay ? dayText(valueText(value)) : valueText(value);

/** Formats a member of a group outside a sentence, as the grid labels it: "West", "(empty)", "Jan 5, 2026". */
export const memberText = (value: Scalar | null, isDay: boolean): string =>
  isDay && isTime(String(value)) ? dayText(String(value)) : label(value, undefined);

/** The words of a source that name the columns and the days of a slice. */
export type Labels = Pick<MeasureWords, 'labelOf' | 'isDay'>;

/** Returns the columns of a slice with the text of each condition; none for the whole version. */
export const sliceConditions = (slice: Slice, words: Labels): { column: string; text: string }[] =>
  Object.entries(slice).map(([column, wanted]) => ({
    column,
    text: conditionText(words.labelOf(column), wanted, words.isDay?.(column)),
  }));

/** Returns the slices that an entry changed: several for several edits, none for a load and for a long import. */
export function slicesOf({ slice, params }: LogEntry): readonly Slice[] {
  if (slice) return [slice];
  // The log lists the first edits of a long import only.
  if (params && 'edit_count' in params) return [];
  return params && 'edits' in params ? params.edits.map((edit) => edit.slice) : [];
}

/** Returns the conditions that several slices share, with the text of each. */
export function sharedConditions(
  slices: readonly Slice[],
  words: Labels,
): { column: string; text: string }[] {
  const [first = [], ...others] = slices.map((slice) => sliceConditions(slice, words));
  const isIn = (conditions: typeof first, wanted: (typeof first)[number]) =>
    conditions.some(({ column, text }) => column === wanted.column && text === wanted.text);
  return first.filter((each) => others.every((conditions) => isIn(conditions, each)));
}

/**
 * Returns the conditions that all rows of an entry fulfil: those that its slices share, and the territories that it is
 * limited to; none for a load.
 */
export function entryConditions(
  entry: LogEntry,
  words: Labels,
): { column: string; text: string }[] {
  const slices = slicesOf(entry);
  const limits = (entry.params?.within ?? []).filter(
    (list) => !slices.every((slice) => list.some((limit) => overlapOf(slice, limit) === 'all')),
  );
  const within = limits.map((list, i) => ({
    column: `within ${i}`,
    text: `within ${rowsText(list, words)}`,
  }));
  return [...sharedConditions(slices, words), ...within];
}

/** Returns the texts of {@link entryConditions}. */
export const entryTexts = (entry: LogEntry, words: Labels): string[] =>
  entryConditions(entry, words).map(({ text }) => text);

/** Returns the conditions of a slice, one text per column; none for the whole version. */
export const sliceTexts = (slice: Slice, words: Labels): string[] =>
  sliceConditions(slice, words).map(({ text }) => text);

/** Returns the rows of a stored slice: "Region = West, Segment is empty"; "The whole version". */
export const sliceText = (slice: Slice, words: Labels): string =>
  sliceTexts(slice, words).join(', ') || 'The whole version';

/** Returns the rows of several slices: "Region in North, East or Category = Furniture". */
export function rowsText(slices: readonly Slice[], words: Labels): string {
  if (slices.length === 0) return 'nothing';
  const texts = slices.map((slice) => sliceTexts(slice, words).join(' and '));
  return texts.includes('') ? 'everything' : texts.join(' or ');
}

/**
 * Formats one column of a slice: "Region = West", "Segment is empty", "Order Date = Jan 5, 2026", "Order Date in
 * Feb 2026 (28 days)".
 *
 * @param isDay whether the values of the column are days or moments
 */
export function conditionText(name: string, wanted: Slice[string], isDay = true): string {
  if (isDateRange(wanted)) return `${name} ${rangeText(wanted)}`;
  const values = listOf(wanted);
  const [only] = values;
  if (values.length === 1 && only !== undefined) {
    if (only === null) return `${name} is empty`;
    return only === '' ? `${name} is blank` : `${name} = ${termText(only, isDay)}`;
  }
  const days = values.filter((value): value is string => isDay && ISO_DAY.test(String(value)));
  if (days.length === values.length && days.length > SHOWN) return `${name} in ${spanText(days)}`;
  const terms = values.slice(0, SHOWN).map((value) => termText(value, isDay));
  const shown = terms.join(', ');
  return `${name} in ${shown}${values.length > SHOWN ? ` and ${values.length - SHOWN} more` : ''}`;
}

/**
 * Formats a range of days: "in 2026", "in Jan 2026 to Mar 2026", "from Jan 5, 2026 to Jan 9, 2026", "up to
 * Jan 9, 2026".
 */
export function rangeText({ from, to }: DateRange): string {
  if (from === undefined) return `up to ${dayText(to ?? '')}`;
  if (to === undefined) return `from ${dayText(from)}`;
  const period = periodText(from, to);
  return period === null ? `from ${dayText(from)} to ${dayText(to)}` : `in ${period}`;
}

/** Returns the whole months, or the whole year, between two days; null if they do not bound any. */
function periodText(from: string, to: string): string | null {
  if (!ISO_DAY.test(from) || !ISO_DAY.test(to)) return null;
  const year = from.slice(0, 4);
  if (from === `${year}-01-01` && to === `${year}-12-31`) return year;
  if (!from.endsWith('-01') || to !== lastOfMonth(to)) return null;
  const [first, last] = [formatMonth(from), formatMonth(to)];
  return first === last ? first : `${first} to ${last}`;
}

function spanText(days: readonly string[]): string {
  const sorted = [...days].sort();
  const [first = '', last = first] = [sorted[0], sorted.at(-1)];
  const count = `${days.length} days`;
  if (monthOf(first) === monthOf(last)) return `${formatMonth(first)} (${count})`;
  const sameYear = first.slice(0, 4) === last.slice(0, 4);
  const wholeYears = first.slice(5, 7) === '01' && last.slice(5, 7) === '12';
  if (sameYear && wholeYears) return `${first.slice(0, 4)} (${count})`;
  return `${formatMonth(first)} to ${formatMonth(last)} (${count})`;
}
