import type { Slice } from '../contract/operations';
import type { CellIdentity } from './cell';
import { cellKey, pathKey } from './cell';
import { toScalar, valueKey } from './cell-value';
import type { CellValue, RegularTable } from './engine-types';
import type { Shown } from './shown';
import { admits } from './slice';
import type { Underlying } from './underlying';
import type { ViewReader } from './view-reader';

/** A label of so many characters may not fit: hovering over it shows all of it. */
const LONG_LABEL = 24;

/**
 * The marks on the grid's cells: those that are selected, and those that a slice reaches. Knows what
 * each cell on screen is, as it was drawn: a change may have moved the rows since.
 */
export class Marks {
  private selected = new Set<string>();
  /** Selected headers, of rows and of columns: all cells along them are marked. */
  private headers: readonly CellIdentity[] = [];
  private slice: Slice | null = null;
  /** What the values of expressions stand for, while a slice is shown. */
  private underlying = new Map<string, Underlying>();
  private readonly identities = new WeakMap<Element, CellIdentity>();

  constructor(
    private readonly shown: Shown,
    private readonly element: RegularTable,
  ) {
    element.addStyleListener(() => {
      this.identifyAll();
      this.paint();
    });
  }

  /**
   * What a cell or a header was when it was drawn; null if it stands for no rows, or if the pivot is
   * arranged in another way by now, which is drawn next.
   */
  drawnAt(cell: Element): CellIdentity | null {
    if (!this.shown.isDrawn) return null;
    return this.identities.get(cell) ?? null;
  }

  /** The element that shows a cell now; null if the cell is not on screen. */
  elementOf(cell: CellIdentity): Element | null {
    const key = cellKey(cell);
    return (
      [...this.cells].find((element) => {
        const identity = this.identities.get(element);
        return identity !== undefined && cellKey(identity) === key;
      }) ?? null
    );
  }

  /** Marks cells as selected, and redraws nothing else. */
  select(cells: readonly CellIdentity[]): void {
    this.selected = new Set(cells.filter((cell) => cell.measure !== null).map(cellKey));
    this.headers = cells.filter((cell) => cell.measure === null);
    this.paint();
  }

  /** Marks the cells that a slice reaches; null marks none. */
  async showReach(slice: Slice | null): Promise<void> {
    this.slice = slice;
    const { reader } = this.shown;
    if (slice && reader) {
      for (const name of reader.expressions) {
        this.underlying.set(name, await reader.underlyingValues(name));
      }
    }
    this.paint();
  }

  /** Forgets what expressions stand for: rows came or went. */
  invalidate(): void {
    this.underlying.clear();
    if (this.slice) void this.showReach(this.slice).catch(() => undefined);
  }

  private get cells(): NodeListOf<Element> {
    return this.element.querySelectorAll('thead th, tbody td, tbody th');
  }

  /** Only right after a drawing do the elements stand for what was read for it. */
  private identifyAll(): void {
    for (const cell of this.cells) {
      const identity = this.identify(cell);
      if (identity) this.identities.set(cell, identity);
      else this.identities.delete(cell);
      if (cell.tagName === 'TH') nameInFull(cell);
    }
  }

  private paint(): void {
    const { reader } = this.shown;
    if (!reader) return;
    for (const cell of this.cells) {
      const identity = this.identities.get(cell) ?? null;
      const isHeader = cell.tagName === 'TH';
      const selected = identity !== null && this.isSelected(identity);
      const reached =
        !isHeader &&
        identity !== null &&
        this.slice !== null &&
        this.reaches(reader, this.slice, identity);
      cell.classList.toggle('pf-selected', selected);
      cell.classList.toggle('pf-hint', reached);
    }
  }

  private identify(cell: Element): CellIdentity | null {
    const { shown, element } = this;
    const meta = element.getMeta(cell);
    if (!meta) return null;
    if (cell.closest('thead')) {
      // The lowest headers name measures, which no selection can hold.
      if (meta.x === undefined || meta.column_header_y === undefined) return null;
      return shown.columnHeaderAt(meta.x, meta.column_header_y);
    }
    // The blank headers before a row's own one stand for nothing.
    if (meta.y === undefined || (cell.tagName === 'TH' && cell.textContent === '')) return null;
    return shown.identityAt({ x: meta.x ?? null, y: meta.y });
  }

  private isSelected(identity: CellIdentity): boolean {
    if (this.selected.has(cellKey(identity))) return true;
    return this.headers.some(({ rowPath, columnPath }) => {
      if (columnPath === null) return pathKey(identity.rowPath) === pathKey(rowPath);
      const across = identity.columnPath?.slice(0, columnPath.length);
      return across !== undefined && pathKey(across) === pathKey(columnPath);
    });
  }

  /** Whether a cell, as deep as the pivot shows the slice's columns, holds rows of the slice. */
  private reaches(
    reader: ViewReader,
    slice: Slice,
    { rowPath, columnPath }: CellIdentity,
  ): boolean {
    const { group_by, split_by } = reader.config;
    const headers = [
      ...group_by.map((name, i) => ({ name, value: rowPath[i], isShown: i < rowPath.length })),
      ...split_by.map((name, i) => ({
        name,
        value: columnPath?.[i],
        isShown: columnPath !== null,
      })),
    ];
    const isWanted = (column: string, value: CellValue) => {
      const wanted = Object.hasOwn(slice, column) ? slice[column] : undefined;
      return wanted === undefined || admits(wanted, toScalar(value, reader.schema[column]));
    };
    return headers.every(({ name, value = null, isShown }) => {
      const underlying = this.underlying.get(name);
      if (!underlying && reader.isExpression(name)) return false;
      const columns = underlying?.columns ?? [name];
      if (!columns.some((column) => Object.hasOwn(slice, column))) return true;
      if (!isShown) return false;
      if (!underlying) return isWanted(name, value);
      const key = valueKey(value);
      return underlying.tuples.some(
        (entry) =>
          entry.value === key &&
          entry.tuple.every((part, i) => isWanted(underlying.columns[i] ?? '', part)),
      );
    });
  }
}

/** A label that is cut off on screen is shown in full while the mouse is over it. */
function nameInFull(header: Element): void {
  const text = header.textContent ?? '';
  if (text.length > LONG_LABEL) header.setAttribute('title', text);
  else header.removeAttribute('title');
}
