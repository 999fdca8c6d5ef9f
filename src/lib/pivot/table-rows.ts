import type { ArrowColumns } from './arrow-columns';
import { lengthOf, numbersOf, streamOf } from './arrow-columns';
import type { Table } from './engine-types';
import { visitEntries } from './entries';
import type { Gate } from './gate';
import type { Engine } from './perspective';
import { RowsError } from './rows';
import { columnAt, rowsAt } from './rows-at';

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

/**
 * The rows of the engine's table, which are kept as the columns that they came in: so it is known what is
 * there, and all rows can be loaded anew.
 *
 * The engine gives the places that rows have left to rows that come, and looks for each from the start of a
 * list that grows to the most places that were ever free, and never shrinks. So if many rows go, those that
 * stay are loaded anew instead, which leaves no such place; and if the search for rows that come would take
 * longer than that (docs/decisions/0031-places-that-rows-leave.md).
 */
export class TableRows {
  private parts: Part[] = [];
  private columnCount = 0;
  private free = 0;
  private mostFree = 0;
  /** Ends when nothing changes the table. */
  private changing: Promise<unknown> = Promise.resolve();

  /** @param gate is closed while the table has only some of its rows */
  constructor(
    private readonly engine: Pick<Engine, 'update'>,
    private readonly table: Table,
    private readonly index: string,
    private readonly gate: Gate,
  ) {}

  /** Notes rows that are in the table already. */
  hold(columns: ArrowColumns): void {
    if (lengthOf(columns) === 0) return;
    this.columnCount = Math.max(this.columnCount, columns.size);
    this.parts.push(new Part(columns));
  }

  /** The log entries that have rows, as their column tells. */
  get entries(): ReadonlySet<number> {
    return new Set(this.parts.flatMap(({ entries }) => entries));
  }

  /** How many rows some entries have. */
  count(isCounted: (logid: number) => boolean): number {
    return this.parts.reduce((sum, part) => sum + part.count(isCounted), 0);
  }

  /**
   * Appends rows, in one update of the engine.
   *
   * @returns whether all were loaded anew: views on the table have then all their rows closed
   * @throws RowsLostError if the engine fails while it loads them
   */
  append(columns: ArrowColumns): Promise<boolean> {
    return this.inTurn(async () => {
      const rows = lengthOf(columns);
      const there = this.count(() => true);
      if (there === 0) {
        this.hold(columns);
        await this.loadAnew(null);
        return true;
      }
      const looks = Math.min(rows, this.free) * this.mostFree;
      const values = there * this.columnCount;
      const isLoadedAnew = looks >= MANY_PLACES && looks >= PLACES_PER_VALUE * values;
      if (isLoadedAnew) await this.loadAnew(null);
      await this.engine.update(this.table, streamOf(filledOf(columns)));
      this.hold(columns);
      this.free -= Math.min(rows, this.free);
      await this.taken();
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
    return this.inTurn(async () => {
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
      await this.taken();
      return false;
    });
  }

  /** One change after the other: each begins with what the one before has left. */
  private inTurn<T>(change: () => Promise<T>): Promise<T> {
    const changed = this.changing.then(change);
    this.changing = changed.catch(() => undefined);
    return changed;
  }

  /** Empties the table and loads its rows again, without those of an entry. */
  private async loadAnew(without: number | null): Promise<void> {
    const kept: ArrowColumns[] = [];
    // One after the other, since each may take a while and much memory.
    for (const part of this.parts) kept.push(await part.without(without));
    const [first, ...others] = kept.filter((columns) => lengthOf(columns) > 0);
    await this.gate
      .during(async () => {
        await this.table.clear();
        if (first) await this.begin(first);
        for (const columns of others) {
          await this.engine.update(this.table, streamOf(filledOf(columns)));
        }
        await this.taken();
      })
      .catch((error: unknown) => {
        throw new RowsLostError(error);
      });
    this.parts = (first ? [first, ...others] : []).map((columns) => new Part(columns));
    this.free = 0;
  }

  /**
   * Loads the first rows into the emptied table. Of the rows that such a table gets first, the engine keeps
   * empty values apart from those that come later, as another group. So it gets no column that is empty in
   * all of them, and if one is empty in some, it gets a key first; loading takes twice as long then.
   */
  private async begin(columns: ArrowColumns): Promise<void> {
    const filled = filledOf(columns);
    const keys = columns.get(this.index);
    if (keys && [...filled.values()].some(({ nullCount }) => nullCount > 0)) {
      const key = new Map([[this.index, columnAt(keys, Int32Array.of(0))]]);
      await this.engine.update(this.table, streamOf(key));
      // Or the engine would take both together.
      await this.taken();
    }
    await this.engine.update(this.table, streamOf(filled));
  }

  /** Waits until the engine has done what it was given: it does so before it answers a question. */
  private async taken(): Promise<void> {
    await this.table.size();
  }
}

/** The columns that have a value: the engine takes one that is not there as empty, and has less to do. */
const filledOf = (columns: ArrowColumns): ArrowColumns =>
  new Map([...columns].filter(([, { length, nullCount }]) => nullCount < length));
