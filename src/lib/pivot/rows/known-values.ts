/** The values of columns, collected from the rows as they arrive. */
import { Type, type Column } from '@uwdata/flechette';
import { dictionaryOf, isThere, type ArrowColumns } from './arrow-columns';
import { valueKey } from '../values/cell-value';
import type { CellValue } from '../values/engine-types';
import { inOrder, isEngineOrder } from '../values/name-order';

/** Maximum number of cached values per column; for more, the rows are read again. */
const MANY = 20_000;

/**
 * The values of columns in a version's own rows, read from the rows as they arrive: the engine would need a
 * second for such a view of half a million rows. After rows are removed, the remaining rows have to be read
 * again.
 */
export class KnownValues {
  /** Number of times that rows were added or removed. */
  moment = 0;
  private readonly byColumn = new Map<string, Known>();
  private readonly shown = new Map<string, ShownTexts>();

  /** @param names the columns whose values are cached */
  constructor(columns: ArrowColumns, names: readonly string[]) {
    for (const name of names) {
      const column = columns.get(name);
      const values = column && distinct(column);
      if (!values) continue;
      this.set(name, values);
      this.shown.set(name, { values: new Set(values), isEngineOrder: null });
    }
  }

  /** Returns the values of a column as {@link inOrder} sorts them; null if they are unknown. */
  of(name: string): readonly CellValue[] | null {
    const known = this.byColumn.get(name);
    if (!known) return null;
    known.sorted ??= [...known.values.values()].sort(inOrder);
    return known.sorted;
  }

  /**
   * Whether the engine sorts the values that a column has ever shown as {@link inOrder} does; false if they are
   * unknown. Values whose rows are gone count: without them, the order of the others is the same.
   */
  isEngineOrder(name: string): boolean {
    const shown = this.shown.get(name);
    if (!shown) return false;
    shown.isEngineOrder ??= isEngineOrder(shown.values);
    return shown.isEngineOrder;
  }

  /** Notes the values of rows that are shown beside the version's own, such as those of other versions. */
  noteOthers(columns: ArrowColumns): void {
    for (const [name, shown] of this.shown) {
      const column = columns.get(name);
      const values = column && distinct(column);
      const count = shown.values.size;
      for (const value of values ?? []) shown.values.add(value);
      if (shown.values.size > count) shown.isEngineOrder = null;
      if ((column && !values) || shown.values.size > MANY) this.shown.delete(name);
    }
  }

  /** Caches values that were read from the rows. */
  set(name: string, values: readonly CellValue[]): void {
    if (values.length > MANY) return;
    const byKey = new Map(values.map((value) => [valueKey(value), value]));
    this.byColumn.set(name, { values: byKey, sorted: null });
  }

  /** Adds the values of new rows. */
  add(columns: ArrowColumns): void {
    this.moment++;
    this.noteOthers(columns);
    for (const [name, known] of this.byColumn) {
      const column = columns.get(name);
      const values = column && distinct(column);
      // A column that the rows lack is empty in all of them.
      for (const value of values ?? [null]) known.values.set(valueKey(value), value);
      known.sorted = null;
      if (column && !values) this.byColumn.delete(name);
    }
  }

  /** Clears the cache after rows were removed, since a value may have lost its last row. */
  forget(): void {
    this.moment++;
    this.byColumn.clear();
  }
}

interface Known {
  values: Map<string, CellValue>;
  /** Null if they have to be sorted again. */
  sorted: readonly CellValue[] | null;
}

/** The values that a column has ever shown. */
interface ShownTexts {
  values: Set<CellValue>;
  /** Whether the engine sorts them by language; null until it is asked for. */
  isEngineOrder: boolean | null;
}

/**
 * Returns the different texts, numbers or booleans of a column; null if there are many, or for another type.
 */
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
  // A dictionary may contain values that no row has.
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

/** Returns a value in the engine's form, which has no fractions of a millisecond. */
export function cellValueAt(column: Column<unknown>, y: number): CellValue {
  const value: unknown = column.at(y);
  if (typeof value === 'number' && column.type.typeId === Type.Timestamp) return Math.trunc(value);
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? value
    : null;
}
