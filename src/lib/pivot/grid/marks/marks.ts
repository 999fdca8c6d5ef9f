/** Marks cells of the grid: selected, reached by a slice, locked, changed by a trial, or not saved yet. */
import type { Slice } from '../../../contract/slices';
import type { CellIdentity, MarkedCell } from '../../slice/cell';
import { cellKey, pathKey } from '../../slice/cell';
import { tidy } from '../../values/cell-value';
import type { CellValue, RegularTable } from '../../values/engine-types';
import { rectangleOf, type CellBlock } from '../cells/block';
import { CommentTexts, type MarkedReach, type MarkedSlice } from './comment-texts';
import type { ClosedDate, ClosedHeaders } from '../views/closed-headers';
import { Reach } from '../cells/reach';
import { ReviewEdges, type ReviewMark } from './review-edges';
import type { Shown } from '../shown/shown';
import type { Tried } from './tried';
import type { Underlying } from '../../slice/underlying';
import type { ViewReader } from '../views/view-reader';

/** Number of characters from which a label may not fit; it is then shown in full on hover. */
const LONG_LABEL = 18;

/** Time for which cells keep the class of the glow animation. */
const GLOW_MS = 5000;

/** A trial, and the text for the cells that it changes. */
export interface TriedMark {
  tried: Tried;
  text(before: number, after: number, measure: string | null): string;
}

interface Reaches {
  reader: ViewReader;
  touched: Reach | null;
  changed: Reach | null;
  locks: LockedCells;
  comments: CommentTexts;
  reviews: ReviewEdges;
}

/**
 * The marks on the cells of the grid: selected cells, cells that a slice reaches, locked cells, and cells
 * with an amount that is not saved yet. It identifies each cell on screen as of the last drawing, because a change may have moved the rows since.
 */
export class Marks {
  private selected = new Set<string>();
  /** The cell that receives typing, if several cells are selected. */
  private active: string | null = null;
  /** The last cell of the selected block, from whose corner it is filled; null if it cannot be. */
  private handle: string | null = null;
  /** The block that a drag of the corner would fill. */
  private filled: CellBlock | null = null;
  /** Selected row and column headers: all cells along them are marked. */
  private rows = new Set<string>();
  private columns: readonly (readonly CellValue[])[] = [];
  private slice: Slice | null = null;
  private locks: readonly MarkedSlice[] = [];
  /** The slices that the user may change; null for everything. */
  private changeable: readonly Slice[] | null = null;
  /** Slices with comments. */
  private comments: readonly MarkedSlice[] = [];
  private reviews: readonly ReviewMark[] = [];
  private closed: readonly ClosedDate[] = [];
  /** The headers of closed days in the view of a reader; null before they are read. */
  private closedIn: { reader: ViewReader; headers: ClosedHeaders } | null = null;
  /** Slice of another user's latest change. */
  private changed: Slice | null = null;
  /** Sizes of the amounts of the log entry that the mouse points at; null for none. */
  private written: Tried | null = null;
  /** The trial on screen; null for none. */
  private tried: TriedMark | null = null;
  /** Typed amounts that are not saved yet, by cell. */
  private unsaved: ReadonlyMap<string, string> = new Map();
  /** Source values behind the values of expressions and attributes, while slices are marked. */
  private underlying: ReadonlyMap<string, Underlying> = new Map();
  /** Cells of the view on screen that the slices reach; computed again if a slice changes. */
  private reaches: Reaches | null = null;
  private readonly identities = new WeakMap<Element, CellIdentity>();
  /** The numbers that the cells show. */
  private readonly numbers = new WeakMap<Element, number | null>();

  constructor(
    private readonly shown: Shown,
    private readonly element: RegularTable,
    /** Whether a measure shows the plan; the marks of locks and changes appear only there. */
    private readonly isOfPlan: (measure: string) => boolean,
  ) {
    element.addStyleListener(() => {
      this.identifyAll();
      this.paint();
    });
  }

  /**
   * Returns the identity of a cell or header as of its drawing; null if it stands for no rows, or if the
   * pivot has been rearranged and is not redrawn yet.
   */
  drawnAt(cell: Element): CellIdentity | null {
    if (!this.shown.isDrawn) return null;
    return this.identities.get(cell) ?? null;
  }

  /** Returns the total of the column whose measure a header names; null for any other element. */
  columnOf(header: Element): CellIdentity | null {
    const { shown, element } = this;
    if (!header.matches('thead .pf-measure') || !shown.isDrawn) return null;
    const column = shown.columnAt(element.getMeta(header)?.x);
    return column && { rowPath: [], columnPath: column.path, measure: column.measure };
  }

  /** Returns the element that shows a cell now; null if the cell is not on screen. */
  elementOf(cell: CellIdentity): Element | null {
    const key = cellKey(cell);
    return (
      [...this.cells].find((element) => {
        const identity = this.identities.get(element);
        return identity !== undefined && cellKey(identity) === key;
      }) ?? null
    );
  }

  /**
   * Marks cells as selected without redrawing the grid.
   *
   * @param active the cell that receives typing
   * @param canFill whether a block of cells gets a corner to drag
   */
  select(cells: readonly MarkedCell[], active: CellIdentity | null, canFill: boolean): void {
    this.active = active && cells.length > 1 ? cellKey(active) : null;
    const last = canFill ? rectangleOf(cells)?.at(-1)?.at(-1) : null;
    this.handle = last && this.isOfPlan(last.measure ?? '') ? cellKey(last) : null;
    this.selected = new Set(cells.filter((cell) => cell.measure !== null).map(cellKey));
    const headers = cells.filter((cell) => cell.measure === null);
    this.columns = headers.flatMap(({ columnPath }) => (columnPath === null ? [] : [columnPath]));
    this.rows = new Set(
      headers.flatMap(({ columnPath, rowPath }) => (columnPath === null ? [pathKey(rowPath)] : [])),
    );
    this.paint();
  }

  /** Marks the block that a drag would fill; null marks none. */
  showFill(block: CellBlock | null): void {
    this.filled = block;
    this.paint();
  }

  /** Marks the cells that a slice reaches; null marks none. */
  async showReach(slice: Slice | null): Promise<void> {
    this.slice = slice;
    await this.readReach();
  }

  /**
   * Marks the cells whose rows are all locked, judged by the columns that the pivot shows.
   *
   * @param changeable what the user may change: cells without a row of these slices count as locked; null for everything
   */
  async showLocks(
    locks: readonly MarkedSlice[],
    changeable: readonly Slice[] | null = null,
  ): Promise<void> {
    this.locks = locks;
    this.changeable = changeable;
    await this.readReach();
  }

  /** Marks the cells whose rows are all in a slice with comments; for the whole version, only its total. */
  async showComments(comments: readonly MarkedSlice[]): Promise<void> {
    this.comments = comments;
    await this.readReach();
  }

  /** Marks the rows, or else the cells, whose rows are all in a review. */
  async showReviews(reviews: readonly ReviewMark[]): Promise<void> {
    this.reviews = reviews;
    await this.readReach();
  }

  /** Marks the headers of closed months. */
  async showClosed(closed: readonly ClosedDate[]): Promise<void> {
    this.closed = closed;
    await this.readReach();
  }

  /** Marks the cells in which a log entry wrote an amount; null marks none. */
  showWritten(written: Tried | null): void {
    this.written = written;
    this.paint();
  }

  /** Marks the cells that a trial changes; null marks none. */
  showTried(tried: TriedMark | null): void {
    this.tried = tried;
    this.paint();
  }

  /** Shows amounts that are not saved yet in their cells; an empty list shows none. */
  showUnsaved(amounts: readonly { cell: CellIdentity; text: string }[]): void {
    this.unsaved = new Map(amounts.map(({ cell, text }) => [cellKey(cell), text]));
    this.paint();
  }

  /** Lets the cells that a slice reaches glow once. */
  async glow(slice: Slice): Promise<void> {
    this.changed = slice;
    setTimeout(() => {
      if (this.changed !== slice) return;
      this.changed = null;
      this.reaches = null;
      this.paint();
    }, GLOW_MS);
    await this.readReach();
  }

  /** Reads the source values behind expressions again, after rows came or went or the view was replaced. */
  invalidate(): void {
    if (this.hasSlices) void this.readReach().catch(() => undefined);
  }

  private get hasSlices(): boolean {
    const { slice, changed, locks, comments, reviews, closed } = this;
    const lists = [locks, comments, reviews, closed, this.changeable ?? []];
    return slice !== null || changed !== null || lists.some((list) => list.length > 0);
  }

  /** Reads the source values behind the expressions of the view on screen, and updates the marks. */
  private async readReach(): Promise<void> {
    const { reader } = this.shown;
    // The replacement view has its own read.
    if (reader && this.hasSlices && !(await this.readUnderlying(reader))) return;
    const { closed } = this;
    const headers = reader && closed.length > 0 ? await reader.closedHeaders(closed) : null;
    // The replacement view and newer closes have their own read.
    if (this.shown.reader !== reader || this.closed !== closed) return;
    this.closedIn = reader && headers && { reader, headers };
    this.reaches = null;
    this.paint();
  }

  /** Reads the source values behind the expressions of a view. @returns false if the view was replaced */
  private async readUnderlying(reader: ViewReader): Promise<boolean> {
    const underlying = await reader.allUnderlying();
    if (this.shown.reader !== reader) return false;
    this.underlying = underlying;
    return true;
  }

  /** Returns the cells of the view on screen that a slice reaches; null if the view is being replaced. */
  async reachOf(slice: Slice): Promise<Reach | null> {
    const { reader } = this.shown;
    return reader && (await this.readUnderlying(reader)) ? this.reachIn(reader, slice) : null;
  }

  private get cells(): NodeListOf<Element> {
    return this.element.querySelectorAll('thead th, tbody td, tbody th');
  }

  /**
   * Stores the identity of each element. Elements match the data that was read for them only right after a
   * drawing.
   */
  private identifyAll(): void {
    for (const cell of this.cells) {
      const identity = this.identify(cell);
      if (identity) this.identities.set(cell, identity);
      else this.identities.delete(cell);
      const { x, y } = this.element.getMeta(cell) ?? {};
      const isNumber = cell.tagName === 'TD' && x !== undefined && y !== undefined;
      this.numbers.set(cell, isNumber ? this.shown.numberAt({ x, y }) : null);
      if (cell.tagName === 'TH') nameInFull(cell);
    }
  }

  private paint(): void {
    const { reader } = this.shown;
    if (!reader) return;
    const { touched, changed, locks, comments, reviews } = this.reachesOf(reader);
    const closed = this.closedIn?.reader === reader ? this.closedIn.headers : null;
    for (const cell of this.cells) {
      const identity = this.identities.get(cell) ?? null;
      const isHeader = cell.tagName === 'TH';
      const selected = identity !== null && this.isSelected(identity);
      cell.classList.toggle('pf-selected', selected);
      cell.classList.toggle('pf-active', selected && cellKey(identity) === this.active);
      if (isHeader) {
        const isClosed = identity !== null && closed?.names(identity) === true;
        cell.classList.toggle('pf-closed', isClosed);
        reviews.mark(cell, cell.closest('thead') ? null : identity);
        continue;
      }
      cell.classList.toggle('pf-handle', selected && cellKey(identity) === this.handle);
      cell.classList.toggle('pf-fill', this.filled !== null && this.isFilled(cell, this.filled));
      const planned = identity && this.isOfPlan(identity.measure ?? '') ? identity : null;
      const isHinted =
        planned !== null && (this.isWritten(planned, cell) || touched?.touches(planned) === true);
      cell.classList.toggle('pf-hint', isHinted);
      cell.classList.toggle('pf-glow', planned !== null && (changed?.touches(planned) ?? false));
      const locked = planned && locks.textOf(planned);
      cell.classList.toggle('pf-locked', locked !== null);
      const comment = planned && comments.on(planned);
      cell.classList.toggle('pf-commented', comment !== null);
      const review = reviews.mark(cell, planned);
      const isAmount = reader.wayOf(identity?.measure ?? null) === null;
      const after = isAmount ? (this.numbers.get(cell) ?? 0) : null;
      const tried = identity && this.tried && triedText(this.tried, identity, after);
      cell.classList.toggle('pf-tried', tried !== null);
      const unsaved = identity && this.unsaved.get(cellKey(identity));
      cell.classList.toggle('pf-unsaved', Boolean(unsaved));
      if (unsaved) cell.setAttribute('data-unsaved', unsaved);
      else cell.removeAttribute('data-unsaved');
      const unsavedText = unsaved ? `Not saved yet: ${unsaved}` : null;
      const title =
        unsavedText ?? tried ?? ([locked, review, comment].filter(Boolean).join('\n') || null);
      if (title) cell.setAttribute('title', title);
      else cell.removeAttribute('title');
    }
    outlineSelected(this.element);
  }

  private isFilled(cell: Element, { x0, x1, y0, y1 }: CellBlock): boolean {
    const { x = -1, y = -1 } = this.element.getMeta(cell) ?? {};
    return x >= x0 && x <= x1 && y >= y0 && y <= y1;
  }

  /** Checks whether the log entry wrote into a cell, and not only into cells below it that are shown. */
  private isWritten(identity: CellIdentity, cell: Element): boolean {
    if (!this.written) return false;
    if (this.written.amountIn(identity) === 0 && !this.written.changesResult(identity))
      return false;
    const { x, y } = this.element.getMeta(cell) ?? {};
    const column = this.shown.columnAt(x);
    const isTotal = column !== null && column.leaves.length > 1 && !column.isClosed;
    return !isTotal && !(y !== undefined && this.shown.isOpenAt(y));
  }

  /** Returns the cells of a view that the slices reach. */
  private reachesOf(reader: ViewReader): Reaches {
    if (this.reaches?.reader !== reader) {
      const reachOf = (slice: Slice) => this.reachIn(reader, slice);
      const ofMarked = ({ slice, text }: MarkedSlice) => ({ reach: reachOf(slice), text });
      const touched = this.slice && reachOf(this.slice);
      const changed = this.changed && reachOf(this.changed);
      const comments = new CommentTexts(this.comments.map(ofMarked));
      const reviews = new ReviewEdges(
        this.reviews.map(({ slice, ...mark }) => ({ ...mark, reach: reachOf(slice) })),
      );
      const changeable = this.changeable?.map(reachOf) ?? null;
      const locks = new LockedCells(this.locks.map(ofMarked), changeable);
      this.reaches = { reader, touched, changed, locks, comments, reviews };
    }
    return this.reaches;
  }

  private reachIn(reader: ViewReader, slice: Slice): Reach {
    const { config, schema } = reader;
    const isExpression = (name: string) => reader.isExpression(name);
    const { membersOf } = this.shown;
    const cells = { ...config, schema, isExpression, membersOf };
    return new Reach(reader.inKeys(slice), cells, this.underlying);
  }

  private identify(cell: Element): CellIdentity | null {
    const { shown, element } = this;
    const meta = element.getMeta(cell);
    if (!meta) return null;
    if (cell.closest('thead')) {
      // The lowest headers name measures, which cannot be selected.
      if (meta.x === undefined || meta.column_header_y === undefined) return null;
      return shown.columnHeaderAt(meta.x, meta.column_header_y);
    }
    if (meta.y === undefined) return null;
    return shown.identityAt({ x: meta.x ?? null, y: meta.y });
  }

  private isSelected(identity: CellIdentity): boolean {
    if (this.selected.has(cellKey(identity))) return true;
    if (this.rows.size > 0 && this.rows.has(pathKey(identity.rowPath))) return true;
    return this.columns.some((columnPath) => {
      const across = identity.columnPath?.slice(0, columnPath.length);
      return across !== undefined && pathKey(across) === pathKey(columnPath);
    });
  }
}

/**
 * Returns the text of a cell that a trial changes; null if the trial does not change it.
 *
 * @param after the amount in the cell, with the trial; null if the cell shows another number, such as a share
 */
export function triedText(
  { tried, text }: TriedMark,
  cell: CellIdentity,
  after: number | null,
): string | null {
  const amount = tried.amountIn(cell);
  if (amount === 0 && !tried.changesResult(cell)) return null;
  if (amount === 0 || after === null) return 'Changed by what you are trying';
  return text(tidy(after - amount), after, cell.measure);
}

/** Shows a label in full on hover if it is cut off on screen. */
function nameInFull(header: Element): void {
  const text = header.textContent ?? '';
  if (text.length > LONG_LABEL) header.setAttribute('title', text);
  else header.removeAttribute('title');
}

/** The text of cells whose rows the user may see but not change. */
const BEYOND = 'You may see these rows but not change them';

/** Finds cells whose rows are all locked, or all outside what the user may change. */
class LockedCells {
  /**
   * @param locks of the version
   * @param changeable what the user may change; null for everything
   */
  constructor(
    private readonly locks: readonly MarkedReach[],
    private readonly changeable: readonly Reach[] | null,
  ) {}

  /** Returns the text of a locked cell, which may be empty; null for any other cell. */
  textOf(cell: CellIdentity): string | null {
    if (this.changeable?.every((reach) => reach.misses(cell))) return BEYOND;
    return this.locks.find(({ reach }) => reach.holds(cell))?.text ?? null;
  }
}

/** A side of a cell, and the step to its neighbour there. */
const SIDES = [
  ['top', -1, 0],
  ['right', 0, 1],
  ['bottom', 1, 0],
  ['left', 0, -1],
] as const;

/**
 * Gives each selected cell an edge class on the sides without a selected neighbour, so that a block has one
 * outline. Neighbours are judged as drawn.
 */
function outlineSelected(table: Element): void {
  const rows = [...table.querySelectorAll('tbody tr')].map((tr) => [...tr.children]);
  const isSelected = (cell: Element | undefined) =>
    cell?.classList.contains('pf-selected') ?? false;
  for (const [y, row] of rows.entries()) {
    for (const [x, cell] of row.entries()) {
      for (const [side, dy, dx] of SIDES) {
        const isEdge = isSelected(cell) && !isSelected(rows[y + dy]?.[x + dx]);
        cell.classList.toggle(`pf-edge-${side}`, isEdge);
      }
    }
  }
}
