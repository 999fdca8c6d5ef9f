import type { LayoutSort } from '../contract/layout';
import type { CellPosition, ReadCell } from './cell';
import { copyCells, copyView } from './clipboard';
import type { CellMeta, GridPlugin, Table } from './engine-types';
import { Marks } from './marks';
import { Shown } from './shown';
import type { SliceColumn } from './slice';

/** The width of a tree row's +/− icon: there the grid itself takes the click. */
const ICON_WIDTH = 26;

const GRID_CSS = `
regular-table { outline-offset: -2px; }
regular-table:focus-visible { outline: 2px solid var(--pf-focus); }
regular-table td, regular-table tbody th { cursor: cell; }
/* The grid sizes its header by the rows of the deepest level, which are not there while all are closed. */
regular-table tbody th.psp-tree-label { max-width: none; }
regular-table td.pf-hint, regular-table tbody th.pf-hint { background-color: var(--pf-hint) !important; }
regular-table td.pf-selected, regular-table tbody th.pf-selected {
  background-color: var(--pf-selected) !important;
  outline: 2px solid var(--pf-focus);
  outline-offset: -2px;
}
`;

/**
 * The datagrid as this product needs it. It shows every group under its own label, keeps rows open or
 * closed when the engine replaces its view, tells which cell was clicked, and marks cells.
 */
export class Grid {
  readonly marks: Marks;
  /** The view on screen, as the grid shows it. */
  readonly shown: Shown;

  /**
   * @param sort the viewer's sort: a view does not tell its own completely
   * @param onTarget is told which cell or header was clicked; `add` with Ctrl held
   */
  constructor(
    private readonly plugin: GridPlugin,
    table: Table,
    sort: () => Promise<LayoutSort[]>,
    private readonly onTarget: (position: CellPosition, add: boolean) => void,
  ) {
    this.shown = new Shown(table, sort);
    this.marks = new Marks(this.shown, plugin.regular_table);
    this.takeOver();
    this.listen();
  }

  /**
   * The cell at a place, typed, with the slice behind it.
   *
   * @throws Error if the pivot is not shown as a grid, or has no such cell any more
   */
  async read(position: CellPosition, columns: readonly SliceColumn[]): Promise<ReadCell> {
    const { reader } = this.shown;
    if (!reader) throw new Error('The pivot is not shown as a grid.');
    return reader.cell(position, columns);
  }

  /** How many rows and columns the grid has now. */
  async extent(): Promise<{ columns: number; rows: number }> {
    return { columns: this.shown.labels.length, rows: await this.shown.rowCount() };
  }

  /** Opens all rows to a depth: 0 shows the first level only. */
  async setDepth(depth: number): Promise<void> {
    const { view, expansion } = this.shown;
    expansion.setDepth(depth);
    if (!view) return;
    await view.set_depth(depth);
    await this.plugin.update(view);
  }

  /** Opens a row, or closes it if the row below is one of its own. */
  async toggleRow(y: number): Promise<void> {
    const { view, reader, expansion } = this.shown;
    const path = await reader?.rowPath(y);
    const next = (await reader?.rowPath(y + 1)) ?? [];
    if (!view || !path) return;
    const isOpen = next.length > path.length;
    if (isOpen) expansion.close(path);
    else expansion.open(path);
    await (isOpen ? view.collapse(y) : view.expand(y));
    await this.plugin.update(view);
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
      this.marks.invalidate();
      await shown.adopt(view);
      await activate(shown.displayed(view));
    };
    plugin.update = async (view) => {
      this.marks.invalidate();
      // The grid's own update keeps columns that are gone, and misses the names of new ones.
      if (await shown.follow(view)) await plugin.draw(view);
      else await update(shown.displayed(view));
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
    const { group_by, split_by } = reader.config;
    for (const name of [...group_by, ...split_by].filter(reader.isExpression)) {
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
    const add = event.ctrlKey || event.metaKey;
    if (cell.closest('thead')) {
      const target = this.headerTarget(meta);
      if (target) this.onTarget(target, add);
      return;
    }
    if (meta.y === undefined) return;
    if (cell.tagName === 'TD') {
      // At once, because reading what is behind the cell may take a moment.
      cell.classList.add('pf-selected');
      this.onTarget({ x: meta.x ?? null, y: meta.y }, add);
      return;
    }
    const isTree = cell.classList.contains('psp-tree-label');
    if (isTree && (event.offsetX < ICON_WIDTH || event.shiftKey)) return;
    event.stopImmediatePropagation();
    element.focus();
    this.onTarget({ x: null, y: meta.y }, add);
  }

  /** A header of split values stands for its whole column, or for all the columns below it. */
  private headerTarget(meta: CellMeta): CellPosition | null {
    const config = this.shown.reader?.config;
    const level = meta.column_header_y;
    if (meta.x === undefined || level === undefined) return null;
    if (level >= (config?.split_by.length ?? 0) || config?.group_by.length === 0) return null;
    return { x: meta.x, y: 0, depth: level + 1 };
  }
}
