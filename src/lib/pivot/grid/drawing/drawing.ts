/** Draws the cells and headers of the grid. */
import { columnSort } from '../../layout/column-sort';
import type { CellMeta, RegularTable, TableData } from '../../values/engine-types';
import type { ViewReader } from '../views/view-reader';
import type { DrawnColumn } from '../cells/grid-columns';
import type { ColumnFormat } from '../../values/column-format';
import { formatAs } from '../../values/show-as';
import { CellFormat } from './cell-format';
import { ROW_HEIGHT } from './grid-css';
import { Heads, TOTAL_ROW } from './heads';
import { endsInOthers } from '../../values/others';
import { label } from '../../values/labels';
import { Pinned } from './pinned';
import { noteHeaders, scrollByMeasuredWidths } from './scroll-range';
import { markIn, type ComparedCells } from '../shown/compared-cells';
import { isGone, type Shown } from '../shown/shown';
import { type CellMark, toneOf } from '../../values/mark-rules';
import type { Window } from '../shown/window';
import { sortWord } from './sort';
import type { Widths } from './widths';

/** Limit of drawings until the pinned columns and the room for the others no longer change. */
const MOST_DRAWINGS = 3;
/** Returns what is drawn if the view is gone; its replacement is drawn next. The table adds columns to these lists. */
const nothing = (): TableData => ({
  num_rows: 0,
  num_columns: 0,
  num_row_headers: 0,
  num_column_headers: 1,
  row_headers: [],
  column_headers: [],
  data: [],
  column_header_merge_depth: 0,
  merge_headers: 'column',
});

/** Draws the shown view: texts, headers, and the classes and attributes that style the cells. */
export class Drawing {
  private readonly heads: Heads;
  private readonly pinned: Pinned;
  private usual: ReadonlyMap<string, ColumnFormat> = new Map();
  private formats: ReadonlyMap<string, ColumnFormat> = new Map();
  private readonly made = new Map<string, CellFormat>();
  /** State of the last drawing; null before the first. */
  private drawn: { rows: string; across: string; names: string; pinned: number } | null = null;
  private window: Window | null = null;
  /** The cells that rules compare; null without rules. */
  private compared: ComparedCells | null = null;
  /** Whether the headers of measures have two lines. */
  private isTall = false;

  constructor(
    private readonly shown: Shown,
    private readonly element: RegularTable,
    private readonly widths: Widths,
  ) {
    this.heads = new Heads(shown, (measure) => this.formatNamed(measure));
    this.pinned = new Pinned(shown, element, (x) => {
      const column = shown.columns[x];
      return column ? this.heads.of(column, x) : [];
    });
    scrollByMeasuredWidths(element);
    element.addStyleListener(() => this.style());
    element.setDataListener((x0, y0, x1, y1) => this.read(x0, y0, x1, y1));
  }

  /**
   * Sets the default formats of the measures that {@link setFormats} does not cover, from the next drawing
   * on.
   */
  setUsualFormats(formats: ReadonlyMap<string, ColumnFormat>): void {
    this.usual = formats;
    this.made.clear();
    // The columns may need other widths.
    if (this.drawn) this.element._resetAutoSize();
  }

  /** Sets the formats of columns, from the next drawing on. */
  setFormats(formats: ReadonlyMap<string, ColumnFormat>): void {
    this.formats = formats;
    this.made.clear();
  }

  /** Returns the format of a measure. */
  formatNamed(measure: string): ColumnFormat {
    const { reader } = this.shown;
    const aggregate = reader?.config.aggregates[measure];
    const amount = { ...this.usual.get(measure), ...this.formats.get(measure), aggregate };
    return formatAs(amount, reader?.wayOf(measure));
  }

  /** Redraws the view. */
  async draw(): Promise<void> {
    this.followColumns();
    const { pinned, element } = this;
    for (let drawings = 0; drawings < MOST_DRAWINGS; drawings++) {
      const { count } = pinned;
      const { clientWidth, clientHeight } = element;
      await element.draw();
      // A drawing measures the pinned columns and may add a scrollbar; the next one computes how far columns scroll.
      const isSettled = pinned.count === count && pinned.fitting === count;
      const isSameSize =
        element.clientWidth === clientWidth && element.clientHeight === clientHeight;
      if (isSettled && isSameSize) break;
    }
    markCutOff(element);
  }

  /**
   * If the columns have changed, measures them again and scrolls back to the start of the new rows or
   * columns.
   */
  private followColumns(): void {
    const { shown, element, widths } = this;
    const { group_by = [], split_by = [] } = shown.reader?.config ?? {};
    const rows = JSON.stringify(group_by);
    const across = JSON.stringify(split_by);
    const { drawn } = this;
    const names = JSON.stringify(shown.columns.map(({ path, measure }) => [path, measure]));
    const pinned = shown.settings.pinned_columns ?? 0;
    this.drawn = { rows, across, names, pinned };
    this.heads.follow(group_by.length > 0);
    this.isTall = this.heads.areTall;
    element.classList.toggle('pf-tall', this.isTall);
    if (drawn && (drawn.rows !== rows || drawn.names !== names)) {
      element._resetAutoSize();
      if (drawn.rows !== rows) element.scrollTop = 0;
      if (drawn.across !== across) element.scrollLeft = 0;
    }
    if (drawn && drawn.pinned !== pinned) element.scrollLeft = 0;
    const isOther = drawn?.names !== names || drawn.rows !== rows;
    if (isOther || widths.isRestored) widths.write(shown.columns);
  }

  private async read(x0: number, y0: number, x1: number, y1: number): Promise<TableData> {
    const { shown, element } = this;
    const { view, reader } = shown;
    if (!view || !reader) return nothing();
    const levels = reader.config.split_by.length;
    const isGrouped = reader.config.group_by.length > 0;
    const isSizeAsked = x1 <= x0 || y1 <= y0;
    if (isSizeAsked) this.pinned.begin();
    const pinned = this.pinned.count;
    const size: TableData = {
      ...nothing(),
      num_rows: shown.rowCount,
      num_columns: shown.columns.length - pinned,
      num_row_headers: isGrouped ? 1 + pinned : 0,
      // The table multiplies this number by the height of a row to get the height of its headers.
      num_column_headers: levels + 1 + (this.isTall ? 1 : 0),
      column_header_merge_depth: levels,
      ...(this.isTall && { row_height: this.rowHeight }),
    };
    // The table asks for its total size with an empty window.
    if (isSizeAsked) {
      noteHeaders(element, size);
      return size;
    }
    try {
      const window = await shown.readWindow(x0 + pinned, y0, x1 + pinned, y1, pinned);
      this.window = window;
      this.compared = await shown.comparedCells();
      const all = window.columns.map((_, x) => x);
      const places = all.slice(x0 + pinned, x1 + pinned);
      const textsOf = (x: number) => {
        const format = this.formatOf(window.columns[x]?.measure ?? '', window.kinds);
        return (window.values.get(x) ?? []).map((value) => format.text(value));
      };
      const fixed = all.slice(0, pinned).map(textsOf);
      const styles = reader.config.group_by.map((name) => shown.styleOf(name));
      return {
        ...size,
        row_headers: isGrouped
          ? window.paths.map((path, i) => [
              path.length === 0 ? TOTAL_ROW : label(path.at(-1) ?? null, styles[path.length - 1]),
              ...fixed.map((texts) => texts[i] ?? ''),
            ])
          : [],
        column_headers: places.flatMap((x) => {
          const column = window.columns[x];
          return column ? [this.heads.of(column, x)] : [];
        }),
        data: places.map(textsOf),
      };
    } catch (error) {
      if (!(await isGone(view))) throw error;
      // The cells still on screen must not be taken for cells of another view.
      shown.forgetWindow();
      return nothing();
    }
  }

  private get rowHeight(): number {
    return this.element.querySelector('tbody td')?.getBoundingClientRect().height || ROW_HEIGHT;
  }

  private formatOf(measure: string, kinds: Window['kinds']): CellFormat {
    const type = kinds.get(measure);
    const key = JSON.stringify([measure, type]);
    let format = this.made.get(key);
    if (!format) {
      format = new CellFormat(type, this.formatNamed(measure), navigator.languages);
      this.made.set(key, format);
    }
    return format;
  }

  /** Sets the classes and attributes of each cell, right after it was drawn. */
  private style(): void {
    const { element, shown, window } = this;
    if (!window?.reader) return;
    const { config } = window.reader;
    const isGrouped = config.group_by.length > 0;
    element.classList.toggle('pf-grouped', isGrouped);
    for (const [i, tr] of [...element.querySelectorAll('tbody tr')].entries()) {
      const path = window.paths[i];
      if (isGrouped && path && tr instanceof HTMLElement) tr.dataset.level = String(path.length);
      for (const cell of tr.children) {
        const meta = element.getMeta(cell);
        if (!meta || !(cell instanceof HTMLElement)) continue;
        // The total row is fixed: it is always the first row, however far the rows below it are scrolled.
        if (isGrouped && i === 0) meta.y = 0;
        if (meta.y !== undefined) cell.dataset.y = String(meta.y);
        if (cell.tagName === 'TH') this.styleHeader(cell, path, window.isOpen[i] ?? false);
        else {
          this.place(cell, meta);
          cell.dataset.x = String(meta.x);
          const column = shown.columnAt(meta.x);
          const format = this.formatOf(column?.measure ?? '', window.kinds);
          const value = meta.x === undefined ? null : window.values.get(meta.x)?.[i];
          cell.classList.toggle('pf-number', format.isNumber);
          cell.classList.toggle('pf-negative', format.isNegative(value));
          cell.classList.toggle('pf-total', (column?.leaves.length ?? 0) > 1);
          drawMark(cell, markIn(shown.rules, this.compared, column, path, value));
        }
      }
    }
    this.styleHeads(window);
    markCutOff(element);
    // The table ends a drawing by the widths that columns had before, which may have been larger.
    if (this.hasRoom()) element.invalidate();
  }

  /** Whether columns are missing although there is room after the last one that is drawn. */
  private hasRoom(): boolean {
    const { element, shown } = this;
    const last = [...element.querySelectorAll('thead tr:last-child th')].at(-1);
    const x = last && element.getMeta(last)?.x;
    if (!last || x === undefined || x >= shown.columns.length - 1) return false;
    return last.getBoundingClientRect().right < rightEdge(element);
  }

  /** Gives a cell or header its position among all columns, pinned ones included. */
  private place(cell: Element, meta: CellMeta): void {
    const x = this.pinned.positionOf(meta);
    if (x !== undefined) meta.x = x;
    this.pinned.mark(cell, x);
  }

  private styleHeader(
    header: HTMLElement,
    path: Window['paths'][number] | undefined,
    isOpen: boolean,
  ): void {
    const levels = this.window?.reader?.config.group_by.length ?? 0;
    const level = path?.length ?? 0;
    const isOthers = endsInOthers(path ?? []);
    const isTree = level < levels && !isOthers;
    header.style.setProperty('--level', String(level));
    header.setAttribute('scope', 'row');
    header.classList.toggle('pf-tree', isTree);
    header.classList.toggle('pf-others', isOthers);
    header.classList.toggle('pf-open', isTree && isOpen);
    if (isTree) header.setAttribute('aria-expanded', String(isOpen));
    else header.removeAttribute('aria-expanded');
  }

  /** Styles the lowest headers, which name measures, and shows how the pivot is sorted by them. */
  private styleHeads({ reader, kinds, columns }: Window): void {
    const { split_by = [] } = reader?.config ?? {};
    const hasTotal = columns.some(isTotal);
    const corner = this.element.querySelector('thead tr:last-child th');
    for (const th of this.element.querySelectorAll('thead th')) {
      const meta = this.element.getMeta(th);
      if (meta) this.place(th, meta);
      const column = this.shown.columnAt(meta?.x);
      const isMeasure = meta?.column_header_y === split_by.length && column !== null;
      const direction = isMeasure && reader ? directionOf(column, reader, hasTotal) : undefined;
      th.classList.toggle('pf-measure', isMeasure);
      th.classList.toggle('pf-number', isMeasure && this.formatOf(column.measure, kinds).isNumber);
      th.classList.toggle('pf-total', (column?.leaves.length ?? 0) > 1 && isMeasure);
      setOrRemove(th, 'data-sort', direction);
      setOrRemove(th, 'aria-sort', sortWord(direction));
      // The table uses its elements again, for other places too.
      const unit = th === corner ? this.heads.commonUnit : null;
      setOrRemove(th, 'data-unit', unit ?? undefined);
    }
  }
}

const isTotal = ({ path }: DrawnColumn) => path?.length === 0;

/**
 * Returns the direction in which the rows are sorted by a column of the grid. A sort by a measure is that of its
 * total; only a pivot without a total column shows it at every column of the measure.
 *
 * @param hasTotal whether the pivot has a total column
 */
function directionOf(
  column: DrawnColumn,
  reader: ViewReader,
  hasTotal: boolean,
): string | undefined {
  const { measure, path } = column;
  const { sort, ...config } = reader.config;
  if (sort.length === 0) return undefined;
  const ofColumn = columnSort({ name: measure, label: '' }, path ?? [], config, reader.schema);
  const keys = [ofColumn?.name, ...(isTotal(column) || !hasTotal ? [measure] : [])];
  return sort.find(([name]) => keys.includes(name))?.[1];
}

/** Gives a cell its sign and its fill. */
function drawMark(cell: HTMLElement, mark: CellMark | null): void {
  setOrRemove(cell, 'data-sign', mark?.sign);
  setOrRemove(cell, 'data-fill', mark?.fill?.kind);
  setOrRemove(cell, 'data-tone', mark ? toneOf(mark) : undefined);
  if (mark?.fill) cell.style.setProperty('--pf-share', `${Math.round(mark.fill.share * 100)}%`);
  else cell.style.removeProperty('--pf-share');
}

function setOrRemove(element: Element, name: string, value: string | undefined): void {
  if (value === undefined) element.removeAttribute(name);
  else element.setAttribute(name, value);
}

/** Returns where the content of the grid ends at the right, in pixels of the window. */
const rightEdge = (table: RegularTable): number =>
  table.getBoundingClientRect().right - (table.offsetWidth - table.clientWidth);

/** Largest width that is faded, in pixels. */
const MOST_FADED = 48;

/** Tells the styles of the grid how much of a column that is cut off at the right can be seen. */
function markCutOff(table: RegularTable): void {
  const root = table.getRootNode();
  if (!(root instanceof ShadowRoot) || !(root.host instanceof HTMLElement)) return;
  // Scrollbars may be drawn over the content, and then have no width.
  const [beside, below] = [
    table.offsetWidth - table.clientWidth,
    table.offsetHeight - table.clientHeight,
  ];
  const edge = rightEdge(table);
  const cut = [...table.querySelectorAll('thead tr:last-child th')].find(
    (th) => th.getBoundingClientRect().right > edge + 1,
  );
  const seen = cut ? edge - cut.getBoundingClientRect().left : 0;
  const width = Math.min(Math.max(seen, 0), MOST_FADED);
  const { style } = root.host;
  style.setProperty('--pf-cut-width', `${width}px`);
  style.setProperty('--pf-scrollbar-beside', `${beside}px`);
  style.setProperty('--pf-scrollbar-below', `${below}px`);
}
