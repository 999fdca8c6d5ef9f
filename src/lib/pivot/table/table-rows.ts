/** Keeps the rows of the engine's table, and decides when to reload them. */
import type { Column } from '@uwdata/flechette';
import {
  type ArrowColumns,
  columnAt,
  lengthOf,
  numbersOf,
  only,
  rowsAt,
  streamOf,
  visitEntries,
} from '../rows/arrow-columns';
import type { CellValue, Schema, Table } from '../values/engine-types';
import { type Gate, InTurn } from '../waiting';
import { cellValueAt } from '../rows/known-values';
import type { Engine } from './perspective';
import { RowsError } from '../rows/rows';

/** Number of free row positions that the engine searches in the time in which it loads one value. */
const PLACES_PER_VALUE = 300;
/** Number of free row positions that the engine searches in a few tenths of a second. */
const MANY_PLACES = 4e8;
/** The entry of rows that name no log entry. */
const NO_ENTRY = 0;

/** Thrown if stored rows that were on screen are no longer in the table; the message says what to do. */
export class RowsLostError extends RowsError {
  constructor(cause: unknown) {
    super('This page has lost rows that are stored. Reload it to see them again.', { cause });
  }
}

/** Adjacent rows: from index `from` up to, but not including, `to`. */
interface Run {
  from: number;
  to: number;
}

/** The requested rows of one part, with all of their columns. */
interface PartRuns {
  columns: ArrowColumns;
  runs: readonly Run[];
}

/** Rows that were added together; those of some entries may have been removed since. */
class TablePart {
  /** Number of rows by entry, for the entries that remain. */
  private readonly counts = new Map<number, number>();

  constructor(private readonly columns: ArrowColumns) {
    this.visit((logid, from, to) => {
      this.counts.set(logid, (this.counts.get(logid) ?? 0) + to - from);
    });
  }

  get entries(): readonly number[] {
    return [...this.counts.keys()];
  }

  /** Counts the rows of some entries. */
  count(isCounted: (logid: number) => boolean): number {
    let rows = 0;
    for (const [logid, count] of this.counts) if (isCounted(logid)) rows += count;
    return rows;
  }

  /** Returns the runs of the remaining rows of some entries. */
  runs(isWanted: (logid: number) => boolean): PartRuns {
    const runs: Run[] = [];
    this.visit((logid, from, to) => {
      if (this.counts.has(logid) && isWanted(logid)) runs.push({ from, to });
    });
    return { columns: this.columns, runs };
  }

  /** Returns the values of a column in the rows of an entry. */
  keysOf(logid: number, index: string): (string | number)[] {
    const column = this.columns.get(index);
    const numbers = numbersOf(column)?.values;
    const keys: (string | number)[] = [];
    this.visit((each, from, to) => {
      if (each !== logid) return;
      for (let y = from; y < to; y++) {
        const key: unknown = numbers ? Number(numbers[y]) : column?.at(y);
        if (typeof key === 'string' || typeof key === 'number') keys.push(key);
      }
    });
    return keys;
  }

  forget(logid: number): void {
    this.counts.delete(logid);
  }

  /** Returns the columns of the remaining rows, without those of an entry. */
  async without(logid: number | null): Promise<ArrowColumns> {
    const isKept = (each: number) => each !== logid && this.counts.has(each);
    const count = this.count(isKept);
    if (count === lengthOf(this.columns)) return this.columns;
    const kept = new Int32Array(count);
    let filled = 0;
    this.visit((each, from, to) => {
      if (!isKept(each)) return;
      for (let y = from; y < to; y++) kept[filled++] = y;
    });
    return rowsAt(this.columns, kept);
  }

  private visit(visit: (logid: number, from: number, to: number) => void): void {
    const { columns } = this;
    if (!visitEntries(columns, visit)) visit(NO_ENTRY, 0, lengthOf(columns));
  }
}

/** A table of the engine, and the names of its columns. */
interface Loaded {
  table: Table;
  names: ReadonlySet<string>;
}

/**
 * The rows of the engine's table, also kept as the columns that were received: so the content is known, and
 * all rows can be reloaded.
 *
 * The table has only the columns in use, because each one costs the engine time and memory, when rows are
 * loaded and whenever some are added or removed. The other columns are loaded when they are first needed
 * (docs/decisions/0039-the-first-screen.md).
 *
 * The engine gives the positions of removed rows to new rows. It searches for each one from the start of a
 * list, whose length is the largest number of positions that were ever free and which never shrinks. So the
 * rows are reloaded, which empties this list, if many rows are removed, or if the search for new rows would
 * take longer than a reload (docs/decisions/0008-a-grid-of-our-own.md).
 */
export class TableRows {
  private parts: TablePart[] = [];
  private free = 0;
  private mostFree = 0;
  /** The changes of the table: each starts from the result of the previous one. */
  private readonly changes = new InTurn();

  /**
   * @param loaded has some of the columns, and either no rows or those that are passed to {@link hold}
   * @param schema of all columns
   * @param gate is closed while the table has only some of its rows
   */
  constructor(
    private readonly engine: Pick<Engine, 'table' | 'emptyTable' | 'update'>,
    private loaded: Loaded,
    private readonly schema: Schema,
    private readonly index: string,
    private readonly gate: Gate,
  ) {}

  /** The table that has the rows now; {@link bring} replaces it. */
  get table(): Table {
    return this.loaded.table;
  }

  /** Notes rows that are already in the table, with all of their columns. */
  hold(columns: ArrowColumns): void {
    if (lengthOf(columns) > 0) this.parts.push(new TablePart(columns));
  }

  /** The log entries that have rows, by the column `pf_logid`. */
  get entries(): ReadonlySet<number> {
    return new Set(this.parts.flatMap(({ entries }) => entries));
  }

  /** Counts the rows of some entries. */
  count(isCounted: (logid: number) => boolean): number {
    return this.parts.reduce((sum, part) => sum + part.count(isCounted), 0);
  }

  /** Returns the current rows of some entries. */
  runs(isWanted: (logid: number) => boolean): PartRuns[] {
    return this.parts.map((part) => part.runs(isWanted));
  }

  /**
   * Returns the values of a row in some columns.
   *
   * @param key the row's value in the index column
   * @returns undefined if there is no such row
   */
  valuesOf(key: CellValue, names: readonly string[]): CellValue[] | undefined {
    for (const { columns, runs } of this.runs(() => true)) {
      const y = placeOf(columns.get(this.index), key, runs);
      if (y === null) continue;
      return names.map((name) => {
        const column = columns.get(name);
        return column ? cellValueAt(column, y) : null;
      });
    }
    return undefined;
  }

  /** Checks whether the table has all of the named columns that exist. */
  has(names: readonly string[]): boolean {
    return this.missing(names).length === 0;
  }

  /**
   * Loads columns that the table does not have yet. The engine cannot add columns to a table, so the rows are
   * loaded into a new one.
   *
   * @param names of columns; unknown names are ignored
   * @returns the previous table, unchanged, which the caller has to delete; null if no column was missing
   */
  bring(names: readonly string[]): Promise<Table | null> {
    return this.changes.run(async () => {
      const { table, names: before } = this.loaded;
      const missing = this.missing(names);
      if (missing.length === 0) return null;
      const wanted = new Set([...before, ...missing]);
      const parts = await this.keptParts(null);
      this.loaded = { table: await this.madeOf(parts, wanted), names: wanted };
      this.become(parts);
      this.mostFree = 0;
      return table;
    });
  }

  private missing(names: readonly string[]): string[] {
    return names.filter((name) => Object.hasOwn(this.schema, name) && !this.loaded.names.has(name));
  }

  /** Creates a table of all rows with some columns. */
  private async madeOf(
    [first, ...others]: readonly ArrowColumns[],
    names: ReadonlySet<string>,
  ): Promise<Table> {
    const { engine, index } = this;
    // Parts that were added later lack the columns that are empty in all of their rows.
    const isWhole = first !== undefined && [...names].every((name) => first.has(name));
    const types = Object.entries(this.schema).filter(([name]) => names.has(name));
    const table = isWhole
      ? await engine.table(streamOf(only(first, names)), { index })
      : await engine.emptyTable(Object.fromEntries(types), { index });
    try {
      const loaded = { table, names };
      if (first && !isWhole) await this.begin(loaded, first);
      for (const columns of others) await this.send(loaded, columns);
      await taken(loaded);
      return table;
    } catch (error) {
      await table.delete();
      throw error;
    }
  }

  /**
   * Appends rows in one update of the engine.
   *
   * @returns whether all rows were reloaded, which closes all rows of the views on the table
   * @throws RowsLostError if the engine fails during the reload
   */
  append(columns: ArrowColumns): Promise<boolean> {
    return this.changes.run(async () => {
      const rows = lengthOf(columns);
      const there = this.count(() => true);
      if (there === 0) {
        this.hold(columns);
        await this.loadAnew(null);
        return true;
      }
      const looks = Math.min(rows, this.free) * this.mostFree;
      const values = there * this.loaded.names.size;
      const isLoadedAnew = looks >= MANY_PLACES && looks >= PLACES_PER_VALUE * values;
      if (isLoadedAnew) await this.loadAnew(null);
      await this.send(this.loaded, columns);
      this.hold(columns);
      this.free -= Math.min(rows, this.free);
      await taken(this.loaded);
      return isLoadedAnew;
    });
  }

  /**
   * Removes the rows of an entry.
   *
   * @returns whether the remaining rows were reloaded, which closes all rows of the views on the table
   * @throws RowsLostError if the engine fails during the reload
   */
  remove(logid: number): Promise<boolean> {
    return this.changes.run(async () => {
      const rows = this.count((each) => each === logid);
      if (rows === 0) return false;
      const staying = this.count((each) => each !== logid);
      const areMany = rows ** 2 >= MANY_PLACES && 2 * rows >= staying;
      if (areMany || staying === 0) {
        await this.loadAnew(logid);
        return true;
      }
      await this.table.remove(this.parts.flatMap((part) => part.keysOf(logid, this.index)));
      for (const part of this.parts) part.forget(logid);
      this.parts = this.parts.filter(({ entries }) => entries.length > 0);
      this.free += rows;
      this.mostFree = Math.max(this.mostFree, this.free);
      await taken(this.loaded);
      return false;
    });
  }

  /** Returns the remaining rows in the parts that were received, without those of an entry. */
  private async keptParts(without: number | null): Promise<ArrowColumns[]> {
    const kept: ArrowColumns[] = [];
    // One after the other, since each may take a while and need much memory.
    for (const part of this.parts) kept.push(await part.without(without));
    return kept.filter((columns) => lengthOf(columns) > 0);
  }

  /** Notes that the table has these rows and no others, without free positions between them. */
  private become(parts: readonly ArrowColumns[]): void {
    this.parts = parts.map((columns) => new TablePart(columns));
    this.free = 0;
  }

  /** Empties the table and loads its rows again, without those of an entry. */
  private async loadAnew(without: number | null): Promise<void> {
    const { loaded } = this;
    const parts = await this.keptParts(without);
    const [first, ...others] = parts;
    await this.gate
      .during(async () => {
        await loaded.table.clear();
        if (first) await this.begin(loaded, first);
        for (const columns of others) await this.send(loaded, columns);
        await taken(loaded);
      })
      .catch((error: unknown) => {
        throw new RowsLostError(error);
      });
    this.become(parts);
  }

  /**
   * Loads the first rows into an empty table. The engine puts the empty values of the first rows of a table
   * into another group than those of later rows. So columns that are empty in all of the rows are left out,
   * and if a column is empty in some, a single key is loaded first; loading then takes twice as long.
   */
  private async begin(loaded: Loaded, columns: ArrowColumns): Promise<void> {
    const filled = filledOf(only(columns, loaded.names));
    const keys = columns.get(this.index);
    if (keys && [...filled.values()].some(({ nullCount }) => nullCount > 0)) {
      const key = new Map([[this.index, columnAt(keys, Int32Array.of(0))]]);
      await this.engine.update(loaded.table, streamOf(key));
      // Otherwise the engine would load both together.
      await taken(loaded);
    }
    await this.engine.update(loaded.table, streamOf(filled));
  }

  /** Loads rows into a table that has rows already. */
  private async send({ table, names }: Loaded, columns: ArrowColumns): Promise<void> {
    await this.engine.update(table, streamOf(filledOf(only(columns, names))));
  }
}

/** Returns the index of the row with a key; null if no row has it. Texts are compared by their bytes. */
function placeOf(
  column: Column<unknown> | undefined,
  key: CellValue,
  runs: readonly Run[],
): number | null {
  const [batch] = column?.data ?? [];
  const { values, offsets } = batch ?? {};
  const isText = values instanceof Uint8Array && offsets instanceof Int32Array;
  const wanted = new TextEncoder().encode(String(key));
  const isKey = (y: number): boolean => {
    if (!isText) return values?.[y] === key;
    const start = offsets[y] ?? 0;
    if ((offsets[y + 1] ?? 0) - start !== wanted.length) return false;
    let i = wanted.length - 1;
    while (i >= 0 && values[start + i] === wanted[i]) i--;
    return i < 0;
  };
  for (const { from, to } of runs) {
    for (let y = from; y < to; y++) if (isKey(y)) return y;
  }
  return null;
}

/** Waits until the engine has processed all updates, which it does before it answers a question. */
async function taken({ table }: Loaded): Promise<void> {
  await table.size();
}

/** Returns the columns that have a value. The engine treats missing columns as empty, which saves it work. */
const filledOf = (columns: ArrowColumns): ArrowColumns =>
  new Map([...columns].filter(([, { length, nullCount }]) => nullCount < length));
