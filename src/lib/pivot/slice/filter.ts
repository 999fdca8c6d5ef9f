import type { LayoutFilter } from '../../contract/stored-layout';
import { valueKey } from '../values/cell-value';
import type { CellValue } from '../values/engine-types';

/**
 * What the filters of one column admit. `values`: the rows of some values, or all but those of some
 * values; the empty value is null. `range`: from a day to a day, both included, null if there is no
 * such end. `other`: anything else, to be shown and removed, not to be edited.
 */
export type Admitted =
  | { kind: 'values'; except: boolean; values: readonly CellValue[] }
  | { kind: 'range'; from: string | null; to: string | null }
  | { kind: 'other' };

/** More values than this are written as "all but the others": the engine looks each row up in the list. */
const LONGEST_LIST = 500;
/** The last moment of a day: a filter up to a day takes all of it. */
const END_OF_DAY = 'T23:59:59.999Z';

/** The filters in their order, those of one column together. */
export function filtersByColumn(filters: readonly LayoutFilter[]): Map<string, LayoutFilter[]> {
  const columns = new Map<string, LayoutFilter[]>();
  for (const filter of filters) {
    columns.set(filter[0], [...(columns.get(filter[0]) ?? []), filter]);
  }
  return columns;
}

/** The filters with those of one column replaced, where the first of them was, or added at the end. */
export function replaceFilters(
  filters: readonly LayoutFilter[],
  column: string,
  own: readonly LayoutFilter[],
): LayoutFilter[] {
  const columns = filtersByColumn(filters);
  columns.set(column, [...own]);
  return [...columns.values()].flat();
}

/** What the filters of one column admit; all of its rows if there is none. */
export function admitted(filters: readonly LayoutFilter[]): Admitted {
  const range = filters.length > 0 && rangeOf(filters);
  if (range) return range;
  const lists = filters.map(listOf);
  const [first] = lists;
  if (lists.length === 1 && first && !first.except) return { kind: 'values', ...first };
  const left = lists.flatMap((list) => (list?.except ? [list.values] : []));
  // Each leaves out more; a list of what is admitted beside them is more than can be shown.
  if (left.length < lists.length) return { kind: 'other' };
  return { kind: 'values', except: true, values: left.flat() };
}

function listOf([, operator, term]: LayoutFilter): { except: boolean; values: CellValue[] } | null {
  // Null in a list of the engine matches nothing.
  const values = [term].flat().filter((value) => value !== null);
  if (operator === '==' || operator === 'in') return { except: false, values };
  if (operator === '!=' || operator === 'not in') return { except: true, values };
  if (operator === 'is null') return { except: false, values: [null] };
  return operator === 'is not null' ? { except: true, values: [null] } : null;
}

const ISO_DAY = /^\d{4}-\d\d-\d\d/;

function rangeOf(filters: readonly LayoutFilter[]): Admitted | null {
  const ends: { '>='?: string; '<='?: string } = {};
  for (const [, operator, term] of filters) {
    if (operator !== '>=' && operator !== '<=') return null;
    if (typeof term !== 'string' || ends[operator] !== undefined) return null;
    const day = ISO_DAY.exec(term)?.[0];
    if (day === undefined) return null;
    ends[operator] = day;
  }
  return { kind: 'range', from: ends['>='] ?? null, to: ends['<='] ?? null };
}

/**
 * The filters of a column that admit the rows of some of its values. A list of what is admitted comes
 * first, since an operation on a cell keeps to such a list; the engine cannot hold the empty value in
 * a list, so with it all but the others are admitted.
 *
 * @param all every value that the column has
 */
export function valueFilters(
  column: string,
  all: readonly CellValue[],
  picked: readonly CellValue[],
): LayoutFilter[] {
  const keys = new Set(picked.map(valueKey));
  const others = all.filter((value) => !keys.has(valueKey(value)));
  if (others.length === 0) return [];
  const isEmptyPicked = picked.includes(null);
  const [only] = picked;
  if (picked.length === 1 && only !== undefined) return onlyFilters(column, only);
  if (!isEmptyPicked && picked.length <= LONGEST_LIST) return [[column, 'in', [...picked]]];
  return exceptFilters(column, others);
}

/** The filters of a column that admit the rows of one value alone. */
export const onlyFilters = (column: string, value: CellValue): LayoutFilter[] => [
  value === null ? [column, 'is null', null] : [column, '==', value],
];

/**
 * The filters of a column that leave out one more value than the present ones do. A list of what is
 * admitted loses it; null if nothing would be left of the list.
 */
export function withoutFilters(
  column: string,
  present: readonly LayoutFilter[],
  value: CellValue,
): LayoutFilter[] | null {
  const now = admitted(present);
  if (now.kind !== 'values') return [...present, ...exceptFilters(column, [value])];
  if (now.except) return exceptFilters(column, [...now.values, value]);
  const left = now.values.filter((other) => valueKey(other) !== valueKey(value));
  const [only] = left;
  if (only === undefined) return null;
  return left.length === 1 ? onlyFilters(column, only) : [[column, 'in', left]];
}

/** The filters of a column that leave out the rows of some values. */
export function exceptFilters(column: string, values: readonly CellValue[]): LayoutFilter[] {
  const named = values.filter((value) => value !== null);
  const [only] = named;
  const list: LayoutFilter[] =
    named.length === 0
      ? []
      : [
          only !== undefined && named.length === 1
            ? [column, '!=', only]
            : [column, 'not in', named],
        ];
  return values.includes(null) ? [...list, [column, 'is not null', null]] : list;
}

/** The filters of a date column from a day to a day, both included; null if there is no such end. */
export function rangeFilters(
  column: string,
  type: 'date' | 'datetime',
  from: string | null,
  to: string | null,
): LayoutFilter[] {
  return [
    ...(from === null ? [] : [[column, '>=', from] satisfies LayoutFilter]),
    ...(to === null
      ? []
      : [[column, '<=', type === 'date' ? to : to + END_OF_DAY] satisfies LayoutFilter]),
  ];
}
