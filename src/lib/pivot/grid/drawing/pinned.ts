/** Columns that stay in place while the others scroll. */
import { pathKey, type CellIdentity } from '../../slice/cell';
import type { CellMeta, RegularTable } from '../../values/engine-types';
import type { DrawnColumn } from '../cells/grid-columns';
import type { Shown } from '../shown/shown';

/** Largest share of the table's width for row headers and pinned columns: the others need room to scroll. */
const MOST_ROOM = 0.75;
/** Width in pixels that the table assumes for columns that it has not drawn yet. */
const UNKNOWN_WIDTH = 60;

/**
 * Returns the position of a cell's column, or of the last column below a header; -1 for a row header, and if
 * there is no such column.
 */
export function lastColumnOf(
  columns: readonly DrawnColumn[],
  { columnPath, measure }: CellIdentity,
): number {
  if (measure === null && columnPath === null) return -1;
  return columns.findLastIndex((column) => {
    if (measure !== null && column.measure !== measure) return false;
    if (columnPath === null) return true;
    const path = measure === null ? column.path?.slice(0, columnPath.length) : column.path;
    return path != null && pathKey(path) === pathKey(columnPath);
  });
}

/**
 * The first columns, kept in place. The table can only fix row headers, so it gets the pinned columns as
 * further row headers. Two methods of its parts are replaced, which make cells and headers of these columns
 * like those of all others: the same elements, places, widths and merged groups.
 */
export class Pinned {
  /** Number of columns that the current drawing pins. */
  count = 0;
  private known: RegularTable['table_model'] | null = null;

  constructor(
    private readonly shown: Pick<Shown, 'columns' | 'reader' | 'settings'>,
    private readonly element: RegularTable,
    /** Returns the headers of a column, from the outermost to the innermost. */
    private readonly headsOf: (x: number) => HTMLElement[],
  ) {}

  /** Number of row headers, which are before the columns. */
  private get rowHeaders(): number {
    return (this.shown.reader?.config.group_by.length ?? 0) > 0 ? 1 : 0;
  }

  /** Number of columns to pin: fewer than wanted if the others would have no room. Ungrouped rows pin none. */
  get fitting(): number {
    const { shown, element, rowHeaders } = this;
    if (rowHeaders === 0) return 0;
    const { indices } = element._column_sizes;
    const most = Math.min(shown.settings.pinned_columns ?? 0, shown.columns.length - 1);
    const room = element.clientWidth * MOST_ROOM;
    let used = indices[0] ?? 0;
    let count = 0;
    for (; count < most; count++) {
      used += indices[rowHeaders + count] ?? UNKNOWN_WIDTH;
      if (used > room) break;
    }
    return count;
  }

  /** Begins a drawing: decides how many columns it pins. */
  begin(): void {
    this.count = this.fitting;
    this.replaceMethods();
  }

  /**
   * Returns the position of a cell or header among all columns. The table itself counts only those that
   * scroll.
   */
  positionOf({ x0 = 0, _virtual_x }: CellMeta): number | undefined {
    if (_virtual_x === undefined || _virtual_x < this.rowHeaders) return undefined;
    return x0 + _virtual_x - this.rowHeaders;
  }

  /** Marks the cell or header of a pinned column. @param x position among all columns */
  mark(cell: Element, x: number | undefined): void {
    cell.classList.toggle('pf-pinned', x !== undefined && x < this.count);
    cell.classList.toggle('pf-pin-edge', x !== undefined && x === this.count - 1);
  }

  /** Returns the headers above a row header: one per level, of which the table draws more if the last one is tall. */
  private cornerOf(parts: unknown, mark: 1 | undefined): unknown {
    const levels = this.shown.reader?.config.split_by.length ?? 0;
    return mark === 1 && Array.isArray(parts) ? parts.slice(0, levels + 1) : parts;
  }

  private replaceMethods(): void {
    const { table_model } = this.element;
    if (this.known === table_model) return;
    this.known = table_model;
    const { header, body } = table_model;
    const drawHeader = header.draw.bind(header);
    // The header of a row header has the mark 1. `place` counts the drawn columns, row headers included.
    header.draw = (name, parts, mark, x, key, x0, place, ...merging) => {
      const pinned = mark === 1 ? place - this.rowHeaders : -1;
      return pinned < 0
        ? drawHeader(name, this.cornerOf(parts, mark), mark, x, key, x0, place, ...merging)
        : drawHeader(undefined, this.headsOf(pinned), undefined, pinned, key, 0, place, ...merging);
    };
    const drawCell = body._draw_td.bind(body);
    body._draw_td = (tag, y, text, place, column, ...more) => {
      const pinned = tag === 'TH' ? place - this.rowHeaders : -1;
      if (pinned < 0) return drawCell(tag, y, text, place, column, ...more);
      const drawn = drawCell('TD', y, text, place, { column_name: this.headsOf(pinned) }, ...more);
      // The element may have been a cell that scrolled.
      drawn.metadata.x0 = 0;
      return drawn;
    };
  }
}
