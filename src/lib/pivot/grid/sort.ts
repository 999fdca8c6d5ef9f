import type { LayoutSort } from '../../contract/stored-layout';

/** What a click on a measure makes of the direction that it is sorted in; undefined: no sort any more. */
const NEXT: Readonly<Record<string, string | undefined>> = { desc: 'asc' };
const NEXT_ACROSS: Readonly<Record<string, string | undefined>> = {
  desc: 'asc',
  asc: 'col desc',
  'col desc': 'col asc',
};

/**
 * How the pivot is sorted after a click on the header of a measure: each click goes on to the next
 * direction, of the rows first, then of the columns.
 *
 * @param isSplit whether there are columns to sort
 * @param isAbsolute whether to sort by amounts without their sign
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
 * How a direction of rows is called to those who do not see its arrow; undefined for one of columns. An
 * order of amounts without their sign is neither rising nor falling.
 */
export function sortWord(
  direction: string | undefined,
): 'ascending' | 'descending' | 'other' | undefined {
  if (direction === undefined || direction.startsWith('col ')) return undefined;
  if (direction.endsWith(' abs')) return 'other';
  return direction === 'asc' ? 'ascending' : 'descending';
}
