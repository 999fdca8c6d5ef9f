import { Type, type Column } from '@uwdata/flechette';
import { dictionaryOf, isThere, type ArrowColumns } from './arrow-columns';
import { valueKey } from '../values/cell-value';
import type { CellValue } from '../values/engine-types';

/** More values than that are not kept of a column: the rows are read for them. */
const MANY = 20_000;

/**
 * The values of columns in a version's own rows, read from the rows as they come: a view of the engine's
 * for it takes a second with half a million rows. Once rows go, those that stay have to be read again.
 */
export class KnownValues {
  /** How often rows came or went. */
  moment = 0;
  private readonly byColumn = new Map<string, Known>();

  /** @param names columns to know the values of */
  constructor(columns: ArrowColumns, names: readonly string[]) {
    for (const name of names) {
      const column = columns.get(name);
      const values = column && distinct(column);
      if (values) this.set(name, values);
    }
  }

  /** The values of a column, the empty one first, then in their order; null if they are not known. */
  of(name: string): readonly CellValue[] | null {
    const known = this.byColumn.get(name);
    if (!known) return null;
    known.sorted ??= [...known.values.values()].sort(inOrder);
    return known.sorted;
  }

  /** Keeps what the rows were read for. */
  set(name: string, values: readonly CellValue[]): void {
    if (values.length > MANY) return;
    const byKey = new Map(values.map((value) => [valueKey(value), value]));
    this.byColumn.set(name, { values: byKey, sorted: null });
  }

  /** Rows came. */
  add(columns: ArrowColumns): void {
    this.moment++;
    for (const [name, known] of this.byColumn) {
      const column = columns.get(name);
      const values = column && distinct(column);
      // A column that the rows do not have is empty in them.
      for (const value of values ?? [null]) known.values.set(valueKey(value), value);
      known.sorted = null;
      if (column && !values) this.byColumn.delete(name);
    }
  }

  /** Rows went, and maybe the last ones of a value. */
  forget(): void {
    this.moment++;
    this.byColumn.clear();
  }
}

interface Known {
  values: Map<string, CellValue>;
  /** Null if they are to be sorted anew. */
  sorted: readonly CellValue[] | null;
}

/** The order of values: the empty one first. */
export const inOrder = (a: CellValue, b: CellValue): number =>
  a === b ? 0 : a === null || (b !== null && a < b) ? -1 : 1;

/** The different values of texts, numbers and booleans; null if they are many, or of another type. */
function distinct(column: Column<unknown>): CellValue[] | null {
  const dictionary = dictionaryOf(column);
  const type = (dictionary ?? column).type.typeId;
  if (type !== Type.Utf8 && type !== Type.Int && type !== Type.Float && type !== Type.Bool) {
    return null;
  }
  const found = new Set<CellValue>();
  if (!dictionary) {
    for (let y = 0; y < column.length && found.size <= MANY; y++) found.add(cellValueAt(column, y));
    return found.size > MANY ? null : [...found];
  }
  if (dictionary.length > MANY) return null;
  // Not every value of a dictionary needs to be one of a row.
  const isUsed = new Uint8Array(dictionary.length);
  let unseen = dictionary.length;
  for (const { values, validity, nullCount, length } of column.data) {
    if (!(values instanceof Int32Array)) return null;
    const places = nullCount > 0 ? validity : new Uint8Array(0);
    for (let y = 0; y < length && unseen > 0; y++) {
      const at = values[y] ?? 0;
      if (isUsed[at] || !isThere(places, y)) continue;
      isUsed[at] = 1;
      unseen--;
    }
  }
  if (column.nullCount > 0) found.add(null);
  for (const [i, used] of isUsed.entries()) if (used) found.add(cellValueAt(dictionary, i));
  return [...found];
}

/** A value as the engine holds it: it keeps no part of a millisecond. */
export function cellValueAt(column: Column<unknown>, y: number): CellValue {
  const value: unknown = column.at(y);
  if (typeof value === 'number' && column.type.typeId === Type.Timestamp) return Math.trunc(value);
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? value
    : null;
}
