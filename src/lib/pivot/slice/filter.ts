/** Translates between the filters of a layout and the values or range of days that they admit. */
import type { LayoutFilter } from '../../contract/stored-layout';
import { valueKey } from '../values/cell-value';
import type { CellValue } from '../values/engine-types';

/**
 * The rows that the filters of one column admit. `values`: the rows of some values, or all but those of some
 * values; the empty value is null. `range`: from a day to a day, both included, null for an open end.
 * `other`: anything else, which can be shown and removed, but not edited.
 */
export type Admitted =
  | { kind: 'values'; except: boolean; values: readonly CellValue[] }
  | { kind: 'range'; from: string | null; to: string | null }
  | { kind: 'other' };

/**
 * Longest list of values: longer ones are written as "all but the others", because the engine looks up each
 * row in the list.
 */
const LONGEST_LIST = 500;
/** The last moment of a day: a filter up to a day includes all of it. */
const END_OF_DAY = 'T23:59:59.999Z';

/** Groups filters by column, in order. */
export function filtersByColumn(filters: readonly LayoutFilter[]): Map<string, LayoutFilter[]> {
  const columns = new Map<string, LayoutFilter[]>();
  for (const filter of filters) {
    columns.set(filter[0], [...(columns.get(filter[0]) ?? []), filter]);
  }
  return columns;
}

/** Replaces the filters of one column, at the place of the first of them or at the end. */
export function replaceFilters(
  filters: readonly LayoutFilter[],
  column: string,
  own: readonly LayoutFilter[],
): LayoutFilter[] {
  const columns = filtersByColumn(filters);
  columns.set(column, [...own]);
  return [...columns.values()].flat();
}

/** Returns the rows that the filters of one column admit; all rows if there is no filter. */
export function admitted(filters: readonly LayoutFilter[]): Admitted {
  const range = filters.length > 0 && rangeOf(filters);
  if (range) return range;
  const lists = filters.map(listOf);
  const [first] = lists;
  if (lists.length === 1 && first && !first.except) return { kind: 'values', ...first };
  const left = lists.flatMap((list) => (list?.except ? [list.values] : []));
  // Filters that exclude values can be joined; together with a list of admitted values they cannot be edited.
  if (left.length < lists.length) return { kind: 'other' };
  return { kind: 'values', except: true, values: left.flat() };
}

function listOf([, operator, term]: LayoutFilter): { except: boolean; values: CellValue[] } | null {
  // A null in a list matches nothing in the engine.
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
 * Returns the filters of a column that admit the rows of some of its values. A list of admitted values is
 * preferred, because the slice of an operation on a cell can contain it. The engine cannot hold the empty
 * value in a list, so with it the filters exclude all other values.
 *
 * @param all every value of the column
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

/** Returns the filters of a column that admit only the rows of one value. */
export const onlyFilters = (column: string, value: CellValue): LayoutFilter[] => [
  value === null ? [column, 'is null', null] : [column, '==', value],
];

/**
 * Returns the filters of a column that exclude one more value than the present ones. A list of admitted
 * values loses it; null if the list would be empty.
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

/** Returns the filters of a column that exclude the rows of some values. */
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

/** Returns the filters of a date column from a day to a day, both included; null for an open end. */
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
