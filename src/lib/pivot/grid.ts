import type { Slice } from '../contract/operations';
import type { CellValue } from './cell-value';
import { tidy, toScalar, valueKey } from './cell-value';
import { Expansion } from './expansion';
import { columnLabels, kindOf, label } from './labels';
import type { LayoutSort } from './layout-config';
import type { CellMeta, GridPlugin, Table, View } from './perspective';
import { listOf } from './slice';
import { ViewReader } from './view-reader';

/** What was clicked: `x` null is a row header; `depth` says how many split columns a header spans. */
export interface GridTarget {
  x: number | null;
  y: number;
  depth?: number;
}

/** A cell by what it is, not by where it is: rows move when others open. */
export interface CellKey {
  rowPath: readonly CellValue[];
  columnPaths: readonly (readonly CellValue[])[] | null;
  measure: string | null;
}

/** The width of a tree row's +/− icon, where the grid itself takes the click. */
const ICON_WIDTH = 26;
const ROW_PATH = '__ROW_PATH__';

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
 * The datagrid as this product needs it: it shows every group under a label of its own, keeps rows
 * open or closed when the engine makes its view anew, tells what was clicked, and marks cells.
 */
export class Grid {
  readonly expansion = new Expansion();
  private reader: ViewReader | null = null;
  private view: View | null = null;
  private rawPaths: string[] = [];
  private labels: string[] = [];
  private columnPaths: CellValue[][][] = [];
  private rows = { start: 0, paths: [] as CellValue[][] };
  private selected = new Set<string>();
  private selectedRows = new Set<string>();
  private hint: Slice | null = null;
  private standsFor = new Map<string, Map<string, Set<string>>>();

  constructor(
    private readonly plugin: GridPlugin,
    private readonly table: Table,
    private readonly sort: () => Promise<LayoutSort[]>,
    private readonly onTarget: (target: GridTarget, add: boolean) => void,
  ) {
    this.takeOver();
    this.listen();
  }

  /** The reader of the view on screen. */
  get current(): ViewReader | null {
    return this.reader;
  }

  get columnCount(): number {
    return this.labels.length;
  }

  async rowCount(): Promise<number> {
    return (await this.view?.num_rows()) ?? 0;
  }

  /** Marks cells as selected, and redraws nothing else. */
  mark(cells: readonly CellKey[]): void {
    this.selected = new Set(cells.filter((c) => c.measure !== null).map(keyOf));
    this.selectedRows = new Set(
      cells.filter((c) => c.measure === null).map((c) => JSON.stringify(c.rowPath)),
    );
    this.style();
  }

  /** Marks the cells that a slice reaches; null marks none. */
  async showReach(slice: Slice | null): Promise<void> {
    this.hint = slice;
    if (slice && this.reader) {
      const { config } = this.reader;
      for (const name of [...config.group_by, ...config.split_by].filter(
        this.reader.isExpression,
      )) {
        const byValue = await this.reader.underlyingValues(name);
        this.standsFor.set(
          name,
          new Map(
            [...byValue].map(([key, { tuples }]) => [
              key,
              new Set((tuples ?? []).map((tuple) => valueKey(tuple[0] ?? null))),
            ]),
          ),
        );
      }
    }
    this.style();
  }

  /** Opens all rows to a depth: 0 shows the first level only. */
  async setDepth(depth: number): Promise<void> {
    this.expansion.setDepth(depth);
    if (!this.view) return;
    await this.view.set_depth(depth);
    await this.plugin.update(this.view);
  }

  async toggleRow(y: number): Promise<void> {
    const path = await this.reader?.rowPath(y);
    const next = (await this.reader?.rowPath(y + 1)) ?? [];
    if (!this.view || !path) return;
    const isOpen = next.length > path.length;
    if (isOpen) this.expansion.close(path);
    else this.expansion.open(path);
    await (isOpen ? this.view.collapse(y) : this.view.expand(y));
    await this.plugin.update(this.view);
  }

  /** Where a body cell or row header is now; null where it is not shown. */
  async find({ rowPath, columnPaths, measure }: CellKey): Promise<GridTarget | null> {
    const { reader } = this;
    if (!reader || (measure === null && columnPaths !== null)) return null;
    const wanted = JSON.stringify(rowPath);
    const rows = await reader.rowPaths(0, await this.rowCount());
    const y = rows.findIndex((path) => JSON.stringify(path) === wanted);
    if (y < 0) return null;
    if (measure === null) return { x: null, y };
    const { shown } = reader;
    const across = JSON.stringify(columnPaths);
    const x = Array.from({ length: this.columnCount }, (_, i) => i).findIndex(
      (i) =>
        shown[i % shown.length] === measure &&
        (columnPaths === null || JSON.stringify(this.columnPaths[i]) === across),
    );
    return x < 0 ? null : { x, y };
  }

  scrollTo(x: number, y: number): void {
    const { regular_table: grid } = this.plugin;
    if (grid.querySelector(`tbody td[data-y="${y}"][data-x="${x}"]`)) return;
    void this.rowCount()
      .then((rows) => grid.scrollToCell(x, y, this.columnCount, rows))
      // The view may be gone by then; what took its place begins at its own top.
      .catch(() => undefined);
  }

  focus(): void {
    this.plugin.regular_table.focus();
  }

  /** All of the view as text, headers first, tabs between: what a spreadsheet pastes. */
  async copyAll(): Promise<string> {
    const { view, reader } = this;
    if (!view || !reader) return '';
    const { shown } = reader;
    const { group_by, split_by } = reader.config;
    const read = JSON.parse(await this.displayed(view).to_columns_string()) as Record<
      string,
      unknown[]
    >;
    const names = split_by.length > 0 ? this.labels : shown;
    const paths = read[ROW_PATH] as string[][] | undefined;
    const headers = split_by.map((_, level) => [
      ...group_by.map(() => ''),
      ...names.map((name) => name.split('|')[level] ?? ''),
    ]);
    const titles = [
      ...group_by,
      ...names.map((name) => (split_by.length > 0 ? (name.split('|').at(-1) ?? '') : name)),
    ];
    const count = paths?.length ?? read[names[0] ?? '']?.length ?? 0;
    const body = Array.from({ length: count }, (_, y) => {
      const path = paths?.[y] ?? [];
      const head = group_by.map((_, i) =>
        path.length === 0 && i === 0 ? 'Total' : (path[i] ?? ''),
      );
      return [...head, ...names.map((name) => String(read[name]?.[y] ?? ''))];
    });
    return [...headers, titles, ...body].map((line) => line.join('\t')).join('\n');
  }

  async dispose(): Promise<void> {
    await this.reader?.dispose();
    this.reader = null;
    this.view = null;
  }

  /** Row and column headers of one cell as text. */
  headersOf(cell: CellKey): { row: string; column: string } {
    const config = this.reader?.config;
    const row = cell.rowPath
      .map((value, i) => label(value, this.kind(config?.group_by[i])))
      .join(' / ');
    const columns = (cell.columnPaths?.[0] ?? []).map((value, i) =>
      label(value, this.kind(config?.split_by[i])),
    );
    return {
      row: row || 'Total',
      column: [...columns, ...(cell.measure ? [cell.measure] : [])].join(' / '),
    };
  }

  private kind(column: string | undefined) {
    if (column === undefined || !this.reader) return undefined;
    return kindOf(this.reader.schema[column], this.reader.config.expressions[column]);
  }

  private takeOver(): void {
    const { plugin } = this;
    const activate = plugin.activate.bind(plugin);
    const update = plugin.update.bind(plugin);
    plugin.activate = async (view) => {
      await this.adopt(view);
      await activate(this.displayed(view));
    };
    plugin.update = async (view) => {
      this.view = view;
      this.reader?.invalidate();
      this.standsFor.clear();
      const before = this.labels.join('\n');
      await this.readColumns();
      // The grid's own update keeps columns that are gone, and misses the names of new ones.
      if (this.labels.join('\n') !== before) await plugin.draw(view);
      else await update(this.displayed(view));
    };
    const draw = plugin.draw.bind(plugin);
    plugin.draw = async (view) => {
      await draw(view);
      this.readAhead();
    };
  }

  /** Reads what a click will need while nobody waits for it. */
  private readAhead(): void {
    const { reader } = this;
    if (!reader) return;
    const { group_by, split_by } = reader.config;
    for (const name of [...group_by, ...split_by].filter(reader.isExpression)) {
      void reader.underlyingValues(name).catch(() => undefined);
    }
  }

  private async adopt(view: View): Promise<void> {
    const before = this.reader;
    this.view = view;
    this.reader = await ViewReader.open(this.table, view, await this.sort());
    this.standsFor.clear();
    void before?.dispose().catch(() => undefined);
    const { reader } = this;
    await this.expansion.applyTo(view, reader.config.group_by, async () =>
      reader.rowPaths(0, await view.num_rows()),
    );
    await this.readColumns();
  }

  private async readColumns(): Promise<void> {
    const { reader } = this;
    if (!reader) return;
    this.rawPaths = await reader.printedPaths();
    const { split_by } = reader.config;
    if (split_by.length === 0) {
      this.columnPaths = [];
      this.labels = this.rawPaths;
      return;
    }
    this.columnPaths = await reader.columnPaths();
    this.labels = columnLabels(
      this.columnPaths.map((alternatives) => alternatives[0]),
      reader.shown,
      split_by.map((name) => this.kind(name)),
    );
  }

  /**
   * The view as the grid may see it: groups and columns under labels that differ where the values
   * differ. The engine would print null like "null" and break headers at a `|`; and of two columns
   * of one name, it would show the numbers of the last for both.
   */
  private displayed(view: View): View {
    const overrides: Partial<Record<keyof View, unknown>> = {
      expression_schema: async () => {
        const schema = (await view.expression_schema()) as Record<string, string>;
        const { group_by = [], columns = [] } = this.reader?.config ?? {};
        const headers = group_by.filter((name) => !columns.includes(name));
        return { ...schema, ...Object.fromEntries(headers.map((name) => [name, 'string'])) };
      },
      column_paths: async (window?: { start_col?: number; end_col?: number }) =>
        this.labels.slice(window?.start_col ?? 0, window?.end_col ?? this.labels.length),
      to_columns_string: (window?: Parameters<View['to_columns_string']>[0]) =>
        this.displayedColumns(view, window),
      expand: async (y: number) => {
        const path = this.rows.paths[y - this.rows.start];
        if (path) this.expansion.open(path);
        return view.expand(y);
      },
      collapse: async (y: number) => {
        const path = this.rows.paths[y - this.rows.start];
        if (path) this.expansion.close(path);
        return view.collapse(y);
      },
      set_depth: async (depth: number) => {
        this.expansion.setDepth(depth);
        return view.set_depth(depth);
      },
    };
    return new Proxy(view, {
      get(target, name) {
        if (name in overrides) return overrides[name as keyof View];
        const member: unknown = Reflect.get(target, name, target);
        return typeof member === 'function' ? member.bind(target) : member;
      },
    });
  }

  private async displayedColumns(
    view: View,
    window: Parameters<View['to_columns_string']>[0] = {},
  ): Promise<string> {
    const read = JSON.parse(await view.to_columns_string(window)) as Record<string, unknown[]>;
    const paths = read[ROW_PATH] as CellValue[][] | undefined;
    if (paths) {
      this.rows = { start: window.start_row ?? 0, paths };
      const kinds = this.reader?.config.group_by.map((name) => this.kind(name)) ?? [];
      read[ROW_PATH] = paths.map((path) => path.map((value, i) => label(value, kinds[i])));
    } else {
      this.rows = { start: window.start_row ?? 0, paths: [] };
    }
    if (this.columnPaths.length === 0) return tidied(read);

    const start = window.start_col ?? 0;
    const raw = this.rawPaths.slice(start, window.end_col ?? this.rawPaths.length);
    const shown: Record<string, unknown[]> = {};
    for (const name of [ROW_PATH, '__ID__']) if (read[name]) shown[name] = read[name];
    for (const [i, path] of raw.entries()) {
      const alone = this.rawPaths.indexOf(path) === this.rawPaths.lastIndexOf(path);
      const { start_row, end_row } = window;
      const values = alone
        ? read[path]
        : await this.reader?.columnValues(start + i, {
            ...(start_row !== undefined && { start_row }),
            ...(end_row !== undefined && { end_row }),
          });
      if (values) shown[this.labels[start + i] ?? path] = values;
    }
    return tidied(shown);
  }

  private listen(): void {
    const { regular_table: grid } = this.plugin;
    grid.tabIndex = 0;
    grid.setAttribute('aria-label', 'Pivot. Arrow keys move the selection.');
    const root = grid.getRootNode();
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(GRID_CSS);
    const own = this.plugin.shadowRoot ?? (root instanceof ShadowRoot ? root : document);
    own.adoptedStyleSheets = [...own.adoptedStyleSheets, sheet];
    // In the capture phase: the grid's own handler toggles the tree and reuses the header's element.
    grid.addEventListener('mousedown', (event) => this.onMouseDown(event), { capture: true });
    grid.addStyleListener(() => this.style());
  }

  private onMouseDown(event: MouseEvent): void {
    if (event.button !== 0) return;
    const { regular_table: grid } = this.plugin;
    const cell = event
      .composedPath()
      .find((node): node is Element => node instanceof Element && /^(TD|TH)$/.test(node.tagName));
    const meta = cell && grid.getMeta(cell);
    if (!cell || !meta) return;
    const add = event.ctrlKey || event.metaKey;
    if (cell.closest('thead')) {
      const target = this.headerTarget(meta);
      if (target) this.onTarget(target, add);
      return;
    }
    if (meta.y === undefined) return;
    if (cell.tagName === 'TD') {
      // At once: what is behind the cell may take a moment to read.
      cell.classList.add('pf-selected');
      this.onTarget({ x: meta.x ?? null, y: meta.y }, add);
      return;
    }
    const isTree = cell.classList.contains('psp-tree-label');
    if (isTree && (event.offsetX < ICON_WIDTH || event.shiftKey)) return;
    event.stopImmediatePropagation();
    grid.focus();
    this.onTarget({ x: null, y: meta.y }, add);
  }

  /** A header of split values stands for its whole column, or for all the columns below it. */
  private headerTarget(meta: CellMeta): GridTarget | null {
    const splits = this.reader?.config.split_by.length ?? 0;
    const level = meta.column_header_y;
    if (meta.x === undefined || level === undefined || level >= splits) return null;
    if (this.reader?.config.group_by.length === 0) return null;
    return { x: meta.x, y: 0, depth: level + 1 };
  }

  private style(): void {
    const { reader } = this;
    const grid = this.plugin.regular_table;
    if (!reader) return;
    const { shown } = reader;
    for (const cell of grid.querySelectorAll('tbody td, tbody th')) {
      const meta = grid.getMeta(cell);
      const path = meta?.y === undefined ? undefined : this.rows.paths[meta.y - this.rows.start];
      let selected = false;
      let hinted = false;
      if (meta && path) {
        const columnPaths = meta.x === undefined ? null : (this.columnPaths[meta.x] ?? null);
        const measure = meta.x === undefined ? null : (shown[meta.x % shown.length] ?? null);
        const isHeader = cell.tagName === 'TH';
        selected = isHeader
          ? this.selectedRows.has(JSON.stringify(path)) && cell.textContent !== ''
          : this.selected.has(keyOf({ rowPath: path, columnPaths, measure })) ||
            this.selectedRows.has(JSON.stringify(path));
        hinted = !isHeader && this.hint !== null && this.reaches(this.hint, path, columnPaths);
      }
      cell.classList.toggle('pf-selected', selected);
      cell.classList.toggle('pf-hint', hinted);
    }
  }

  /** Whether a cell, as deep as the pivot shows the slice's columns, holds rows of the slice. */
  private reaches(
    slice: Slice,
    rowPath: readonly CellValue[],
    columnPaths: readonly (readonly CellValue[])[] | null,
  ): boolean {
    const { group_by, split_by } = (this.reader as ViewReader).config;
    const shown = [
      ...group_by.map((name, i) => ({
        name,
        values: i < rowPath.length ? [rowPath[i] as CellValue] : null,
      })),
      ...split_by.map((name, i) => ({
        name,
        values: columnPaths?.map((path) => path[i] as CellValue) ?? null,
      })),
    ];
    return shown.every(({ name, values }) => {
      const isExpression = this.standsFor.has(name);
      const column = isExpression ? this.sourceOf(name) : name;
      if (column === undefined || !(column in slice)) return true;
      if (values === null) return false;
      const type = this.reader?.schema[column];
      const wanted = new Set(listOf(slice[column]).map((value) => JSON.stringify(value)));
      const scalar = (key: string) => JSON.stringify(toScalar(JSON.parse(key) as CellValue, type));
      return values.some((value) => {
        if (!isExpression) return wanted.has(scalar(valueKey(value)));
        return [...(this.standsFor.get(name)?.get(valueKey(value)) ?? [])].some((key) =>
          wanted.has(scalar(key)),
        );
      });
    });
  }

  private sourceOf(expression: string): string | undefined {
    const text = this.reader?.config.expressions[expression] ?? '';
    const name = /"((?:[^"\\]|\\.)*)"/.exec(text)?.[1];
    return name?.replace(/\\(.)/g, '$1');
  }
}

const keyOf = ({ rowPath, columnPaths, measure }: CellKey) =>
  JSON.stringify([rowPath, columnPaths, measure]);

const tidied = (columns: Record<string, unknown[]>) =>
  JSON.stringify(columns, (_, value: unknown) =>
    typeof value === 'number' && !Number.isInteger(value) ? tidy(value) : value,
  );
