import { pathKey } from '../cell';
import type { CellValue, View } from '../engine-types';

/** In a view of more rows than this, rows that were opened one by one are not opened again. */
const MAX_ROWS = 200_000;

/**
 * Which groups of a tree are open: a depth for all of them, and those opened or closed one by one since.
 * They are kept by path: the engine forgets those of the rows with each new view, and knows none of the
 * columns.
 */
export class Expansion {
  private columns = '';
  private opened = new Map<string, readonly CellValue[]>();
  private closed = new Map<string, readonly CellValue[]>();

  /** Levels open below the first; null: all of them. */
  depth: number | null = null;

  setDepth(depth: number | null): void {
    this.depth = depth;
    this.opened.clear();
    this.closed.clear();
  }

  open(path: readonly CellValue[]): void {
    this.closed.delete(pathKey(path));
    this.opened.set(pathKey(path), path);
  }

  close(path: readonly CellValue[]): void {
    this.opened.delete(pathKey(path));
    this.closed.set(pathKey(path), path);
  }

  isOpen(path: readonly CellValue[]): boolean {
    const key = pathKey(path);
    if (this.closed.has(key)) return false;
    return this.opened.has(key) || this.depth === null || path.length <= this.depth;
  }

  /** Goes on with groups of these columns. If they are others than before, only the depth is kept. */
  follow(columns: readonly string[]): void {
    const key = JSON.stringify(columns);
    if (key === this.columns) return;
    this.opened.clear();
    this.closed.clear();
    this.columns = key;
  }

  /** Opens and closes the rows of a new view. */
  async applyTo(
    view: View,
    groupBy: readonly string[],
    rowPaths: () => Promise<CellValue[][]>,
  ): Promise<void> {
    this.follow(groupBy);
    if (groupBy.length > 1 && this.depth !== null) await view.set_depth(this.depth);
    if (this.opened.size + this.closed.size === 0) return;
    if ((await view.num_rows()) > MAX_ROWS) return;
    for (let level = 0; level < groupBy.length; level++)
      await this.applyLevel(view, level, rowPaths);
  }

  private async applyLevel(view: View, level: number, rowPaths: () => Promise<CellValue[][]>) {
    const atLevel = (paths: Map<string, readonly CellValue[]>) =>
      [...paths.values()].filter((path) => path.length === level).length;
    if (atLevel(this.opened) + atLevel(this.closed) === 0) return;
    const paths = await rowPaths();
    // From the bottom up: opening a row moves only the rows below it.
    for (let y = paths.length - 1; y >= 0; y--) {
      const path = paths[y];
      if (path?.length !== level) continue;
      if (this.closed.has(pathKey(path))) await view.collapse(y);
      else if (this.opened.has(pathKey(path))) await view.expand(y);
    }
  }
}
