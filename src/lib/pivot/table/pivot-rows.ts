import type { EmptyValues } from '../grid/empty-values';
import type { Grid } from '../grid/grid';
import type { TriedMark } from '../grid/marks';
import { Tried } from '../grid/tried';
import type { KnownDays } from '../rows/days';
import type { KnownValues } from '../rows/known-values';
import type { Origins } from '../rows/origins';
import { type AnsweredRows, fitted } from '../rows/rows';
import type { Schema } from '../values/engine-types';
import type { Buckets } from './buckets';
import type { PivotTable } from './pivot-table';
import type { PivotViewer } from './pivot-viewer';
import type { TableRows } from './table-rows';

/** Whose rows: those of the pivot's own version, or those of the one that it is compared with. */
export type Side = 'own' | 'other';

/** The parts of a pivot that a change of its rows concerns. */
export interface RowsParts {
  /** The column the rows are indexed on. */
  index: string;
  /** Rows came or went: a chart that was read before is old. */
  onShown(): void;
  table: PivotTable;
  /** All rows of the table, with the columns that are made. */
  rows: TableRows;
  viewer: PivotViewer;
  grid: Grid;
  /** The types of the columns that layouts speak of. */
  schema: Schema;
  /** The measures, and their parts by origin. */
  origins: Origins;
  buckets: Buckets;
  /** The days of all rows. */
  days: KnownDays;
  /** The values of the dimensions in the version's own rows. */
  known: KnownValues;
  /** The columns that have been empty in a row. */
  empty: EmptyValues;
}

/** The rows on screen: what is appended and removed, and which rows are only tried. */
export class PivotRows {
  /** The log entry that rows which are tried, and not written, tell; null if none are. */
  private triedEntry: number | null = null;

  constructor(private readonly parts: RowsParts) {}

  /**
   * How many rows of the version are loaded; those of another one that it is compared with do not count,
   * and neither do those that are only tried.
   */
  get rowCount(): number {
    return this.parts.rows.count((logid) => this.isOf('own', logid));
  }

  /**
   * Appends rows, in one update of the engine; the view re-sums them in place.
   *
   * @throws RowsError if the loaded table cannot hold them
   */
  async append(rows: AnsweredRows, side: Side = 'own'): Promise<void> {
    if (rows.count === 0) return;
    const { origins } = this.parts;
    const answered = fitted(rows.columns, origins.loaded(this.parts.schema), this.parts.index);
    const extended = side === 'own' ? origins.extend(answered) : origins.extendOther(answered);
    const columns = this.parts.buckets.extend(extended);
    this.parts.empty.note(columns);
    this.parts.days.add(columns);
    await this.parts.empty.noteExpressions(columns);
    await this.parts.grid.whileRemade(async () => {
      const isLoadedAnew = await this.parts.rows.append(columns);
      if (side === 'own' && rows.logid !== this.triedEntry) this.parts.known.add(answered);
      await this.settle(isLoadedAnew);
    });
  }

  /** Removes the rows of a log entry. */
  async removeEntry(logid: number, side: Side = 'own'): Promise<void> {
    const ofTable = side === 'own' ? logid : -logid;
    await this.parts.grid.whileRemade(async () => {
      const isLoadedAnew = await this.parts.rows.remove(ofTable);
      this.parts.days.remove(ofTable);
      if (side === 'own' && logid !== this.triedEntry) this.parts.known.forget();
      await this.settle(isLoadedAnew);
    });
  }

  /**
   * Appends rows that are not written, and marks the cells that they change. They are no rows of the
   * version: no count, no list of values and no list of entries has them
   * (docs/decisions/0028-what-is-tried-is-on-screen-only.md).
   *
   * @param rows the rows of a preview, which carry a negative `pf_logid`
   * @param text what a cell says that changes
   * @returns how much the rows add to each cell
   * @throws RowsError if the loaded table cannot hold them; none of them is in it then
   */
  async try(rows: AnsweredRows, text: TriedMark['text']): Promise<Tried> {
    const logid = rows.logid ?? NaN;
    this.triedEntry = logid;
    try {
      await this.append(rows);
      const { config } = await this.parts.grid.shown.ask(async (reader) => reader);
      const tried = await Tried.read(this.parts.table, config, this.parts.origins.ratios, logid);
      this.parts.grid.marks.showTried({ tried, text });
      return tried;
    } catch (error) {
      await this.endTrial();
      throw error;
    }
  }

  /** Takes out the rows that are tried, if there are any. */
  async endTrial(): Promise<void> {
    const { triedEntry } = this;
    if (triedEntry === null) return;
    this.parts.grid.marks.showTried(null);
    await this.removeEntry(triedEntry);
    this.triedEntry = null;
  }

  /** The log entries that the loaded rows of a side come from. */
  entries(side: Side = 'own'): ReadonlySet<number> {
    const ids = [...this.parts.rows.entries].filter(
      (logid) => logid !== 0 && this.isOf(side, logid),
    );
    return new Set(ids.map(Math.abs));
  }

  /** Whether rows that tell a log entry are written rows of a side. */
  isOf(side: Side, logid: number): boolean {
    // Rows that tell no entry have 0.
    return logid >= 0 === (side === 'own') && logid !== this.triedEntry;
  }

  /**
   * Waits until the screen has a change. A view of rows that were loaded anew has forgotten which of its rows
   * were open, and is made anew. The engine keeps empty values apart by when they came, in
   * views that were open then: such a view is made anew, or groups of nothing would show stale sums.
   * So is one with an expression that looks up other rows: the engine then fails to bring the change.
   */
  private async settle(isLoadedAnew: boolean): Promise<void> {
    // What was read before is old now, though the grid is told later.
    this.parts.grid.invalidate();
    const layout = await this.parts.viewer.read();
    const looksUp = Object.values(layout.expressions ?? {}).some((text) => /vlookup/i.test(text));
    if (isLoadedAnew || looksUp) return this.parts.viewer.refresh(layout);
    const grouping = [...(layout.group_by ?? []), ...(layout.split_by ?? [])];
    const names = new Set([...grouping, ...(this.parts.grid.shown.reader?.expressions ?? [])]);
    if (await this.parts.empty.amongAny(names)) await this.parts.viewer.refresh(layout);
    else {
      await this.parts.viewer.flush();
      this.parts.onShown();
    }
  }
}
