import { createContext } from 'svelte';
import * as api from '../client/api';
import { ApiError } from '../client/api';
import type { ColumnEntry } from '../contract/columns';
import { hasGrain } from '../contract/columns';
import type { LogAnswer, LogListEntry } from '../contract/log';
import {
  OPERATIONS,
  type OperationAnswer,
  type Slice,
  type SliceOperation,
  type SlicePreview,
  type SliceRequests,
} from '../contract/operations';
import type { Scalar } from '../contract/primitives';
import type { Source } from '../contract/sources';
import type { Version } from '../contract/versions';
import type { GridTarget } from '../pivot/grid';
import type { Layout, LayoutFilter } from '../pivot/layout-config';
import type { Pivot } from '../pivot/pivot';
import { asTable } from '../pivot/clipboard';
import { RowsError } from '../pivot/rows';
import type { NotHeld } from '../pivot/slice';
import { mergeSlices, unmarkedDimensions } from '../pivot/slice';
import type { Progress } from './stream';
import { readDownload, TooLargeError } from './stream';
import type { ReadCell } from '../pivot/view-reader';

/** Where the page is: exactly one of these is on screen. */
export type Phase =
  | { kind: 'loading'; step: 'rows' | 'engine'; progress: Progress | null }
  | { kind: 'ready' }
  | { kind: 'empty' }
  | { kind: 'failed'; reason: string; retry: boolean };

/** What is selected: the cells clicked and the slice they make, or a slice changed by hand. */
export interface Selection {
  cells: ReadCell[];
  slice: Slice;
  notHeld: NotHeld[];
  unmarked: string[];
  impossible: string | null;
}

/** An operation as the panel sends it; slice and user are the session's. */
export type Operation = {
  [O in SliceOperation]: { kind: O; body: Omit<SliceRequests[O], 'slice' | 'pf_user'> };
}[SliceOperation];

/** What was written: the new log entry's id, and how many rows came back. */
export interface Written {
  logid: number | null;
  rows: number;
}

/** The non-blocking banner's limit (docs/contract/10-authentication-and-limits.md#limits). */
const LARGE_ROWS = 500_000;
const PREVIEW_DELAY_MS = 120;

/**
 * One version open in the pivot: what is loaded, selected and logged, and everything the page can
 * do with it. Components read it from context and call its methods.
 */
export class ForecastSession {
  version = $state.raw<Version>() as Version;
  phase = $state.raw<Phase>({ kind: 'loading', step: 'rows', progress: null });
  /** Rows in the loaded table, where the service told. */
  loadedRows = $state.raw<number | null>(null);
  /** The grain's SQL is not generated yet, so single rows were loaded. */
  fellBack = $state.raw(false);
  /** What the saved layout names and this version does not have. */
  missing = $state.raw<readonly string[]>([]);
  /** Why the page should be reloaded: what it shows no longer is what is stored. */
  stale = $state.raw<string | null>(null);

  selection = $state.raw<Selection | null>(null);
  preview = $state.raw<SlicePreview | null>(null);
  previewFailure = $state.raw<string | null>(null);
  previewing = $state.raw(false);

  log = $state.raw<LogAnswer | null>(null);
  logFailure = $state.raw<string | null>(null);
  /** The log entry whose rows alone are shown. */
  isolated = $state.raw<LogListEntry | null>(null);

  /** What runs now; null while nothing does. */
  busy = $state.raw<string | null>(null);
  /** Which plugin shows the rows: the grid, or a chart. */
  shownAs = $state.raw('Datagrid');
  settingsOpen = $state.raw(false);

  readonly large = $derived(this.loadedRows !== null && this.loadedRows >= LARGE_ROWS);
  readonly closed = $derived(this.version.status === 'closed');
  /** The columns an operation may select and set. */
  readonly dimensions: ColumnEntry[];
  readonly valueColumn: ColumnEntry | undefined;
  readonly unitsColumn: ColumnEntry | undefined;
  /** The measures as people call them. */
  readonly measureNames: { value: string | undefined; units: string | undefined };

  /** A sentence saying why no operation can run now; null where one can. */
  readonly obstacle = $derived.by(() => {
    if (this.closed) return 'This version is closed: it can be read, not changed.';
    if (!this.selection) return 'Select a cell first.';
    if (this.selection.impossible) return this.selection.impossible;
    const [unmarked] = this.selection.unmarked;
    if (unmarked !== undefined) {
      return `“${this.nameOf(unmarked)}” may not select rows: this source marks other columns as keys. Remove it from the selection, or group by a key.`;
    }
    return null;
  });

  private pivot: Pivot | null = null;
  private host: HTMLElement | null = null;
  private dark = false;
  private loading: AbortController | null = null;
  private previewTimer: ReturnType<typeof setTimeout> | undefined;
  private previewCall: AbortController | null = null;
  private waitingForTotals: (() => void)[] = [];
  private filterBefore: LayoutFilter[] | null = null;
  private isolating: Promise<void> = Promise.resolve();
  private cursor: GridTarget | null = null;
  private reading = 0;
  /** Entries written from this page, newest last: what Ctrl+Z takes back. */
  private written: number[] = [];

  constructor(
    version: Version,
    readonly source: Source,
    readonly columns: ColumnEntry[],
  ) {
    this.version = version;
    this.dimensions = columns.filter((c) => c.role === 'dimension' || c.role === 'date');
    this.valueColumn = columns.find((c) => c.role === 'value');
    this.unitsColumn = columns.find((c) => c.role === 'units');
    this.measureNames = {
      value: this.valueColumn && this.nameOf(this.valueColumn.cname),
      units: this.unitsColumn && this.nameOf(this.unitsColumn.cname),
    };
  }

  /** A column as people call it. */
  nameOf(cname: string): string {
    return this.columns.find((c) => c.cname === cname)?.label || cname;
  }

  /** Loads the rows into a pivot inside `host`. Never throws: what failed becomes the phase. */
  async open(host: HTMLElement, dark: boolean): Promise<void> {
    this.host = host;
    this.dark = dark;
    await Promise.all([this.load(), this.readLog()]);
  }

  /** Loads everything again: after a failure, or where the page no longer shows what is stored. */
  async reload(): Promise<void> {
    const layout = this.pivot ? await this.pivot.layout().catch(() => null) : null;
    this.stale = null;
    this.clearSelection();
    this.version = await api.getVersion(this.version.id).catch(() => this.version);
    await Promise.all([this.load(layout), this.readLog()]);
  }

  /** Ends downloads and frees the engine's memory. */
  async dispose(): Promise<void> {
    this.loading?.abort();
    this.previewCall?.abort();
    clearTimeout(this.previewTimer);
    const { pivot } = this;
    this.pivot = null;
    await pivot?.dispose();
  }

  private async load(layout: Layout | null = null): Promise<void> {
    this.loading?.abort();
    const call = new AbortController();
    this.loading = call;
    this.phase = { kind: 'loading', step: 'rows', progress: null };
    try {
      await this.pivot?.dispose();
      this.pivot = null;
      // The engine starts while the rows arrive; where it cannot, showing them will say so.
      import('../pivot/pivot').then(
        ({ Pivot }) => Pivot.prepare(),
        () => undefined,
      );
      const { bytes, index, rows } = await this.download(call.signal);
      this.loadedRows = rows;
      if (bytes === null) {
        this.phase = { kind: 'empty' };
        return;
      }
      this.phase = { kind: 'loading', step: 'engine', progress: null };
      await this.show(bytes, index, layout, call.signal);
    } catch (error) {
      if (call.signal.aborted) return;
      this.phase = {
        kind: 'failed',
        reason: sentence(error),
        retry: !(error instanceof TooLargeError),
      };
    }
  }

  private async download(signal: AbortSignal) {
    const onProgress = (progress: Progress) => {
      if (!signal.aborted) this.phase = { kind: 'loading', step: 'rows', progress };
    };
    this.fellBack = false;
    if (hasGrain(this.columns)) {
      try {
        const response = await api.loadRows(this.version.id, 'agg', { signal });
        return {
          ...(await readDownload(response, 'text', onProgress)),
          index: 'pf_gkey' as const,
        };
      } catch (error) {
        if (!(error instanceof ApiError) || error.status !== 404) throw error;
        this.fellBack = true;
      }
    }
    const response = await api.loadRows(this.version.id, 'data', { signal });
    return { ...(await readDownload(response, 'number', onProgress)), index: 'pf_id' as const };
  }

  private async show(
    bytes: ArrayBuffer,
    index: 'pf_id' | 'pf_gkey',
    layout: Layout | null,
    signal: AbortSignal,
  ): Promise<void> {
    const { Pivot } = await import('../pivot/pivot');
    const pivot = await Pivot.open(bytes, {
      host: this.host as HTMLElement,
      index,
      columns: this.columns,
      dark: this.dark,
      onTarget: (target, add) => void this.select(target, add),
      onLayout: () => this.onLayout(),
      onSettings: (open) => (this.settingsOpen = open),
    });
    try {
      const saved = layout ?? (this.source.default_layout as Layout | null);
      if (!signal.aborted) await this.applyLayout(pivot, saved);
    } catch (error) {
      await pivot.dispose();
      throw error;
    }
    if (signal.aborted) return pivot.dispose();
    this.pivot = pivot;
    this.phase = { kind: 'ready' };
  }

  /** Shows a saved layout, or one made from the metadata where there is none or it does not fit. */
  private async applyLayout(pivot: Pivot, saved: Layout | null): Promise<void> {
    this.missing = [];
    if (saved) {
      try {
        this.missing = await pivot.apply(saved);
        this.shownAs = saved.plugin ?? 'Datagrid';
        this.shape = shapeOf(await pivot.layout());
        return;
      } catch {
        // A layout that the engine refuses must not keep the version from being seen.
      }
    }
    await pivot.apply(pivot.defaultLayout());
    this.shownAs = 'Datagrid';
    this.shape = shapeOf(await pivot.layout());
  }

  // Layout

  /** Keeps what is shown now as the source's default for everyone. */
  async saveLayout(): Promise<void> {
    if (!this.pivot) return;
    const layout = await this.pivot.layout();
    if (this.isolated) layout.filter = this.filterBefore ?? [];
    const source = await api.editSource(this.source.id, {
      default_layout: layout as Record<string, unknown>,
    });
    this.source.default_layout = source.default_layout;
  }

  /** Back to the source's default layout, or (`automatic`) to one made from the metadata. */
  async resetLayout(automatic = false): Promise<void> {
    if (!this.pivot) return;
    this.isolated = null;
    this.clearSelection();
    await this.applyLayout(
      this.pivot,
      automatic ? null : (this.source.default_layout as Layout | null),
    );
  }

  async showAs(plugin: string): Promise<void> {
    this.shownAs = plugin;
    if (plugin !== 'Datagrid') this.clearSelection();
    await this.pivot?.showAs(plugin);
  }

  async toggleSettings(): Promise<void> {
    await this.pivot?.toggleSettings(!this.settingsOpen);
  }

  async setDark(dark: boolean): Promise<void> {
    this.dark = dark;
    await this.pivot?.setDark(dark);
  }

  async setDepth(depth: number): Promise<void> {
    await this.pivot?.setDepth(depth);
  }

  /** The columns that the rows are grouped by, the outermost first. */
  async levels(): Promise<string[]> {
    return (await this.pivot?.layout())?.group_by ?? [];
  }

  /** The user has changed what the pivot shows. */
  private async onLayout(): Promise<void> {
    const layout = await this.pivot?.layout();
    if (!layout) return;
    this.shownAs = layout.plugin ?? 'Datagrid';
    const { isolated } = this;
    const stillIsolated = layout.filter?.some(
      ([column, , term]) => column === 'pf_logid' && term === isolated?.id,
    );
    if (isolated && !stillIsolated) {
      this.isolated = null;
      this.filterBefore = null;
    }
    const shape = shapeOf(layout);
    // A cell of the same place would stand for other rows than the slice that was read from it.
    if (shape !== this.shape) this.clearSelection();
    else if (this.selection) this.pivot?.mark(this.selection.cells);
    this.shape = shape;
  }

  /** What the slices of cells depend on, as it was when the layout was last applied or changed. */
  private shape = '';

  // Selection

  /** Where the cells that were selected on this page were, by their keys. Nothing is drawn from it. */
  // eslint-disable-next-line svelte/prefer-svelte-reactivity
  private readonly targets = new Map<string, GridTarget>();

  /**
   * Selects a cell, or with `add` adds it to the selection or takes it out again. Where that cannot
   * be, {@link onRefusal} is told why.
   */
  async select(target: GridTarget, add: boolean): Promise<void> {
    if (!this.pivot) return;
    this.cursor = target;
    const turn = ++this.reading;
    let cell: ReadCell;
    try {
      cell = await this.pivot.read(target, this.columns);
    } catch (error) {
      if (turn === this.reading) this.onRefusal?.(sentence(error));
      return;
    }
    if (turn !== this.reading) return;
    this.targets.set(cellKey(cell), target);

    const before = add ? (this.selection?.cells ?? []) : [];
    const isSame = (other: ReadCell) => cellKey(other) === cellKey(cell);
    const cells = before.some(isSame) ? before.filter((c) => !isSame(c)) : [...before, cell];
    if (cells.length === 0) {
      this.clearSelection();
      return;
    }
    const slice = mergeSlices(cells.map((c) => c.slice));
    if (!slice) {
      this.onRefusal?.('Cells can be added where they differ in one column only.');
      return;
    }
    this.setSelection({
      cells,
      slice,
      notHeld: distinctNotHeld(cells.flatMap((c) => c.notHeld)),
      unmarked: unmarkedDimensions(slice, this.columns),
      impossible: cells.find((c) => c.impossible)?.impossible ?? null,
    });
  }

  /** Told what could not be selected; set by the page. */
  onRefusal: ((sentence: string) => void) | null = null;

  /** Moves the selection from cell to cell; onto the row headers left of the first column. */
  async moveSelection(dx: number, dy: number, add = false): Promise<void> {
    if (!this.pivot) return;
    const { columns, rows } = await this.pivot.extent();
    if (columns === 0 || rows === 0) return;
    const from = this.cursor ?? { x: 0, y: -1 };
    const x = Math.min(columns - 1, (from.x ?? -1) + dx);
    const y = Math.max(0, Math.min(rows - 1, from.y + dy));
    const target = { x: x < 0 ? null : x, y };
    this.pivot.scrollTo(target);
    await this.select(target, add);
  }

  /** Opens or closes the row of the cursor. */
  async toggleRow(): Promise<void> {
    if (this.cursor) await this.pivot?.toggleRow(this.cursor.y);
  }

  /** Takes one column out of the slice: the selection then reaches further than the cells did. */
  removeFromSlice(column: string): void {
    if (!this.selection) return;
    const { [column]: _, ...slice } = this.selection.slice;
    this.setSelection({
      cells: [],
      slice,
      notHeld: this.selection.notHeld,
      unmarked: unmarkedDimensions(slice, this.columns),
      impossible: null,
    });
    this.showReach(slice);
  }

  clearSelection(): void {
    this.selection = null;
    this.preview = null;
    this.previewFailure = null;
    this.endPreview();
    this.previewCall?.abort();
    clearTimeout(this.previewTimer);
    this.pivot?.mark([]);
    this.showReach(null);
  }

  private setSelection(selection: Selection): void {
    // Totals of another slice would be taken for those of this one.
    if (JSON.stringify(this.selection?.slice) !== JSON.stringify(selection.slice)) {
      this.preview = null;
    }
    this.selection = selection;
    this.pivot?.mark(selection.cells);
    this.showReach(null);
    this.askPreview(PREVIEW_DELAY_MS);
  }

  /** What an operation would touch; asked from the service, so that it holds other people's work. */
  private askPreview(delay: number): void {
    this.previewCall?.abort();
    clearTimeout(this.previewTimer);
    this.previewFailure = null;
    const { selection } = this;
    if (!selection || selection.impossible || selection.unmarked.length > 0) {
      this.preview = null;
      this.endPreview();
      return;
    }
    this.previewing = true;
    const call = new AbortController();
    this.previewCall = call;
    this.previewTimer = setTimeout(
      () => void this.readPreview(selection.slice, call.signal),
      delay,
    );
  }

  private async readPreview(slice: Slice, signal: AbortSignal): Promise<void> {
    try {
      const preview = await api.previewSlice(this.version.id, slice, { signal });
      if (signal.aborted) return;
      this.preview = preview;
    } catch (error) {
      if (signal.aborted) return;
      this.preview = null;
      this.previewFailure = sentence(error);
    }
    this.endPreview();
  }

  private endPreview(): void {
    this.previewing = false;
    for (const waiting of this.waitingForTotals.splice(0)) waiting();
  }

  /** Adds up what is selected again, as it is now. */
  readTotals(): Promise<void> {
    this.askPreview(0);
    return this.totalsRead();
  }

  /** Waits until the totals are those of what is selected. */
  totalsRead(): Promise<void> {
    return this.previewing
      ? new Promise((resolve) => this.waitingForTotals.push(resolve))
      : Promise.resolve();
  }

  /**
   * Whether the cell on screen and the service differ about its sum: someone else has changed the
   * version since it was loaded. Null while that cannot be told.
   */
  readonly differs = $derived.by(() => {
    const cell = this.selection?.cells.length === 1 ? this.selection.cells[0] : undefined;
    const { preview } = this;
    // Between a change and the totals after it, the two speak of different moments.
    if (this.busy || this.previewing) return null;
    if (!cell || !preview || cell.value === null || cell.notHeld.length > 0) return null;
    const isValue = cell.measure === this.valueColumn?.cname;
    if (!isValue && cell.measure !== this.unitsColumn?.cname) return null;
    if (cell.aggregate !== 'sum') return null;
    const stored = isValue
      ? (preview.value_total ?? 0) + (preview.excluded.value_total ?? 0)
      : (preview.units_total ?? 0) + (preview.excluded.units_total ?? 0);
    return Math.abs(stored - cell.value) > 0.005 + Math.abs(stored) * 1e-9;
  });

  // Operations

  /**
   * Runs an operation on the selection and appends what it wrote.
   *
   * @throws ApiError with the service's sentence; nothing was written then
   */
  async apply(operation: Operation, pf_user: string): Promise<Written> {
    const { selection } = this;
    if (!selection || this.obstacle)
      throw new ApiError(400, this.obstacle ?? 'Select a cell first.');
    const { progressive } = OPERATIONS[operation.kind].verbs;
    return this.run(`${progressive} …`, async () => {
      const rows = await this.send(operation, selection.slice, pf_user);
      const logid = rows.map((row) => row.pf_logid).find((id) => typeof id === 'number') ?? null;
      if (typeof logid === 'number') this.written.push(logid);
      await this.take((pivot) => pivot.append(rows));
      this.askPreview(0);
      void this.readLog();
      return { logid: typeof logid === 'number' ? logid : null, rows: rows.length };
    });
  }

  /** The body that {@link apply} would send; for showing it. */
  payload(operation: Operation, pf_user: string): Record<string, unknown> {
    return { slice: this.selection?.slice ?? {}, ...operation.body, pf_user };
  }

  /**
   * Undoes a log entry and removes its rows; nothing else moves.
   *
   * @returns how many stored rows went
   * @throws ApiError with the service's sentence; nothing was undone then
   */
  async undo(logid: number): Promise<number> {
    return this.run('Undoing …', async () => {
      const answer = await api.undo(logid).catch((error: unknown) => {
        if (!(error instanceof ApiError) || error.status !== 404) throw error;
        this.written = this.written.filter((id) => id !== logid);
        this.stale = 'Someone else has undone a change that is still on screen.';
        void this.readLog();
        throw new ApiError(404, 'Someone else has already undone this change.');
      });
      this.written = this.written.filter((id) => id !== logid);
      await this.take(async (pivot) => {
        if (this.isolated?.id === logid) await this.isolate(null);
        const loadedByGrain = pivot.index === 'pf_gkey';
        if ('pf_gkeys' in answer === loadedByGrain) {
          await pivot.remove('pf_gkeys' in answer ? answer.pf_gkeys : answer.pf_ids);
        } else {
          this.stale = 'The display grain of this source has changed since this page loaded it.';
        }
      });
      if (this.loadedRows === 0) await this.reload();
      this.askPreview(0);
      void this.readLog();
      return answer.rows_deleted;
    });
  }

  /** The newest entry written from this page; what Ctrl+Z takes back. */
  get lastWritten(): number | null {
    return this.written.at(-1) ?? null;
  }

  private send(operation: Operation, slice: Slice, pf_user: string): Promise<OperationAnswer> {
    const { id } = this.version;
    return api.operate(id, operation.kind, { ...operation.body, slice, pf_user });
  }

  private async run<T>(what: string, work: () => Promise<T>): Promise<T> {
    if (this.busy) throw new ApiError(409, 'Wait until the last change is through.');
    this.busy = what;
    try {
      return await work();
    } catch (error) {
      if (error instanceof ApiError && error.status === 403) {
        this.version = await api.getVersion(this.version.id).catch(() => this.version);
      }
      throw error;
    } finally {
      this.busy = null;
    }
  }

  /** Brings a saved change to the screen; where that fails, says that it is saved all the same. */
  private async take(change: (pivot: Pivot) => Promise<void>): Promise<void> {
    const { pivot } = this;
    if (!pivot) return;
    try {
      await change(pivot);
      this.loadedRows = await pivot.rowCount();
      await this.readSelectionAgain();
    } catch (error) {
      this.stale =
        error instanceof RowsError
          ? error.message
          : 'The change is saved, but this page could not show it.';
    }
  }

  /** After a change: the sums of the selected cells as they are now; none for a cell that has moved. */
  private async readSelectionAgain(): Promise<void> {
    const { pivot, selection } = this;
    if (!pivot || !selection) return;
    const cells = await Promise.all(
      selection.cells.map(async (cell) => {
        const key = cellKey(cell);
        const before = this.targets.get(key);
        const isThere = async (target: GridTarget | null | undefined) => {
          const now = target && (await pivot.read(target, this.columns).catch(() => undefined));
          return now && cellKey(now) === key ? now : undefined;
        };
        const there = await isThere(before);
        if (there) return { ...cell, value: there.value };
        // Rows and columns move when others open, close, come or go.
        const moved = await pivot.find(cell);
        if (moved) this.targets.set(key, moved);
        if (moved && this.cursor === before) this.cursor = moved;
        return { ...cell, value: (await isThere(moved))?.value ?? null };
      }),
    );
    if (this.selection === selection) this.selection = { ...selection, cells };
  }

  // Log

  async readLog(): Promise<void> {
    try {
      this.log = await api.listLog(this.version.id);
      this.logFailure = null;
    } catch (error) {
      this.logFailure = sentence(error);
    }
  }

  /** @throws ApiError with the service's sentence; the note is as it was then */
  async editNote(logid: number, note: string): Promise<void> {
    const entry = await api.editNote(logid, note === '' ? null : note);
    if (!this.log) return;
    this.log = {
      ...this.log,
      entries: this.log.entries.map((e) => (e.id === logid ? { ...e, note: entry.note } : e)),
    };
  }

  /** Marks the cells an entry's slice reaches; null marks none. */
  showReach(slice: Slice | null): void {
    // The rows may have changed since; the next one asked for marks anew.
    void this.pivot?.showReach(slice).catch(() => undefined);
  }

  /** Shows only what an entry wrote; null shows everything again. One after the other, as asked. */
  isolate(entry: LogListEntry | null): Promise<void> {
    const done = this.isolating.then(() => this.isolateNow(entry));
    this.isolating = done.catch(() => undefined);
    return done;
  }

  private async isolateNow(entry: LogListEntry | null): Promise<void> {
    if (!this.pivot) return;
    this.clearSelection();
    if (entry) {
      if (!this.isolated) this.filterBefore = (await this.pivot.layout()).filter ?? [];
      this.isolated = entry;
      await this.pivot.filter([['pf_logid', '==', entry.id]]);
    } else {
      this.isolated = null;
      await this.pivot.filter(this.filterBefore ?? []);
      this.filterBefore = null;
    }
    this.shape = shapeOf(await this.pivot.layout());
  }

  // Values for recode and clone

  /** Values to offer for a column: the loaded ones where it is loaded, else the source's. */
  async valuesOf(column: string, search: string): Promise<(string | null)[]> {
    const loaded = await this.pivot?.values(column, search, 50);
    if (loaded)
      return loaded.map((value: Scalar | null) => (value === null ? null : String(value)));
    const { values } = await api.listColumnValues(this.source.id, column, search, { limit: 50 });
    return values.map(({ value }) => value);
  }

  // Copy

  /** The whole pivot as text for a spreadsheet. */
  async copyAll(): Promise<string> {
    return (await this.pivot?.copyAll()) ?? '';
  }

  /** The selected cells with their headers as text for a spreadsheet. */
  copySelection(): string {
    const { pivot, selection } = this;
    if (!pivot || !selection) return '';
    return asTable(
      selection.cells.map((cell) => ({ ...pivot.headersOf(cell), value: cell.value })),
    );
  }

  focusGrid(): void {
    this.pivot?.focus();
  }
}

export const [getSession, setSession] = createContext<ForecastSession>();

const shapeOf = ({ group_by, split_by, filter, filter_op, expressions }: Layout) =>
  JSON.stringify([
    group_by ?? [],
    split_by ?? [],
    filter ?? [],
    filter_op ?? 'and',
    expressions ?? {},
  ]);

const cellKey = ({ rowPath, columnPaths, measure }: ReadCell) =>
  JSON.stringify([rowPath, columnPaths, measure]);

function distinctNotHeld(all: readonly NotHeld[]): NotHeld[] {
  return [...new Map(all.map((one) => [`${one.kind} ${one.text}`, one])).values()];
}

/** What to tell a person about an error. */
function sentence(error: unknown): string {
  if (error instanceof ApiError || error instanceof RowsError || error instanceof TooLargeError) {
    return error.message;
  }
  return error instanceof Error && error.message
    ? `The pivot could not do that: ${error.message}`
    : 'The pivot could not do that.';
}
