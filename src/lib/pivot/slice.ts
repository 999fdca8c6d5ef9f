import type { ColumnEntry } from '../contract/columns';
import type { Slice } from '../contract/operations';
import type { Scalar } from '../contract/primitives';
import type { LayoutFilter } from '../contract/layout';
import { toScalar, valueKey } from './cell-value';
import type { CellValue, Schema } from './engine-types';

/** What a slice needs to know of a source's column. */
export type SliceColumn = Pick<ColumnEntry, 'cname' | 'role' | 'is_key'>;

/**
 * The combinations of underlying values that an expression's value stands for, seen under the
 * view's filters: a month bucket stands for the days in it. `columns` are the columns the
 * expression reads; `tuples` is null if they cannot be told.
 */
export interface Underlying {
  columns: string[];
  tuples: CellValue[][] | null;
}

/** One cell of a pivot, as its view knows it. */
export interface PivotCell {
  groupBy: readonly string[];
  splitBy: readonly string[];
  /** Typed values of the row headers down to the cell's row; empty for the total row. */
  rowPath: readonly CellValue[];
  /**
   * Typed values of the split columns. Several if the engine prints them alike and shows one
   * column for all; null for a row header, which spans every column.
   */
  columnPaths: readonly (readonly CellValue[])[] | null;
  filter: readonly LayoutFilter[];
  filterOp: 'and' | 'or';
  schema: Schema;
  /** Expression name → value → what it stands for. */
  underlying: ReadonlyMap<string, ReadonlyMap<string, Underlying>>;
}

/**
 * Why a part of the cell is not in its slice. `split`: the cell is split or grouped by something a
 * slice cannot hold, such as `pf_iter`. `filter`: a filter that is no list of dimension values.
 */
export interface NotHeld {
  kind: 'split' | 'filter';
  column: string;
  text: string;
}

export interface CellSlice {
  slice: Slice;
  /** Parts of the cell that the slice leaves out: an operation reaches beyond what is shown. */
  notHeld: NotHeld[];
  /** Why no slice selects exactly this cell, as a sentence; null if one does. */
  impossible: string | null;
}

const SLICE_ROLES = new Set(['dimension', 'date']);

/** Every expression value whose underlying values {@link sliceFromCell} needs for this cell. */
export function expressionValues(
  cell: Omit<PivotCell, 'underlying'>,
  isExpression: (column: string) => boolean,
): { column: string; value: CellValue }[] {
  const wanted = conditionsOf(cell).flatMap(({ column, alternatives }) =>
    isExpression(column) ? alternatives.map((value) => ({ column, value })) : [],
  );
  const filters = cell.filter
    .filter(([column]) => isExpression(column))
    .flatMap((f) => (filterValues(f, cell.schema) ?? []).map((value) => ({ column: f[0], value })));
  return [...wanted, ...filters];
}

/**
 * The slice that selects exactly the rows a cell adds up (docs/contract/05-operations.md#slices).
 * Built from typed paths, never from printed ones; a value that the slice cannot carry is named in
 * `notHeld`, never silently dropped.
 */
export function sliceFromCell(cell: PivotCell, columns: readonly SliceColumn[]): CellSlice {
  const builder = new SliceBuilder(cell, columns);
  for (const condition of conditionsOf(cell)) builder.addCondition(condition);
  if (cell.columnPaths && cell.columnPaths.length > 1) builder.checkAlternatives(cell.columnPaths);
  builder.addFilters();
  return builder.result();
}

interface Condition {
  column: string;
  alternatives: CellValue[];
}

function conditionsOf(
  cell: Pick<PivotCell, 'groupBy' | 'splitBy' | 'rowPath' | 'columnPaths'>,
): Condition[] {
  const rows = cell.rowPath.map((value, i) => ({
    column: cell.groupBy[i] ?? '',
    alternatives: [value],
  }));
  const { columnPaths } = cell;
  if (!columnPaths || columnPaths.length === 0) return rows;
  const splits = cell.splitBy.map((column, i) => ({
    column,
    alternatives: distinct(columnPaths.map((path) => path[i] ?? null)),
  }));
  return [...rows, ...splits];
}

class SliceBuilder {
  private readonly held = new Map<string, CellValue[]>();
  private readonly notHeld: NotHeld[] = [];
  private impossible: string | null = null;

  constructor(
    private readonly cell: PivotCell,
    private readonly columns: readonly SliceColumn[],
  ) {}

  /** A row or column header: its column takes one of the values. */
  addCondition({ column, alternatives }: Condition): void {
    if (this.isSliceable(column)) return this.restrict(column, alternatives);
    const byValue = this.cell.underlying.get(column);
    if (!byValue) return this.leaveOut(column, alternatives);

    const standsFor = alternatives.map((value) => byValue.get(valueKey(value)));
    const first = standsFor[0];
    if (!first || !first.columns.every((name) => this.isSliceable(name))) {
      return this.leaveOut(column, alternatives);
    }
    const tuples = standsFor.flatMap((u) => u?.tuples ?? []);
    if (standsFor.some((u) => !u?.tuples) || tuples.length === 0) {
      this.leaveOut(column, alternatives);
      this.impossible = `The values behind “${column}” could not be read, so no selection is exactly this cell.`;
      return;
    }
    if (!isProduct(tuples)) {
      this.leaveOut(column, alternatives);
      this.impossible = `“${column}” mixes ${quoted(first.columns)}: no selection is exactly this cell.`;
      return;
    }
    first.columns.forEach((name, i) =>
      this.restrict(name, distinct(tuples.map((tuple) => tuple[i] ?? null))),
    );
  }

  /** Split columns that print alike can be selected together only if their values combine freely. */
  checkAlternatives(paths: readonly (readonly CellValue[])[]): void {
    if (!isProduct(paths)) {
      const [column = ''] = this.cell.splitBy;
      this.notHeld.push({ kind: 'split', column, text: quoted(this.cell.splitBy) });
      this.impossible = `These columns look alike (${quoted(this.cell.splitBy)}), so no selection is exactly this cell.`;
    }
  }

  /** The view's own filters: dimension and date columns with `==`, `in` or `is null` narrow the slice. */
  addFilters(): void {
    const { filter, filterOp, schema } = this.cell;
    const joinedByOr = filterOp === 'or' && filter.length > 1;
    for (const entry of filter) {
      const [column] = entry;
      const values = joinedByOr ? null : filterValues(entry, schema);
      if (values && (this.isSliceable(column) || this.standsForSliceable(column))) {
        this.addCondition({ column, alternatives: values });
      } else {
        this.notHeld.push({
          kind: 'filter',
          column,
          text: filterText(entry) + (joinedByOr ? ' (one of several)' : ''),
        });
      }
    }
  }

  result(): CellSlice {
    const slice: Slice = {};
    for (const [column, values] of this.held) {
      const scalars = values.map((value) => toScalar(value, this.cell.schema[column]));
      slice[column] = scalars.length === 1 ? (scalars[0] ?? null) : scalars;
    }
    return { slice, notHeld: this.notHeld, impossible: this.impossible };
  }

  private isSliceable(column: string): boolean {
    return this.columns.some((c) => c.cname === column && SLICE_ROLES.has(c.role));
  }

  private standsForSliceable(column: string): boolean {
    const byValue = this.cell.underlying.get(column);
    if (!byValue || byValue.size === 0) return false;
    return [...byValue.values()].every((u) => u.columns.every((name) => this.isSliceable(name)));
  }

  private restrict(column: string, values: CellValue[]): void {
    const before = this.held.get(column);
    const after = before
      ? before.filter((value) => values.some((other) => valueKey(other) === valueKey(value)))
      : values;
    if (after.length === 0) {
      this.impossible = `The cell and the filters ask different values of “${column}”: there is nothing behind it.`;
      return;
    }
    this.held.set(column, after);
  }

  private leaveOut(column: string, values: CellValue[]): void {
    const type = this.cell.schema[column];
    const text = values.map((value) => String(toScalar(value, type) ?? 'empty')).join(', ');
    this.notHeld.push({ kind: 'split', column, text: `${column} = ${text}` });
  }
}

/**
 * Dimensions in a slice that are no key, if the source has keys: then only keys may select rows
 * (docs/contract/14-what-the-operations-compute.md#is_key).
 */
export function unmarkedDimensions(slice: Slice, columns: readonly SliceColumn[]): string[] {
  const dimensions = columns.filter((c) => c.role === 'dimension');
  if (!dimensions.some((c) => c.is_key)) return [];
  return dimensions.filter((c) => !c.is_key && c.cname in slice).map((c) => c.cname);
}

/**
 * One slice for several cells; null if they differ in more than one column, because no single slice
 * selects exactly their rows.
 */
export function mergeSlices(slices: readonly Slice[]): Slice | null {
  const [first, ...rest] = slices;
  if (!first) return null;
  let merged: Slice = first;
  let differing: string | null = null;
  for (const slice of rest) {
    const names = Object.keys(slice);
    if (names.length !== Object.keys(merged).length || !names.every((n) => n in merged))
      return null;
    for (const name of names) {
      const have = listOf(merged[name]);
      const more = listOf(slice[name]).filter(
        (v) => !have.some((h) => valueKey(h) === valueKey(v)),
      );
      const same = more.length === 0 && listOf(slice[name]).length === have.length;
      if (same) continue;
      if (differing !== null && differing !== name) return null;
      differing = name;
      merged = { ...merged, [name]: [...have, ...more] };
    }
  }
  return merged;
}

/** A slice value as a list. */
export function listOf(value: Slice[string] | undefined): (Scalar | null)[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}

/**
 * The values a filter admits, typed as the engine types the column; null if it is no list of
 * values. Null inside `in` never matches in the engine, so it is no value of the filter.
 */
function filterValues(filter: LayoutFilter, schema: Schema): CellValue[] | null {
  const [column, operator, term] = filter;
  const typed = (value: CellValue) => parseTerm(value, schema[column]);
  if (operator === 'is null') return [null];
  if (operator === '==' && !Array.isArray(term) && term !== null) {
    const value = typed(term);
    return value === undefined ? null : [value];
  }
  if (operator === 'in' && Array.isArray(term)) {
    const given = term.filter((v) => v !== null).map(typed);
    const values = given.filter((v) => v !== undefined);
    if (values.length === 0 || values.length < given.length) return null;
    return distinct(values);
  }
  return null;
}

function parseTerm(value: CellValue, type: Schema[string] | undefined): CellValue | undefined {
  switch (type) {
    case 'date':
    case 'datetime': {
      if (typeof value === 'number') return value;
      const text = String(value).trim().replace(' ', 'T');
      const ms = Date.parse(/^\d{4}-\d\d-\d\d$/.test(text) || /Z$/.test(text) ? text : text + 'Z');
      if (Number.isNaN(ms)) return undefined;
      return type === 'date' ? Math.floor(ms / 86_400_000) * 86_400_000 : ms;
    }
    case 'integer':
    case 'float': {
      const number = Number(value);
      return Number.isFinite(number) && value !== '' ? number : undefined;
    }
    case 'boolean':
      if (value === true || value === 'true') return true;
      if (value === false || value === 'false') return false;
      return undefined;
    case 'string':
      return String(value);
    default:
      return undefined;
  }
}

const FILTER_WORDS: Record<string, string> = {
  '==': '=',
  '!=': '≠',
  'is not null': 'is not empty',
  'is null': 'is empty',
};

function filterText([column, operator, term]: LayoutFilter): string {
  const word = FILTER_WORDS[operator] ?? operator;
  if (operator.endsWith('null')) return `${column} ${word}`;
  const shown = Array.isArray(term) ? term.filter((t) => t !== null).join(', ') : term;
  return `${column} ${word} ${shown ?? 'empty'}`;
}

/** Whether tuples are all combinations of their columns' values: a slice can select only such a set. */
function isProduct(tuples: readonly (readonly CellValue[])[]): boolean {
  const width = tuples[0]?.length ?? 0;
  const unique = new Set(tuples.map((tuple) => JSON.stringify(tuple)));
  let combinations = 1;
  for (let i = 0; i < width; i++) {
    combinations *= new Set(tuples.map((tuple) => valueKey(tuple[i] ?? null))).size;
  }
  return unique.size === combinations;
}

function distinct(values: readonly CellValue[]): CellValue[] {
  const seen = new Map(values.map((value) => [valueKey(value), value]));
  return [...seen.values()];
}

const quoted = (names: readonly string[]) => names.map((name) => `“${name}”`).join(', ');
