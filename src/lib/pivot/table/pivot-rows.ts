/** Adds rows to the table of a pivot, and removes them from it. */
import type { Layout, LayoutFilter } from '../../contract/stored-layout';
import type { EmptyValues } from '../grid/shown/empty-values';
import type { Grid } from '../grid/grid';
import type { TriedMark } from '../grid/marks/marks';
import { Tried } from '../grid/marks/tried';
import type { KnownDays } from '../rows/days';
import type { KnownValues } from '../rows/known-values';
import type { Origins } from '../rows/origins';
import { lengthOf, ofOneEntry } from '../rows/arrow-columns';
import type { Attributes, Side } from '../rows/attributes';
import { type AnsweredRows, fitted } from '../rows/rows';
import { noteColumnTexts } from '../rows/text-forms';
import { type Schema, withView } from '../values/engine-types';
import type { Buckets } from './buckets';
import type { PivotTable } from './pivot-table';
import type { PivotViewer } from './pivot-viewer';
import type { TableRows } from './table-rows';

/** The parts of a pivot that a change of its rows affects. */
export interface RowsParts {
  /** The column that indexes the rows. */
  index: string;
  /** Called when rows were added or removed, which makes an earlier chart outdated. */
  onShown(): void;
  table: PivotTable;
  /** All rows of the table, including derived columns. */
  rows: TableRows;
  viewer: PivotViewer;
  grid: Grid;
  /** The types of the columns that layouts can name. */
  schema: Schema;
  /** The measures and their columns by origin. */
  origins: Origins;
  /** The attributes of all rows. */
  attributes: Attributes;
  buckets: Buckets;
  /** The days of all rows. */
  days: KnownDays;
  /** The values of the dimensions in the version's own rows. */
  known: KnownValues;
  /** The columns that had an empty value in a row. */
  empty: EmptyValues;
}

/** Rows of the service, and the log entry of the first of them. */
export type EntryRows = Pick<AnsweredRows, 'logid' | 'count' | 'columns'>;

/** Adds and removes the rows on screen, including preview rows. */
export class PivotRows {
  /** The log entry of the preview rows; null if there are none. */
  private triedEntry: number | null = null;
  /** The log entry whose cells are marked; null for none. */
  private markedEntry: number | null = null;
  /** The cached {@link missingRates}; null after the rows have changed. */
  private missing: ReadonlyMap<string, number> | null = null;

  constructor(private readonly parts: RowsParts) {}

  /**
   * The number of loaded rows of the version, without those of versions in the comparison and without
   * preview rows.
   */
  get rowCount(): number {
    return this.parts.rows.count((logid) => this.isOf('own', logid));
  }

  /**
   * The number of amounts without a rate by column: those of the plan, of the reference, and of the versions in the
   * comparison, without preview rows. See {@link Attributes.missingRates}. All rows are read once after each change of
   * them.
   */
  get missingRates(): ReadonlyMap<string, number> {
    const { attributes, origins, rows } = this.parts;
    const stored = () => rows.runs((logid) => logid !== this.triedEntry);
    this.missing ??= attributes.missingRates(stored(), ({ name, measure }) => [
      { name, measure },
      ...origins.besidePlan(name, measure),
    ]);
    return this.missing;
  }

  /**
   * Appends rows in one update of the engine; the view recalculates its sums in place.
   *
   * @throws RowsError if the loaded table cannot hold them
   */
  async append(rows: EntryRows, side: Side = 'own'): Promise<void> {
    if (rows.count === 0) return;
    const { origins, attributes, index } = this.parts;
    const received = fitted(
      rows.columns,
      attributes.without(origins.loaded(this.parts.schema)),
      index,
    );
    await attributes.cover(received, side);
    const answered = attributes.extend(received);
    const extended =
      side === 'own' ? origins.extend(answered) : origins.extendOther(answered, side);
    if (lengthOf(extended) === 0) return;
    const columns = this.parts.buckets.extend(extended);
    this.parts.empty.note(columns);
    noteColumnTexts(columns);
    this.parts.days.add(columns);
    await this.parts.empty.noteExpressions(columns);
    await this.change(async () => {
      const isLoadedAnew = await this.parts.rows.append(columns);
      if (side === 'own' && rows.logid !== this.triedEntry) this.parts.known.add(answered);
      else this.parts.known.noteOthers(answered);
      return isLoadedAnew;
    });
  }

  /** Removes the rows of a log entry. */
  async removeEntry(logid: number, side: Side = 'own'): Promise<void> {
    const ofTable = side === 'own' ? logid : -logid;
    await this.change(async () => {
      const isLoadedAnew = await this.parts.rows.remove(ofTable);
      this.parts.days.remove(ofTable);
      if (side === 'own' && logid !== this.triedEntry) this.parts.known.forget();
      return isLoadedAnew;
    });
  }

  /**
   * Appends preview rows, which are not stored, as those of one entry; they replace earlier preview rows. They do
   * not belong to the version: row counts, lists of values and lists of entries leave them out
   * (docs/decisions/0018-a-preview-is-rolled-back.md).
   *
   * @param rows the rows of a preview, which have a negative `pf_logid` for each operation
   * @throws RowsError if the loaded table cannot hold them; none of them is added then
   */
  async try(rows: EntryRows): Promise<void> {
    await this.endTrial();
    const { logid, count } = rows;
    if (logid === null) return;
    this.triedEntry = logid;
    try {
      await this.append({ logid, count, columns: ofOneEntry(rows.columns, logid) });
    } catch (error) {
      await this.endTrial();
      throw error;
    }
  }

  /**
   * Marks the cells that the preview rows change. Call it again after the pivot was arranged differently.
   *
   * @param text returns the text of a changed cell
   * @returns the amount that the rows add to each cell; null if there are no preview rows any more
   */
  async markTried(text: TriedMark['text']): Promise<Tried | null> {
    const { triedEntry: logid } = this;
    if (logid === null) return null;
    const { grid, table, origins } = this.parts;
    const { config } = await grid.shown.ask(async (reader) => reader);
    const { membersOf } = grid.shown;
    const tried = await Tried.read(table, config, origins.ratios, logid, false, membersOf);
    // A later call marks the rows that have replaced these.
    if (this.triedEntry !== logid) return null;
    grid.marks.showTried({ tried, text });
    return tried;
  }

  /** Removes the preview rows, if there are any. */
  async endTrial(): Promise<void> {
    const { triedEntry } = this;
    if (triedEntry === null) return;
    this.parts.grid.marks.showTried(null);
    await this.removeEntry(triedEntry);
    this.triedEntry = null;
  }

  /** Marks the cells in which a log entry wrote an amount; null marks none. */
  async markEntry(logid: number | null): Promise<void> {
    const { grid, table, origins } = this.parts;
    this.markedEntry = logid;
    if (logid === null) return grid.marks.showWritten(null);
    const { config } = await grid.shown.ask(async (reader) => reader);
    const { membersOf } = grid.shown;
    const written = await Tried.read(table, config, origins.ratios, logid, true, membersOf);
    if (this.markedEntry === logid) grid.marks.showWritten(written);
  }

  /** Returns the number of rows of a log entry that some filters admit. */
  async countOf(logid: number, filter: readonly LayoutFilter[]): Promise<number> {
    const { table, index } = this.parts;
    const ofEntry: LayoutFilter[] = [...filter, ['pf_logid', '==', logid]];
    return withView(table, { columns: [index], filter: ofEntry }, (view) => view.num_rows());
  }

  /** Returns the log entries that wrote the loaded rows of a side. */
  entries(side: Side = 'own'): ReadonlySet<number> {
    const ids = [...this.parts.rows.entries].filter(
      (logid) => logid !== 0 && this.isOf(side, logid),
    );
    return new Set(ids.map(Math.abs));
  }

  /** Checks whether rows with a log entry are stored rows of a side. */
  isOf(side: Side, logid: number): boolean {
    if (side !== 'own') return logid < 0 && this.parts.origins.isOfVersion(side, -logid);
    // Rows without an entry have 0.
    return logid >= 0 && logid !== this.triedEntry;
  }

  /**
   * Changes the rows, and waits until the screen shows the change. Recreates the view where the engine would not
   * update it correctly: after a reload of the rows, it has lost which of its rows were open; see also
   * {@link isUpdatedWrongly}.
   *
   * @param change returns whether all rows were reloaded
   */
  private async change(change: () => Promise<boolean>): Promise<void> {
    const { grid, viewer } = this.parts;
    const changeAndShow = async (isToRecreate: boolean) => {
      const isLoadedAnew = await change();
      this.missing = null;
      // Cached reads are outdated from now on, although the grid is notified later.
      grid.invalidate();
      const layout = await viewer.read();
      if (isLoadedAnew || isToRecreate || (await this.isUpdatedWrongly(layout)))
        return viewer.refresh(layout);
      await viewer.flush();
      this.parts.onShown();
    };
    await grid.rows.whileRemade(async () => {
      const isToRecreate = await this.isUpdatedWrongly(await viewer.read());
      if (isToRecreate) await grid.whileReplaced(() => changeAndShow(true));
      else await changeAndShow(false);
    });
  }

  /**
   * Checks whether the engine would show wrong numbers after an update of a view:
   * - It separates empty values by the time at which they were added, in views that were open then; groups of
   * empty values would show outdated sums.
   * - With an expression that looks up other rows, it fails to update the view.
   */
  private isUpdatedWrongly({ expressions, group_by, split_by }: Layout): Promise<boolean> {
    const { empty, grid } = this.parts;
    if (Object.values(expressions ?? {}).some((text) => /vlookup/i.test(text)))
      return Promise.resolve(true);
    const grouping = [...(group_by ?? []), ...(split_by ?? [])];
    return empty.amongAny(new Set([...grouping, ...(grid.shown.reader?.expressions ?? [])]));
  }
}
