/** Texts about a refresh of the loads of a version. */
import type { LogListEntry, Segment } from '$lib/contract/log';
import { totalOf } from '$lib/contract/measures';
import { isCopyingLoad } from '$lib/contract/operations';
import type { RefreshAnswer, RefreshedLoad, RefreshPreview } from '$lib/contract/refreshes';
import type { NamedMeasure } from '$lib/plan/amounts/measure-words';
import { formatAmount, formatCount, formatMonth, plural } from '../format';
import { rowsText, type Labels } from '../pivot/text/slice-text';
import { segmentName } from './segment-name';

type Loads = readonly Pick<Segment, 'id' | 'operation'>[];

const and = new Intl.ListFormat('en-GB', { type: 'conjunction' });

/** Returns the loads of a version that a refresh reads again, oldest first. */
export const refreshable = <Load extends Loads[number]>(segments: readonly Load[]): Load[] =>
  segments.filter(({ operation }) => isCopyingLoad(operation)).toSorted((a, b) => a.id - b.id);

/** Lists rows and totals of a load before and after: "9,994 → 10,012 rows", "410 → 305.75 Sales", "5 Units". */
export function loadTexts(load: RefreshedLoad, measures: readonly NamedMeasure[]): string[] {
  const rows = plural(load.rows_now, 'row');
  const changed =
    load.rows_before === load.rows_now ? rows : `${formatCount(load.rows_before)} → ${rows}`;
  const totals = measures.flatMap(({ key, name, decimals }) => {
    const [before, after] = [totalOf(load.before, key), totalOf(load.after, key)].map((total) =>
      total === null ? null : formatAmount(total, decimals),
    );
    if (before == null || after == null) return [];
    return `${before === after ? after : `${before} → ${after}`} ${name}`;
  });
  return [changed, ...totals];
}

/** Says why a refresh would write nothing; null if it would write rows. */
export function nothingText(
  answer: Pick<RefreshAnswer, 'row_count' | 'left_alone'>,
): string | null {
  if (answer.row_count > 0) return null;
  return heldRows(answer) > 0
    ? 'Nothing to write: all rows that differ are left alone.'
    : 'Nothing to write: the loads equal the source.';
}

const heldRows = ({
  left_alone: { closed, locked, reviewed },
}: Pick<RefreshAnswer, 'left_alone'>) => closed + locked + reviewed;

const WHY = {
  closed: 'closed',
  locked: 'locked',
  reviewed: 'held by a review',
};

/**
 * Returns a sentence for everything that a refresh leaves alone: "12 rows in Jan 2027 and Feb 2027 are closed: Order
 * Date in Jan 2027 to Mar 2027.", "Forecast 1 is not read again."
 */
export function leftAloneTexts(
  { left_alone: { held, forecasts } }: RefreshPreview,
  segments: Loads,
  words: Labels,
): string[] {
  const texts = held.map(({ kind, slice, months }) => {
    const dated = months.flatMap(({ month }) => (month === null ? [] : formatMonth(month)));
    const count = (isDated: boolean) =>
      months.reduce((sum, { month, rows }) => sum + ((month !== null) === isDated ? rows : 0), 0);
    const counted = [
      ...(dated.length > 0 ? [`${plural(count(true), 'row')} in ${monthsText(dated)}`] : []),
      ...(count(false) > 0 ? [`${plural(count(false), 'row')} without a date`] : []),
    ];
    const are = count(true) + count(false) === 1 ? 'is' : 'are';
    return `${counted.join(' and ')} ${are} ${WHY[kind]}: ${rowsText([slice], words)}.`;
  });
  const names = segments
    .filter(({ id }) => forecasts.includes(id))
    .map((load) => segmentName(load, segments));
  const isNot = names.length === 1 ? 'is' : 'are';
  return names.length > 0 ? [...texts, `${and.format(names)} ${isNot} not read again.`] : texts;
}

/** Maximum number of months that are listed. */
const MOST_LISTED = 4;

const monthsText = (months: readonly string[]): string =>
  months.length > MOST_LISTED
    ? `${months.length} months from ${months[0]} to ${months.at(-1)}`
    : and.format(months);

type Entries = readonly Pick<LogListEntry, 'id' | 'operation' | 'params'>[];

/** The loads of each refresh among some entries. */
const refreshesOf = (entries: Entries) =>
  entries.flatMap(({ id, operation, params }) =>
    operation === 'refresh' && params && 'loads' in params ? [{ id, loads: params.loads }] : [],
  );

/**
 * Says what an undo of entries leaves of loads that were refreshed; null if it leaves nothing.
 *
 * @param undone ids of the entries
 * @param log the entries of the version
 */
export function leftOfRefreshesText(undone: readonly number[], log: Entries): string | null {
  const leaves = refreshesOf(log).some(
    ({ id, loads }) => !undone.includes(id) && loads.some(({ logid }) => undone.includes(logid)),
  );
  if (!leaves) return null;
  const to = undone.length === 1 ? 'it' : 'undone loads';
  return `What refreshes have added to ${to} stays until the next refresh of all loads.`;
}

/** Says what a clear of the baseline leaves of the reference. @param log the entries of the version */
export function clearedReferenceText(log: Entries): string {
  const isShared = refreshesOf(log).some(
    ({ loads }) => new Set(loads.map(({ iter }) => iter)).size > 1,
  );
  return isShared
    ? 'Reference segments stay, but what these refreshes added to them is deleted, too, until the next refresh.'
    : 'Reference segments stay.';
}

/** Says what a refresh has written, and what it has left alone. */
export function refreshedText(answer: RefreshAnswer): string {
  const nothing = nothingText(answer);
  if (nothing !== null) return nothing;
  const written = `Refreshed: saved as ${plural(answer.row_count, 'new row')}.`;
  const held = heldRows(answer);
  return held === 0 ? written : `${written} ${plural(held, 'row')} left alone.`;
}
