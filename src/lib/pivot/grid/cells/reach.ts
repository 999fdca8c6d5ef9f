/** Compares slices with cells of a pivot and with each other. */
import type { Scalar } from '../../../contract/primitives';
import { isDateRange, type DateRange, type Slice } from '../../../contract/slices';
import type { LayoutFilter } from '../../../contract/stored-layout';
import type { Attributes } from '../../rows/attributes';
import type { CellIdentity } from '../../slice/cell';
import { parseDay, toScalar, valueKey } from '../../values/cell-value';
import { endsInOthers } from '../../values/others';
import type { CellValue, Schema } from '../../values/engine-types';
import { filterValues } from '../../slice/filter-values';
import { admits, listOf } from '../../slice/slice-values';
import type { Underlying } from '../../slice/underlying';

/** Whether a slice contains all, some or none of a set of rows. */
export type Overlap = 'all' | 'some' | 'none';

/** The arrangement of the pivot: its rows, columns and filters. */
interface ShownCells {
  group_by: readonly string[];
  split_by: readonly string[];
  filter: readonly LayoutFilter[];
  filter_op?: 'and' | 'or';
  schema: Schema;
  isExpression(name: string): boolean;
  /** Returns the values of the groups behind a row "Others"; null if they are unknown. */
  membersOf?(path: readonly CellValue[]): readonly CellValue[] | null;
}

/** Computes which cells of a pivot contain rows of one slice. */
export class Reach {
  /** Overlap of the slice with each value, by column or expression. */
  private readonly known = new Map<string, Map<string, Overlap>>();
  /** The same for the groups of a row "Others". */
  private readonly ofMembers = new WeakMap<readonly CellValue[], Overlap>();
  /** The values of the slice, by column whose values it lists. */
  private readonly lists = new Map<string, ReadonlySet<string>>();
  /** The source values behind the values of expressions and attributes, by column. */
  private readonly behind = new Map<string, ReadonlySet<string>>();
  /** Columns of the slice that filters restrict to values of the slice. */
  private readonly filtered: ReadonlySet<string>;
  /** Whether a filter admits no value of the slice. */
  private readonly isFilteredOut: boolean;

  /** @param underlying source values behind the values of the expressions and attributes */
  constructor(
    private readonly slice: Slice,
    private readonly shown: ShownCells,
    private readonly underlying: ReadonlyMap<string, Underlying>,
  ) {
    const isEach = shown.filter_op !== 'or' || shown.filter.length < 2;
    const isOnly = (filter: LayoutFilter, overlap: Overlap): boolean => {
      const [name] = filter;
      const isWanted = this.columnsOf(name).some((column) => this.wanted(column) !== undefined);
      const values = isWanted ? filterValues(filter, shown.schema) : null;
      return values?.every((value) => this.ofHeader(name, value) === overlap) ?? false;
    };
    const filters = isEach ? shown.filter : [];
    const held = filters.filter((filter) => isOnly(filter, 'all'));
    this.filtered = new Set(held.flatMap(([name]) => this.columnsOf(name)));
    this.isFilteredOut = filters.some((filter) => isOnly(filter, 'none'));
  }

  /** Whether the slice is the whole version, which holds every cell. */
  get isOfAll(): boolean {
    return Object.keys(this.slice).length === 0;
  }

  /**
   * Checks whether a cell contains rows of the slice. Every column of the slice that the pivot shows must be
   * among the cell's own headers; columns that the pivot does not show are ignored.
   */
  touches(cell: CellIdentity): boolean {
    return this.headersOf(cell).every((header) => {
      const { name, isShown } = header;
      if (this.shown.isExpression(name) && !this.underlying.has(name)) return false;
      if (!this.columnsOf(name).some((column) => this.wanted(column) !== undefined)) return true;
      return isShown && this.ofShown(header) !== 'none';
    });
  }

  /**
   * Checks whether the slice contains every row of a cell, judged by the columns that the cell's headers
   * show.
   */
  holds(cell: CellIdentity): boolean {
    const headers = this.headersOf(cell).filter(({ isShown }) => isShown);
    return Object.keys(this.slice).every(
      (column) => this.filtered.has(column) || this.ofHeaders(column, headers) === 'all',
    );
  }

  /** Checks whether the slice contains no row of a cell, judged by the columns that the cell's headers show. */
  misses(cell: CellIdentity): boolean {
    const headers = this.headersOf(cell).filter(({ isShown }) => isShown);
    return (
      this.isFilteredOut ||
      Object.keys(this.slice).some((column) => this.ofHeaders(column, headers) === 'none')
    );
  }

  /** Returns the overlap of the slice with the values of a column that some headers admit together. */
  private ofHeaders(column: string, headers: readonly ShownHeader[]): Overlap {
    const own = headers.filter(({ name }) => this.columnsOf(name).includes(column));
    const overlaps = own.map((header) => this.ofShown(header));
    if (overlaps.includes('none')) return 'none';
    if (overlaps.includes('all')) return 'all';
    const [first, ...others] = own.map((header) => this.behindHeader(column, header));
    if (!first || others.length === 0) return 'some';
    const admitted = [...first].filter((key) => others.every((each) => each.has(key)));
    const inside = admitted.map((key) => this.ofColumn(column, JSON.parse(key)));
    return inside.length > 0 && inside.every((each) => each === inside[0])
      ? (inside[0] ?? 'some')
      : 'some';
  }

  /** Returns the keys of the values of a column behind a header. */
  private behindHeader(column: string, header: ShownHeader): ReadonlySet<string> {
    const { name, value, members } = header;
    if (members) {
      const each = members.map((member) => this.behindHeader(column, headerOf(name, member)));
      return new Set(each.flatMap((keys) => [...keys]));
    }
    const key = valueKey(value);
    const { columns = [], tuples = [] } = this.underlying.get(name) ?? {};
    const at = columns.indexOf(column);
    if (at < 0) return new Set([key]);
    const place = JSON.stringify([column, name, key]);
    const known = this.behind.get(place);
    if (known) return known;
    const own = tuples.filter((entry) => entry.value === key);
    const keys = new Set(own.map(({ tuple }) => valueKey(tuple[at] ?? null)));
    this.behind.set(place, keys);
    return keys;
  }

  private headersOf({ rowPath, columnPath }: CellIdentity): ShownHeader[] {
    const { group_by, split_by } = this.shown;
    const members = this.shown.membersOf?.(rowPath) ?? [];
    return [
      ...group_by.map((name, i) => ({
        name,
        value: rowPath[i] ?? null,
        isShown: i < rowPath.length,
        ...(i === rowPath.length - 1 && endsInOthers(rowPath) && { members }),
      })),
      ...split_by.map((name, i) => ({
        name,
        value: columnPath?.[i] ?? null,
        isShown: columnPath !== null && i < columnPath.length,
      })),
    ];
  }

  /** Returns the columns that a header restricts. */
  private columnsOf(name: string): readonly string[] {
    return [name, ...(this.underlying.get(name)?.columns ?? [])];
  }

  private ofShown({ name, value, members }: ShownHeader): Overlap {
    if (!members) return this.ofHeader(name, value);
    const known = this.ofMembers.get(members);
    if (known) return known;
    const overlaps = new Set(members.map((member) => this.ofHeader(name, member)));
    const [first = 'some'] = overlaps;
    const overlap = overlaps.size > 1 ? 'some' : first;
    this.ofMembers.set(members, overlap);
    return overlap;
  }

  private ofHeader(name: string, value: CellValue): Overlap {
    const ofValues = this.known.get(name) ?? new Map<string, Overlap>();
    this.known.set(name, ofValues);
    const key = valueKey(value);
    const overlap = ofValues.get(key) ?? this.ofValue(name, value);
    ofValues.set(key, overlap);
    return overlap;
  }

  private ofValue(name: string, value: CellValue): Overlap {
    const underlying = this.underlying.get(name);
    if (!underlying) return this.shown.isExpression(name) ? 'some' : this.ofColumn(name, value);
    // A slice may name an attribute that follows from several keys.
    if (this.ofColumn(name, value) === 'none') return 'none';
    const key = valueKey(value);
    const inside = underlying.tuples
      .filter((entry) => entry.value === key)
      .map(({ tuple }) =>
        tuple.every((part, i) => this.ofColumn(underlying.columns[i] ?? '', part) === 'all'),
      );
    if (!inside.includes(true)) return 'none';
    return inside.includes(false) ? 'some' : 'all';
  }

  private ofColumn(column: string, value: CellValue): Overlap {
    const wanted = this.wanted(column);
    if (wanted === undefined) return 'all';
    const scalar = toScalar(value, this.shown.schema[column]);
    if (isDateRange(wanted)) return admits(wanted, scalar) ? 'all' : 'none';
    const list = this.lists.get(column) ?? new Set(listOf(wanted).map(valueKey));
    this.lists.set(column, list);
    return list.has(valueKey(scalar)) ? 'all' : 'none';
  }

  private wanted(column: string): Slice[string] | undefined {
    return Object.hasOwn(this.slice, column) ? this.slice[column] : undefined;
  }
}

/** A column or an expression that the pivot shows, with the value of a cell if one of its headers has it. */
interface ShownHeader {
  name: string;
  value: CellValue;
  isShown: boolean;
  /** The values of the groups that the value stands for, if it is that of a row "Others". */
  members?: readonly CellValue[];
}

const headerOf = (name: string, value: CellValue): ShownHeader => ({ name, value, isShown: true });

/**
 * Returns a slice with its attributes replaced by the keys from which they follow, so that it can be compared with
 * slices and cells that name the keys. An attribute that follows from several keys stays.
 */
export function inKeys(slice: Slice, attributes: Attributes): Slice {
  return Object.entries(slice).reduce<Slice>((replaced, [name, wanted]) => {
    const behind = attributes.behindKey(name);
    if (!behind) return replaced;
    const { [name]: _, ...others } = replaced;
    const before = Object.hasOwn(others, behind.key) ? others[behind.key] : undefined;
    const isAdmitted = (key: Scalar | null) => before === undefined || admits(before, key);
    const keys = behind.pairs
      .filter(({ value, key }) => admits(wanted, value) && isAdmitted(key))
      .map(({ key }) => key);
    return { ...others, [behind.key]: keys };
  }, slice);
}

/**
 * Compares two slices: whether all, some or none of the rows of `slice` are also rows of `other`, judged by
 * the two slices alone. `some` may be none: if `slice` does not restrict a column, only its rows would decide.
 */
export function overlapOf(slice: Slice, other: Slice): Overlap {
  const parts = Object.entries(other).map(([column, wanted]): Overlap => {
    const have = Object.hasOwn(slice, column) ? slice[column] : undefined;
    if (have === undefined) return 'some';
    return isDateRange(have) ? overlapOfRange(have, wanted) : overlapOfValues(have, wanted);
  });
  if (parts.includes('none')) return 'none';
  return parts.includes('some') ? 'some' : 'all';
}

function overlapOfValues(have: Exclude<Slice[string], DateRange>, wanted: Slice[string]): Overlap {
  const admitted = listOf(have).map((value) => admits(wanted, value));
  if (!admitted.includes(true)) return 'none';
  return admitted.includes(false) ? 'some' : 'all';
}

function overlapOfRange(have: DateRange, wanted: Slice[string]): Overlap {
  if (!isDateRange(wanted)) {
    return listOf(wanted).some((day) => admits(have, day)) ? 'some' : 'none';
  }
  const [first, last] = endsOf(have);
  const [from, to] = endsOf(wanted);
  if (last < from || to < first) return 'none';
  return from <= first && last <= to ? 'all' : 'some';
}

const endsOf = ({ from, to }: DateRange): [first: number, last: number] => [
  from === undefined ? -Infinity : parseDay(from),
  to === undefined ? Infinity : parseDay(to),
];
