/** Picks the cell or row whose months the next amounts follow. */
import { isResult } from '../../pivot/rows/formula-columns';
import type { CellIdentity, CellPosition, MarkedCell, ReadCell } from '../../pivot/slice/cell';
import type { OriginColumn } from '../../pivot/rows/origins';
import type { Slice } from '../../contract/slices';
import type { Loading } from '../version/loading.svelte';
import type { Selection } from '../selection/selection.svelte';
import { NOT_THE_PLAN } from '../selection/selected-slice';
import type { PickedCell } from '../amounts/shape';
import type { Shapes } from './shapes.svelte';

const NO_PATTERN = 'Pick a cell of the plan, of the reference or of another version.';
const NOT_THE_PLAN_TEXTS: ReadonlySet<string> = new Set(Object.values(NOT_THE_PLAN));

/** The cells that get the amounts, while another cell is picked. */
interface PickingTarget {
  cells: readonly MarkedCell[];
  slice: Slice;
  /** Their name, for a sentence. */
  name: string;
}

/**
 * The picking of a cell or row as the pattern of a shape. Meanwhile a click picks the cell, and the arrow keys
 * move the selection to the one that Enter picks. Then the previous cells are selected again.
 */
export class Picking {
  /** The cells that get the amounts; null if nothing is being picked. */
  target = $state.raw<PickingTarget | null>(null);
  private isEnding = false;
  /** Moves the focus back to where the picking began. */
  private goBack: () => void = () => undefined;
  private onPicked: () => void = () => undefined;

  /** @param onRefusal is called with a sentence if a cell cannot be a pattern */
  constructor(
    private readonly loading: Loading,
    private readonly selection: Selection,
    private readonly shapes: Shapes,
    private readonly onRefusal: (sentence: string) => void,
  ) {}

  /** Whether there are selected cells to pick a pattern for. */
  get isPossible(): boolean {
    return this.selection.current !== null && this.selection.marked.length > 0;
  }

  /**
   * Begins to pick, in the grid, for the cells that were pressed last, once they are read.
   *
   * @param goBack moves the focus when the picking has ended
   * @param onPicked called when a pattern was picked
   */
  async begin(
    goBack = () => this.loading.pivot?.grid.focus(),
    onPicked: () => void = () => undefined,
  ): Promise<void> {
    const marked = await this.selection.markedByNow();
    const { current, active } = this.selection;
    if (!current || !active || marked.length === 0) return;
    const name = marked.length === 1 ? this.selection.reader.nameOf(active) : 'the selected cells';
    this.goBack = goBack;
    this.onPicked = onPicked;
    this.target = { cells: marked, slice: current.slice, name };
    this.loading.pivot?.grid.focus();
  }

  /** Picks a cell that was clicked; null for one that is just being redrawn. */
  async press(cell: CellIdentity | null, at: CellPosition): Promise<void> {
    if (this.isEnding) return;
    await this.selection.select(cell, at, 'alone');
    await this.pick();
  }

  /** Picks the selected cell. If it cannot be a pattern, the picking goes on. */
  async pick(): Promise<void> {
    const cell = await this.selection.readActive();
    const { target } = this;
    if (!cell || !target || this.isEnding) return;
    const pattern = this.patternOf(cell);
    if (typeof pattern === 'string') return this.onRefusal(pattern);
    await this.end(() => this.shapes.pick(pattern, target.slice));
    this.onPicked();
  }

  /**
   * Stops picking once the previous cells are selected again, so that the form never shows them with the previous
   * shape.
   *
   * @param before called when they are selected, while the form is still hidden
   */
  async end(before: () => void = () => undefined): Promise<void> {
    const { target } = this;
    if (!target || this.isEnding) return;
    this.isEnding = true;
    await this.selection.selectAgain(target.cells);
    before();
    this.isEnding = false;
    this.target = null;
    this.goBack();
  }

  /** Returns the pattern that a cell is; a sentence if it cannot be one. */
  private patternOf(cell: ReadCell): PickedCell | string {
    const { reader } = this.selection;
    if (cell.impossible !== null && !NOT_THE_PLAN_TEXTS.has(cell.impossible))
      return cell.impossible;
    const [beyond] = cell.notHeld;
    if (beyond) return `This cell cannot be picked: it shows only a part, by “${beyond.text}”.`;
    const part = cell.measure === null ? null : this.loading.pivot?.origins.of(cell.measure);
    const from = part && !isResult(part.origin) ? rowsOf(part) : {};
    if (!from) return NO_PATTERN;
    const shows = reader.shownIn(part && !isResult(part.origin) ? { ...cell, ...part } : cell);
    const measure = typeof shows === 'string' ? { measure: shows } : {};
    return { kind: 'cell', name: reader.nameOf(cell), slice: cell.slice, ...from, ...measure };
  }
}

/** Returns whose rows a column shows; null if it compares two. */
function rowsOf({
  origin,
  version,
}: OriginColumn): Pick<PickedCell, 'origins' | 'version_id'> | null {
  if (origin === 'reference') return { origins: ['reference'] };
  return origin === 'other' && version !== null ? { version_id: version } : null;
}
