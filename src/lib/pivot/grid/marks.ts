import type { Slice } from '../../contract/operations';
import type { CellIdentity } from '../slice/cell';
import { cellKey, pathKey } from '../slice/cell';
import { tidy } from '../values/cell-value';
import type { CellValue, RegularTable } from '../values/engine-types';
import { Reach } from './reach';
import type { Shown } from './shown';
import type { Tried } from './tried';
import type { Underlying } from '../slice/underlying';
import type { ViewReader } from './view-reader';

/** A label of so many characters may not fit: hovering over it shows all of it. */
const LONG_LABEL = 24;

/** So long the cells keep the class with which they light up once. */
const GLOW_MS = 5000;

/** A slice whose rows nobody may change. */
interface LockedSlice {
  slice: Slice;
  /** Says that it is locked, by whom and why. */
  text: string;
}

/** What is tried, and how a cell that it changes says so. */
export interface TriedMark {
  tried: Tried;
  text(before: number, after: number, measure: string | null): string;
}

interface Reaches {
  reader: ViewReader;
  touched: Reach | null;
  changed: Reach | null;
  locks: readonly { reach: Reach; text: string }[];
}

/**
 * The marks on the grid's cells: those that are selected, those that a slice reaches, and those that
 * are locked. Knows what each cell on screen is, as it was drawn: a change may have moved the rows
 * since.
 */
export class Marks {
  private selected = new Set<string>();
  /** The cell that is typed into, if several are selected. */
  private active: string | null = null;
  /** Selected headers, of rows and of columns: all cells along them are marked. */
  private rows = new Set<string>();
  private columns: readonly (readonly CellValue[])[] = [];
  private slice: Slice | null = null;
  private locks: readonly LockedSlice[] = [];
  /** What somebody else has just changed. */
  private changed: Slice | null = null;
  /** What is tried; null if nothing is. */
  private tried: TriedMark | null = null;
  /** What the values of expressions stand for, while slices are marked. */
  private underlying = new Map<string, Underlying>();
  /** Which cells of the view on screen the slices reach; made anew if any of them changes. */
  private reaches: Reaches | null = null;
  private readonly identities = new WeakMap<Element, CellIdentity>();
  /** The numbers that the cells show. */
  private readonly numbers = new WeakMap<Element, number | null>();

  constructor(
    private readonly shown: Shown,
    private readonly element: RegularTable,
    /** The columns that show or compare another version: no lock of this one holds their rows. */
    private readonly ofOther: ReadonlySet<string>,
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

  /** Marks cells as selected, and redraws nothing else. @param active the one that is typed into */
  select(cells: readonly CellIdentity[], active: CellIdentity | null): void {
    this.active = active && cells.length > 1 ? cellKey(active) : null;
    this.selected = new Set(cells.filter((cell) => cell.measure !== null).map(cellKey));
    const headers = cells.filter((cell) => cell.measure === null);
    this.columns = headers.flatMap(({ columnPath }) => (columnPath === null ? [] : [columnPath]));
    this.rows = new Set(
      headers.flatMap(({ columnPath, rowPath }) => (columnPath === null ? [pathKey(rowPath)] : [])),
    );
    this.paint();
  }

  /** Marks the cells that a slice reaches; null marks none. */
  async showReach(slice: Slice | null): Promise<void> {
    this.slice = slice;
    await this.readReach();
  }

  /** Marks the cells all of whose rows are locked, as far as the pivot shows the columns of a lock. */
  async showLocks(locks: readonly LockedSlice[]): Promise<void> {
    this.locks = locks;
    await this.readReach();
  }

  /** Marks the cells that are changed by what is tried; null marks none. */
  showTried(tried: TriedMark | null): void {
    this.tried = tried;
    this.paint();
  }

  /** Lets the cells that a slice reaches light up once. */
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

  /** Reads again what expressions stand for: rows came or went, or the view is another one. */
  invalidate(): void {
    if (this.hasSlices) void this.readReach().catch(() => undefined);
  }

  private get hasSlices(): boolean {
    return this.slice !== null || this.changed !== null || this.locks.length > 0;
  }

  /** Reads what the expressions of the view on screen stand for, and marks by it. */
  private async readReach(): Promise<void> {
    const { reader } = this.shown;
    if (reader && this.hasSlices) {
      for (const name of reader.expressions) {
        const underlying = await reader.underlyingValues(name);
        // The view in its place is read by itself.
        if (this.shown.reader !== reader) return;
        this.underlying.set(name, underlying);
      }
    }
    this.reaches = null;
    this.paint();
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
      const { x, y } = this.element.getMeta(cell) ?? {};
      const isNumber = cell.tagName === 'TD' && x !== undefined && y !== undefined;
      this.numbers.set(cell, isNumber ? this.shown.numberAt({ x, y }) : null);
      if (cell.tagName === 'TH') nameInFull(cell);
    }
  }

  private paint(): void {
    const { reader } = this.shown;
    if (!reader) return;
    const { touched, changed, locks } = this.reachesOf(reader);
    for (const cell of this.cells) {
      const identity = this.identities.get(cell) ?? null;
      const isHeader = cell.tagName === 'TH';
      const selected = identity !== null && this.isSelected(identity);
      const reached = !isHeader && identity !== null && (touched?.touches(identity) ?? false);
      cell.classList.toggle('pf-selected', selected);
      cell.classList.toggle('pf-active', selected && cellKey(identity) === this.active);
      cell.classList.toggle('pf-hint', reached);
      if (isHeader) continue;
      cell.classList.toggle('pf-glow', identity !== null && (changed?.touches(identity) ?? false));
      const isOther = this.ofOther.has(identity?.measure ?? '');
      const lock = !isOther && identity && locks.find(({ reach }) => reach.holds(identity));
      cell.classList.toggle('pf-locked', Boolean(lock));
      const triedText = identity && this.triedText(identity, cell);
      cell.classList.toggle('pf-tried', triedText !== null);
      const title = triedText ?? (lock ? lock.text : null);
      if (title) cell.setAttribute('title', title);
      else cell.removeAttribute('title');
    }
  }

  /** What a cell says that is changed by what is tried; null for one that is not. */
  private triedText(identity: CellIdentity, cell: Element): string | null {
    const after = this.numbers.get(cell) ?? 0;
    const amount = this.tried?.tried.amountIn(identity) ?? 0;
    return this.tried && amount !== 0
      ? this.tried.text(tidy(after - amount), after, identity.measure)
      : null;
  }

  /** Which cells the slices reach in a view. */
  private reachesOf(reader: ViewReader): Reaches {
    if (this.reaches?.reader !== reader) {
      const { config, schema } = reader;
      const isExpression = (name: string) => reader.isExpression(name);
      const reachOf = (slice: Slice) =>
        new Reach(slice, { ...config, schema, isExpression }, this.underlying);
      const touched = this.slice && reachOf(this.slice);
      const changed = this.changed && reachOf(this.changed);
      const locks = this.locks.map(({ slice, text }) => ({ reach: reachOf(slice), text }));
      this.reaches = { reader, touched, changed, locks };
    }
    return this.reaches;
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

/** A label that is cut off on screen is shown in full while the mouse is over it. */
function nameInFull(header: Element): void {
  const text = header.textContent ?? '';
  if (text.length > LONG_LABEL) header.setAttribute('title', text);
  else header.removeAttribute('title');
}
