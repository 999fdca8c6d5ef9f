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

/** In the time that one value is loaded in, the engine looks at so many places. */
const PLACES_PER_VALUE = 300;
/** It looks at so many in some tenths of a second. */
const MANY_PLACES = 4e8;
/** Rows that tell no log entry. */
const NO_ENTRY = 0;

/** Thrown if rows that were on screen are no longer in the table; the message says what to do. */
export class RowsLostError extends RowsError {
  constructor(cause: unknown) {
    super('This page has lost rows that are stored. Reload it to see them again.', { cause });
  }
}

/** Adjacent rows: those from a place up to, not including, another. */
export interface Run {
  from: number;
  to: number;
}

/** Rows that came together, as far as they are wanted, with all of their columns. */
interface PartRuns {
  columns: ArrowColumns;
  runs: readonly Run[];
}

/** Rows that came together, of which those of some entries may have gone. */
class Part {
  /** How many rows each entry has that is still there. */
  private readonly counts = new Map<number, number>();

  constructor(private readonly columns: ArrowColumns) {
    this.visit((logid, from, to) => {
      this.counts.set(logid, (this.counts.get(logid) ?? 0) + to - from);
    });
  }

  get entries(): readonly number[] {
    return [...this.counts.keys()];
  }

  /** How many rows some entries have. */
  count(isCounted: (logid: number) => boolean): number {
    let rows = 0;
    for (const [logid, count] of this.counts) if (isCounted(logid)) rows += count;
    return rows;
  }

  /** Where the rows of some entries are, of those that are still there. */
  runs(isWanted: (logid: number) => boolean): PartRuns {
    const runs: Run[] = [];
    this.visit((logid, from, to) => {
      if (this.counts.has(logid) && isWanted(logid)) runs.push({ from, to });
    });
    return { columns: this.columns, runs };
  }

  /** The values that the rows of an entry have in a column. */
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

  /** The columns of the rows that are still there, without those of an entry. */
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

/** A table of the engine's, and the columns that it has. */
interface Loaded {
  table: Table;
  names: ReadonlySet<string>;
}

/**
 * The rows of the engine's table, which are kept as the columns that they came in: so it is known what is
 * there, and all rows can be loaded anew.
 *
 * The table has only those columns that are looked at: the engine takes time and memory for each, when rows
 * are loaded and whenever some come or go. The others are brought when they are first asked for
 * (docs/decisions/0039-the-first-screen.md).
 *
 * The engine gives the places that rows have left to rows that come, and looks for each from the start of a
 * list that grows to the most places that were ever free, and never shrinks. So if many rows go, those that
 * stay are loaded anew instead, which leaves no such place; and if the search for rows that come would take
 * longer than that (docs/decisions/0008-a-grid-of-our-own.md).
 */
export class TableRows {
  private parts: Part[] = [];
  private free = 0;
  private mostFree = 0;
  /** The changes of the table: each begins with what the one before has left. */
  private readonly changes = new InTurn();

  /**
   * @param loaded has some of the columns, of no rows or of those that {@link hold} is told of
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

  /** The table that has the rows now: another one after columns were brought. */
  get table(): Table {
    return this.loaded.table;
  }

  /** Notes rows that are in the table already, with all of their columns. */
  hold(columns: ArrowColumns): void {
    if (lengthOf(columns) > 0) this.parts.push(new Part(columns));
  }

  /** The log entries that have rows, as their column tells. */
  get entries(): ReadonlySet<number> {
    return new Set(this.parts.flatMap(({ entries }) => entries));
  }

  /** How many rows some entries have. */
  count(isCounted: (logid: number) => boolean): number {
    return this.parts.reduce((sum, part) => sum + part.count(isCounted), 0);
  }

  /** The rows of some entries, as they are at this moment. */
  runs(isWanted: (logid: number) => boolean): PartRuns[] {
    return this.parts.map((part) => part.runs(isWanted));
  }

  /**
   * The values of a row in some columns.
   *
   * @param key that the table has the row by
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

  /** Whether the table has all of some columns that there are. */
  has(names: readonly string[]): boolean {
    return this.missing(names).length === 0;
  }

  /**
   * Brings columns into the table that it does not have yet. The engine adds none to a table, so the rows are
   * loaded into another one.
   *
   * @param names of columns; those that there are not are passed over
   * @returns the table of before, which is left as it was and has to be deleted; null if nothing was brought
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

  /** A table of some columns of all rows. */
  private async madeOf(
    [first, ...others]: readonly ArrowColumns[],
    names: ReadonlySet<string>,
  ): Promise<Table> {
    const { engine, index } = this;
    // Rows that came later lack columns that are empty in them.
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
   * Appends rows, in one update of the engine.
   *
   * @returns whether all were loaded anew: views on the table have then all their rows closed
   * @throws RowsLostError if the engine fails while it loads them
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
   * Takes the rows of an entry out.
   *
   * @returns whether those that stay were loaded anew: views on the table have then all their rows closed
   * @throws RowsLostError if the engine fails while it loads them
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

  /** The rows that are there as they came, without those of an entry. */
  private async keptParts(without: number | null): Promise<ArrowColumns[]> {
    const kept: ArrowColumns[] = [];
    // One after the other, since each may take a while and much memory.
    for (const part of this.parts) kept.push(await part.without(without));
    return kept.filter((columns) => lengthOf(columns) > 0);
  }

  /** Notes that the table has these rows and no others, with no free place between them. */
  private become(parts: readonly ArrowColumns[]): void {
    this.parts = parts.map((columns) => new Part(columns));
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
   * Loads the first rows into an empty table. Of the rows that such a table gets first, the engine keeps
   * empty values apart from those that come later, as another group. So it gets no column that is empty in
   * all of them, and if one is empty in some, it gets a key first; loading takes twice as long then.
   */
  private async begin(loaded: Loaded, columns: ArrowColumns): Promise<void> {
    const filled = filledOf(only(columns, loaded.names));
    const keys = columns.get(this.index);
    if (keys && [...filled.values()].some(({ nullCount }) => nullCount > 0)) {
      const key = new Map([[this.index, columnAt(keys, Int32Array.of(0))]]);
      await this.engine.update(loaded.table, streamOf(key));
      // Or the engine would take both together.
      await taken(loaded);
    }
    await this.engine.update(loaded.table, streamOf(filled));
  }

  /** Loads rows into a table that has some. */
  private async send({ table, names }: Loaded, columns: ArrowColumns): Promise<void> {
    await this.engine.update(table, streamOf(filledOf(only(columns, names))));
  }
}

/** Where some rows of a column have a key; null if none has it. Texts are compared by their bytes. */
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

/** Waits until the engine has done what it was given: it does so before it answers a question. */
async function taken({ table }: Loaded): Promise<void> {
  await table.size();
}

/** The columns that have a value: the engine takes one that is not there as empty, and has less to do. */
const filledOf = (columns: ArrowColumns): ArrowColumns =>
  new Map([...columns].filter(([, { length, nullCount }]) => nullCount < length));
