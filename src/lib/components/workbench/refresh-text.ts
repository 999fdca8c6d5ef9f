/** Texts about a refresh of the loads of a version. */
import type { Segment } from '$lib/contract/log';
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
    const rows = months.reduce((sum, each) => sum + each.rows, 0);
    const dated = months.flatMap(({ month }) => (month === null ? [] : formatMonth(month)));
    const when = dated.length > 0 ? `in ${monthsText(dated)}` : 'without a date';
    const are = rows === 1 ? 'is' : 'are';
    return `${plural(rows, 'row')} ${when} ${are} ${WHY[kind]}: ${rowsText([slice], words)}.`;
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

/** Says what a refresh has written, and what it has left alone. */
export function refreshedText(answer: RefreshAnswer): string {
  const nothing = nothingText(answer);
  if (nothing !== null) return nothing;
  const written = `Refreshed: saved as ${plural(answer.row_count, 'new row')}.`;
  const held = heldRows(answer);
  return held === 0 ? written : `${written} ${plural(held, 'row')} left alone.`;
}
