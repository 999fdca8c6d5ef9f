/** Opens and closes the rows of the grid. */
import type { CellIdentity } from '../../slice/cell';
import type { CellValue } from '../../values/engine-types';
import { endsInOthers } from '../../values/others';
import type { Busy } from '../../waiting';
import type { Shown } from './shown';

/** Maximum number of rows that {@link RowGroups.reveal} opens. */
const MOST_OPENED = 200;

/** Opens and closes rows, one by one or to a depth. */
export class RowGroups {
  /** Resolves when a recreated view has all of its rows open again. */
  private remaking: Promise<unknown> = Promise.resolve();

  /**
   * @param onRows is called after rows were opened or closed
   * @param onDeeper recreates the view, if open rows need levels that it does not have
   */
  constructor(
    private readonly shown: Shown,
    private readonly busy: Busy,
    private readonly onRows: () => Promise<void>,
    private readonly onDeeper: () => Promise<void>,
  ) {}

  /** Opens all rows to a depth: 0 shows only the first level. */
  async setDepth(depth: number): Promise<void> {
    const { view, expansion } = this.shown;
    const before = expansion.depth;
    expansion.setDepth(depth);
    if (!view) return;
    await this.busy.during(async () => {
      const isJoined = await this.joinLevels(() => expansion.setDepth(before));
      if (!isJoined) await view.set_depth(depth);
      await this.onRows();
    });
  }

  /** Makes callers that open or close a row wait until `work` ends, which may recreate the view. */
  whileRemade<T>(work: () => Promise<T>): Promise<T> {
    const working = work();
    this.remaking = working.catch(() => undefined);
    return working;
  }

  /** Opens a row, or closes it if rows below it are shown. @param y position of the row on screen */
  toggle(path: readonly CellValue[], y: number): Promise<void> {
    const opens = this.shown.isDrawnAt(y) ? !this.shown.isOpenAt(y) : null;
    return this.busy.during(async () => {
      await this.openOrClose(path, y, opens);
      await this.onRows();
    });
  }

  /** @param opens whether to open the row; null toggles it */
  private async openOrClose(
    path: readonly CellValue[],
    near: number,
    opens: boolean | null,
  ): Promise<void> {
    await this.remaking;
    if (endsInOthers(path)) return;
    const isToOpen = await this.setRow(path, near, opens);
    const { expansion } = this.shown;
    if (isToOpen) {
      expansion.open(path);
      const isJoined = await this.joinLevels(() => expansion.close(path));
      // With a very large number of rows, a recreated view opens only the rows of its depth.
      if (isJoined) await this.setRow(path, near, true);
    } else if (isToOpen === false) expansion.close(path);
  }

  /**
   * Opens or closes a row of the view, if the view has the level below it.
   *
   * @param opens whether to open the row; null toggles it
   * @returns whether the row should be open; null if the view has no such row, so that a toggle is undecided
   */
  private async setRow(
    path: readonly CellValue[],
    near: number,
    opens: boolean | null,
  ): Promise<boolean | null> {
    let isToOpen = opens;
    await this.shown.ask(async (reader, view) => {
      const row: CellIdentity = { rowPath: path, columnPath: null, measure: null };
      const at = await reader.find(row, { x: null, y: near });
      if (!at) return;
      const [, next] = await reader.rowPaths(at.y, at.y + 2);
      const isOpen = this.shown.isOpenRow(path, next);
      isToOpen ??= !isOpen;
      const hasRows = path.length < reader.levels;
      if (hasRows && isToOpen !== isOpen)
        await (isToOpen ? view.expand(at.y) : view.collapse(at.y));
    });
    return isToOpen;
  }

  /**
   * Has the view recreated if it lacks levels that are open now.
   *
   * @param onFailure closes the opened rows again, so that later views do not request them
   * @returns whether the view lacked a level
   */
  private async joinLevels(onFailure: () => void): Promise<boolean> {
    if (!this.shown.lacksLevels) return false;
    try {
      await this.onDeeper();
      return true;
    } catch (error) {
      onFailure();
      throw error;
    }
  }

  /**
   * Opens the rows above all rows of a depth that a test admits.
   *
   * @param admits checks a path of any length; levels that it lacks are not tested
   * @throws Error with a sentence if these are too many rows
   */
  reveal({
    depth,
    admits,
  }: {
    depth: number;
    admits(path: readonly CellValue[]): boolean;
  }): Promise<void> {
    return this.busy.during(async () => {
      let opened = 0;
      for (let level = 1; level < depth; level++) {
        const closed = await this.closedRows(level, admits);
        opened += closed.length;
        if (opened > MOST_OPENED)
          throw new Error(`its cells are below ${opened} closed rows. Open these rows first.`);
        // From the last to the first: opening a row moves the rows below it.
        for (const { path, y } of closed.toReversed()) await this.openOrClose(path, y, true);
      }
      if (opened > 0) await this.onRows();
    });
  }

  private closedRows(
    level: number,
    admits: (path: readonly CellValue[]) => boolean,
  ): Promise<{ path: readonly CellValue[]; y: number }[]> {
    return this.shown.ask(async (reader) => {
      const paths = await reader.rowPaths(0);
      return paths.flatMap((path, y) => {
        const isOpen = this.shown.isOpenRow(path, paths[y + 1]);
        return path.length === level && !isOpen && !endsInOthers(path) && admits(path)
          ? [{ path, y }]
          : [];
      });
    });
  }
}
