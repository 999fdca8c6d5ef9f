import type { LayoutSort } from '../contract/stored-layout';
import type { CellIdentity, CellPosition, ReadCell } from './cell';
import { copyCells, copyView } from './clipboard';
import { tidy } from './cell-value';
import type { CellValue, GridPlugin, Table } from './engine-types';
import { headOf, label } from './labels';
import { Marks } from './marks';
import type { Origins } from './origins';
import { isGone, Shown } from './shown';
import type { SliceColumn } from './slice';

/** The width of a tree row's +/− icon: there the grid itself takes the click. */
const ICON_WIDTH = 26;

const GRID_CSS = `
regular-table { outline-offset: -2px; }
regular-table:focus-visible { outline: 2px solid var(--pf-focus); }
regular-table td, regular-table tbody th { cursor: cell; }
/* The grid sizes its header by the rows of the deepest level, which are not there while all are closed. */
regular-table tbody th.psp-tree-label { max-width: 24rem; }
/* A long label is cut off, so that the numbers stay in sight; blanks in it count. */
regular-table th { max-width: 24rem; overflow: hidden; text-overflow: ellipsis; white-space: pre; }
/* The press is felt at once; the mark follows when the cell is read. */
regular-table td:active { outline: 2px dotted var(--pf-focus); outline-offset: -2px; }
regular-table td.pf-hint, regular-table tbody th.pf-hint { background-color: var(--pf-hint) !important; }
regular-table td.pf-tried { background-color: var(--pf-tried) !important; font-weight: 600; }
regular-table td.pf-glow { animation: pf-glow 2s ease-out; }
@keyframes pf-glow { from { background-color: var(--pf-hint); } }
regular-table td.pf-locked {
  background-image: repeating-linear-gradient(135deg, var(--pf-locked) 0 1px, transparent 1px 6px);
}
regular-table td.pf-locked { position: relative; }
regular-table td.pf-locked::before {
  content: '';
  position: absolute;
  top: 2px;
  left: 1px;
  width: 7px;
  height: 8px;
  background: var(--pf-lock);
  clip-path: path(evenodd, 'M1 4V3a2 2 0 0 1 5 0v1h1v5H0V4zM2 4h3V3a1 1 0 0 0-3 0z');
}
regular-table td.pf-selected, regular-table th.pf-selected {
  background-color: var(--pf-selected) !important;
  outline: 2px solid var(--pf-focus);
  outline-offset: -2px;
}
`;

/** A row that adds up others: its groups, none for the total of all, and a number of it. */
export interface TotalRow {
  rowPath: readonly CellValue[];
  labels: readonly string[];
  value: number | null;
}

/**
 * The datagrid as this product needs it. It shows every group under its own label, keeps rows open or
 * closed when the engine replaces its view, tells which cell was clicked, and marks cells.
 */
export class Grid {
  readonly marks: Marks;
  /** The view on screen, as the grid shows it. */
  readonly shown: Shown;

  /**
   * @param origins the measures by origin: which are painted from others, which are another version's
   * @param sort the viewer's sort: a view does not tell its own completely
   * @param onTarget is told which cell or header was clicked and where it was, null for one that is just
   * being drawn anew; `add` with Ctrl held
   * @param onRows is told after rows were opened or closed
   */
  constructor(
    private readonly plugin: GridPlugin,
    table: Table,
    origins: Pick<Origins, 'ratios' | 'ofOther'>,
    sort: () => Promise<LayoutSort[]>,
    private readonly onTarget: (cell: CellIdentity | null, at: CellPosition, add: boolean) => void,
    private readonly onRows: () => void,
  ) {
    this.shown = new Shown(table, origins.ratios, sort, onRows);
    this.marks = new Marks(this.shown, plugin.regular_table, origins.ofOther);
    this.takeOver();
    this.listen();
  }

  /**
   * A cell, typed, with the slice behind it.
   *
   * @param near where it was last seen
   * @throws Error if the pivot is not shown as a grid, or has no such cell any more
   */
  async read(
    cell: CellIdentity,
    columns: readonly SliceColumn[],
    near: CellPosition | null,
  ): Promise<ReadCell> {
    return this.shown.ask((reader) => reader.read(cell, columns, near));
  }

  /** @throws Error if there is no such cell */
  async identityAt(position: CellPosition): Promise<CellIdentity> {
    return this.shown.ask((reader) => reader.identityAt(position));
  }

  /** Forgets what was read of the table: rows came or went. */
  invalidate(): void {
    this.shown.reader?.invalidate();
    this.marks.invalidate();
  }

  /** How many rows and columns the grid has now. */
  async extent(): Promise<{ columns: number; rows: number }> {
    const rows = await this.shown.ask((_, view) => view.num_rows());
    return { columns: this.shown.labels.length, rows };
  }

  /** The total rows that are open now, with their numbers in the column of a cell. */
  async totalRows({ columnPath, measure }: CellIdentity): Promise<TotalRow[]> {
    return this.shown.ask(async (reader, view) => {
      const { group_by } = reader.config;
      if (group_by.length === 0) return [];
      const at = await reader.find({ rowPath: [], columnPath, measure });
      if (!at || at.x === null) return [];
      const rows = { start_row: 0, end_row: await view.num_rows() };
      const [paths, values] = await Promise.all([
        reader.rowPaths(rows.start_row, rows.end_row),
        reader.columnValues(at.x, rows),
      ]);
      const styles = group_by.map((name) => this.shown.styleOf(name));
      return paths.flatMap((rowPath, y): TotalRow[] => {
        const value = values[y];
        if (rowPath.length === group_by.length) return [];
        const labels = rowPath.map((part, i) => label(part, styles[i]));
        return [{ rowPath, labels, value: typeof value === 'number' ? tidy(value) : null }];
      });
    });
  }

  /** Opens all rows to a depth: 0 shows the first level only. */
  async setDepth(depth: number): Promise<void> {
    const { view, expansion } = this.shown;
    if (!view) return expansion.setDepth(depth);
    await this.shown.displayed(view).set_depth(depth);
    await this.plugin.update(view);
  }

  /** Opens a row, or closes it if the row below is one of its own. */
  async toggleRow(y: number): Promise<void> {
    await this.shown.ask(async (reader, view) => {
      const [path, next = []] = await reader.rowPaths(y, y + 2);
      if (!path) return;
      const isOpen = next.length > path.length;
      await (isOpen ? view.collapse(y) : view.expand(y));
      if (isOpen) this.shown.expansion.close(path);
      else this.shown.expansion.open(path);
      await this.plugin.update(view);
    });
    this.onRows();
  }

  /** Brings a cell into sight. */
  scrollTo({ x, y }: CellPosition): void {
    const { regular_table: element } = this.plugin;
    const column = x ?? 0;
    if (element.querySelector(`tbody td[data-y="${y}"][data-x="${column}"]`)) return;
    void this.extent()
      .then(({ columns, rows }) => element.scrollToCell(column, y, columns, rows))
      // The view may be gone by then; what took its place begins at its own top.
      .catch(() => undefined);
  }

  focus(): void {
    this.plugin.regular_table.focus();
  }

  /** The whole pivot as text for a spreadsheet. */
  copyAll(): Promise<string> {
    return copyView(this.shown);
  }

  /** Some cells with their headers as text for a spreadsheet; the empty text for no cells. */
  copyCells(cells: readonly ReadCell[]): string {
    return copyCells(this.shown, cells);
  }

  dispose(): Promise<void> {
    return this.shown.dispose();
  }

  private takeOver(): void {
    const { plugin, shown } = this;
    const activate = plugin.activate.bind(plugin);
    const update = plugin.update.bind(plugin);
    const draw = plugin.draw.bind(plugin);
    plugin.activate = async (view) => {
      await shown.adopt(view);
      this.marks.invalidate();
      await activate(shown.displayed(view));
    };
    plugin.update = async (view) => {
      this.marks.invalidate();
      try {
        // The grid's own update keeps columns that are gone, and misses the names of new ones.
        if (await shown.follow(view)) await plugin.draw(view);
        else await update(shown.displayed(view));
      } catch (error) {
        // The view was replaced meanwhile, and the one in its place is drawn anew.
        if (!(await isGone(view))) throw error;
      }
    };
    const restore = plugin.restore.bind(plugin);
    plugin.restore = async (settings, columns) => {
      const headed = Object.entries(columns ?? {}).map(
        ([name, column]) => [headOf(name), column] as const,
      );
      await restore(settings, { ...columns, ...Object.fromEntries(headed) });
    };
    plugin.draw = async (view) => {
      await draw(view);
      this.readAhead();
    };
  }

  /** Reads in advance what a click will need. */
  private readAhead(): void {
    const { reader } = this.shown;
    if (!reader) return;
    for (const name of reader.expressions) {
      void reader.underlyingValues(name).catch(() => undefined);
    }
  }

  private listen(): void {
    const { regular_table: element } = this.plugin;
    element.tabIndex = 0;
    element.setAttribute('aria-label', 'Pivot. Arrow keys move the selection.');
    const root = element.getRootNode();
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(GRID_CSS);
    const own = this.plugin.shadowRoot ?? (root instanceof ShadowRoot ? root : document);
    own.adoptedStyleSheets = [...own.adoptedStyleSheets, sheet];
    // In the capture phase: the grid's own handler toggles the tree and reuses the header's element.
    element.addEventListener('mousedown', (event) => this.onMouseDown(event), { capture: true });
  }

  private onMouseDown(event: MouseEvent): void {
    if (event.button !== 0) return;
    const { regular_table: element } = this.plugin;
    const cell = event
      .composedPath()
      .find((node): node is Element => node instanceof Element && /^(TD|TH)$/.test(node.tagName));
    const meta = cell && element.getMeta(cell);
    if (!cell || !meta) return;
    const isLabel = cell.tagName === 'TH' && !cell.closest('thead');
    const isTree = cell.classList.contains('psp-tree-label');
    if (isLabel && isTree && (event.offsetX < ICON_WIDTH || event.shiftKey)) return;
    // What is under the mouse, whatever a change that is not drawn yet has put there.
    const identity = this.marks.drawnAt(cell);
    // The engine cannot sort by what it does not add up.
    if (cell.closest('thead') && this.shown.isShare(meta.x)) event.stopImmediatePropagation();
    // The header of a measure stands for no rows, and a click on it sorts.
    if (!identity && !isLabel && cell.tagName !== 'TD') return;
    if (isLabel) {
      event.stopImmediatePropagation();
      element.focus();
    }
    const x = identity?.measure == null ? null : (meta.x ?? null);
    const at = { x, y: meta.y ?? 0 };
    this.onTarget(identity, at, event.ctrlKey || event.metaKey);
  }
}
