/** Sorts the pivot by clicks on the headers of measures. */
import type { LayoutSort } from '../../../contract/stored-layout';

/** The direction after a click on a measure, by the direction before; undefined for no sort. */
const NEXT: Readonly<Record<string, string | undefined>> = { desc: 'asc' };
const NEXT_ACROSS: Readonly<Record<string, string | undefined>> = {
  desc: 'asc',
  asc: 'col desc',
  'col desc': 'col asc',
};

/**
 * Returns the sort after a click on the header of a measure: each click switches to the next direction, first
 * of the rows, then of the columns.
 *
 * @param isSplit whether there are columns to sort
 * @param isAbsolute whether to sort by absolute amounts
 * @param adds whether the other sorts are kept
 */
export function nextSort(
  sort: readonly LayoutSort[],
  measure: string,
  isSplit: boolean,
  { isAbsolute, adds }: { isAbsolute: boolean; adds: boolean },
): LayoutSort[] {
  const before = sort.find(([name]) => name === measure)?.[1];
  const suffix = (before === undefined ? isAbsolute : before.endsWith(' abs')) ? ' abs' : '';
  const next =
    before === undefined ? 'desc' : (isSplit ? NEXT_ACROSS : NEXT)[before.replace(/ abs$/, '')];
  const wanted: LayoutSort[] = next === undefined ? [] : [[measure, next + suffix]];
  if (!adds) return wanted;
  if (before === undefined) return [...sort, ...wanted];
  return sort.flatMap((each) => (each[0] === measure ? wanted : [each]));
}

/**
 * Returns the name of a sort direction of rows for screen readers; undefined for a direction of columns. A
 * sort by absolute amounts is neither ascending nor descending.
 */
export function sortWord(
  direction: string | undefined,
): 'ascending' | 'descending' | 'other' | undefined {
  if (direction === undefined || direction.startsWith('col ')) return undefined;
  if (direction.endsWith(' abs')) return 'other';
  return direction === 'asc' ? 'ascending' : 'descending';
}
