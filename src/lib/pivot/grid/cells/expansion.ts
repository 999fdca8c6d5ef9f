/** The open and closed groups of a tree of rows or columns. */
import * as v from 'valibot';
import { pathKey } from '../../slice/cell';
import type { CellValue, View } from '../../values/engine-types';

const paths = v.array(v.array(v.union([v.string(), v.number(), v.boolean(), v.null()])));

/**
 * The groups that were opened and closed individually since all were opened to a depth, with their columns.
 */
export const Toggled = v.object({
  columns: v.array(v.string()),
  depth: v.nullable(v.number()),
  opened: paths,
  closed: paths,
});
export type Toggled = v.InferOutput<typeof Toggled>;

/** Rows and columns that were opened and closed individually; null for none. */
export const ToggledGroups = v.object({ rows: v.nullable(Toggled), across: v.nullable(Toggled) });
export type ToggledGroups = v.InferOutput<typeof ToggledGroups>;

export const NONE_TOGGLED: ToggledGroups = { rows: null, across: null };

/** In views with more rows than this, rows that were opened individually are not opened again. */
const MAX_ROWS = 200_000;

/**
 * The open groups of a tree: a depth for all of them, and those opened or closed individually since. Groups
 * are stored by path, because the engine loses the open rows with each new view and has no open columns.
 */
export class Expansion {
  private columns: readonly string[] = [];
  private opened = new Map<string, readonly CellValue[]>();
  private closed = new Map<string, readonly CellValue[]>();

  /** Number of open levels below the first; null for all. */
  depth: number | null = null;

  setDepth(depth: number | null): void {
    this.depth = depth;
    this.opened.clear();
    this.closed.clear();
  }

  /** The groups that were opened and closed individually; null if there are none. */
  get toggled(): Toggled | null {
    const { columns, depth, opened, closed } = this;
    if (opened.size + closed.size === 0) return null;
    const pathsOf = (map: typeof opened) => [...map.values()].map((path) => [...path]);
    return { columns: [...columns], depth, opened: pathsOf(opened), closed: pathsOf(closed) };
  }

  /**
   * Restores groups that were opened and closed, if they belong to the current depth; {@link follow} compares
   * their columns.
   */
  recall({ columns, depth, opened, closed }: Toggled): void {
    if (depth !== this.depth) return;
    this.columns = columns;
    for (const path of opened) this.open(path);
    for (const path of closed) this.close(path);
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

  /**
   * Returns the number of levels of groups of these columns that are needed to show the open ones: 1 if all
   * are closed.
   */
  levelsOf(columns: readonly string[]): number {
    const isSame = JSON.stringify(columns) === JSON.stringify(this.columns);
    const opened = isSame ? [...this.opened.values()].filter((path) => this.isInSight(path)) : [];
    const deepest = Math.max(this.depth ?? columns.length, ...opened.map(({ length }) => length));
    return Math.min(deepest + 1, columns.length);
  }

  /** Checks whether all groups above a path are open. */
  private isInSight(path: readonly CellValue[]): boolean {
    return path.every((_, level) => this.isOpen(path.slice(0, level)));
  }

  /** Switches to groups of these columns. If the columns have changed, only the depth is kept. */
  follow(columns: readonly string[]): void {
    if (JSON.stringify(columns) === JSON.stringify(this.columns)) return;
    this.opened.clear();
    this.closed.clear();
    this.columns = columns;
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
