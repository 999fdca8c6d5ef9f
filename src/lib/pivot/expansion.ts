import { pathKey } from './cell';
import type { CellValue, View } from './engine-types';

/** In a view of more rows than this, rows that were opened one by one are not opened again. */
const MAX_ROWS = 200_000;

/**
 * Which rows of a tree are open: a depth for all of them, and the rows opened or closed one by one
 * since. The engine forgets both with each new view, so they are kept here, by path.
 */
export class Expansion {
  private groupBy = '';
  private opened = new Map<string, CellValue[]>();
  private closed = new Map<string, CellValue[]>();

  /** Levels open below the first; null: all of them. */
  depth: number | null = null;

  setDepth(depth: number | null): void {
    this.depth = depth;
    this.opened.clear();
    this.closed.clear();
  }

  open(path: CellValue[]): void {
    this.closed.delete(pathKey(path));
    this.opened.set(pathKey(path), path);
  }

  close(path: CellValue[]): void {
    this.opened.delete(pathKey(path));
    this.closed.set(pathKey(path), path);
  }

  /** Opens and closes the rows of a new view. If the grouping is another, only the depth is kept. */
  async applyTo(
    view: View,
    groupBy: readonly string[],
    rowPaths: () => Promise<CellValue[][]>,
  ): Promise<void> {
    const key = JSON.stringify(groupBy);
    if (key !== this.groupBy) {
      this.opened.clear();
      this.closed.clear();
      this.groupBy = key;
    }
    if (groupBy.length > 1 && this.depth !== null) await view.set_depth(this.depth);
    if (this.opened.size + this.closed.size === 0) return;
    if ((await view.num_rows()) > MAX_ROWS) return;
    for (let level = 0; level < groupBy.length; level++)
      await this.applyLevel(view, level, rowPaths);
  }

  private async applyLevel(view: View, level: number, rowPaths: () => Promise<CellValue[][]>) {
    const atLevel = (paths: Map<string, CellValue[]>) =>
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
