import type { LayoutSort } from '../contract/stored-layout';
import type { CellIdentity, CellPosition } from './cell';
import { tidy } from './cell-value';
import { parseRows, ROW_KEY, ROW_PATH } from './columns-json';
import type { CellValue, Table, View, ViewWindow } from './engine-types';
import { Expansion } from './expansion';
import { columnLabels, headOf, label, labelStyle } from './labels';
import type { Ratio } from './origins';
import { painted, ViewReader } from './view-reader';

/** So long a question waits for the view that takes the place of one that is gone. */
const REPLACED_WITHIN_MS = 10_000;

/**
 * What the grid shows: the engine's view with every group under a label of its own, its rows open or
 * closed as they were before, and the typed values behind its rows and columns.
 */
export class Shown {
  readonly expansion = new Expansion();
  /** The view on screen; null before the first. */
  view: View | null = null;
  /** The reader of that view. */
  reader: ViewReader | null = null;
  /** A label per column of the view, no two of them alike. */
  labels: string[] = [];
  /** The typed split values behind each column; empty if the view splits by nothing. */
  columnPaths: (CellValue[] | null)[] = [];
  private printedPaths: string[] = [];
  private replaced = new Signal();
  /** What the grid read last, which is what it draws next. */
  private window: Window = {
    start: 0,
    paths: [],
    columnPaths: [],
    values: new Map(),
    reader: null,
  };

  constructor(
    private readonly table: Table,
    /** The columns that are painted from others. */
    private readonly ratios: ReadonlyMap<string, Ratio>,
    private readonly sort: () => Promise<LayoutSort[]>,
    /** Is told after rows were opened or closed. */
    private readonly onRows: () => void,
  ) {}

  /** Takes over a new view of the viewer. */
  async adopt(view: View): Promise<void> {
    const before = this.reader;
    this.view = view;
    const reader = await ViewReader.open(this.table, view, await this.sort(), this.ratios);
    this.reader = reader;
    void before?.dispose().catch(() => undefined);
    await this.expansion.applyTo(view, reader.config.group_by, async () =>
      reader.rowPaths(0, await view.num_rows()),
    );
    await this.readColumns();
    this.endWaiting();
  }

  /**
   * Asks about the view on screen. If the viewer is just replacing this view, the question waits for
   * the new one.
   *
   * @throws Error if the pivot is not shown as a grid, or if the new view is arranged in another way:
   * a cell of before would mean other rows there
   */
  async ask<T>(question: (reader: ViewReader, view: View) => Promise<T>): Promise<T> {
    const context = this.reader?.sliceContext;
    for (;;) {
      const { reader, view, replaced } = this;
      if (!reader || !view) throw new Error('it is not shown as a grid.');
      if (reader.sliceContext !== context) throw new Error('it is arranged in another way now.');
      try {
        return await question(reader, view);
      } catch (error) {
        if (this.reader === reader && !(await isGone(view))) throw error;
        if (!(await replaced.within(REPLACED_WITHIN_MS))) throw error;
      }
    }
  }

  /**
   * Follows rows that came or went in the view.
   *
   * @returns whether its columns are others now
   */
  async follow(view: View): Promise<boolean> {
    this.view = view;
    this.reader?.invalidate();
    const before = this.labels.join('\n');
    await this.readColumns();
    return this.labels.join('\n') !== before;
  }

  async dispose(): Promise<void> {
    const { reader } = this;
    this.reader = null;
    this.view = null;
    this.endWaiting();
    await reader?.dispose();
  }

  /**
   * What is at a place on screen; null for one that the grid has not drawn, or whose column cannot
   * be told.
   */
  identityAt({ x, y }: Pick<CellPosition, 'x' | 'y'>): CellIdentity | null {
    const rowPath = this.rowPathAt(y);
    const { reader, columnPaths } = this.window;
    const { split_by = [], group_by = [] } = reader?.config ?? {};
    const hasColumns = x !== null && split_by.length > 0 && group_by.length > 0;
    const columnPath = hasColumns ? columnPaths[x] : null;
    if (!rowPath || (hasColumns && !columnPath)) return null;
    const measures = reader?.shown ?? [];
    return {
      rowPath,
      columnPath: columnPath ?? null,
      measure: x === null ? null : (measures[x % measures.length] ?? null),
    };
  }

  /** The number at a place on screen; null for one that is empty or not drawn. */
  numberAt({ x, y }: { x: number; y: number }): number | null {
    const value = this.window.values.get(x)?.[y - this.window.start];
    return typeof value === 'number' ? tidy(value) : null;
  }

  /** Whether what is drawn means the same in the view of now: it may not be drawn yet. */
  get isDrawn(): boolean {
    return this.window.reader?.sliceContext === this.reader?.sliceContext;
  }

  /** Whether a column shows shares, of which the engine has no sums. */
  isShare(x: number | undefined): boolean {
    return x !== undefined && this.window.reader?.isShare(x) === true;
  }

  /** What the header of a split column stands for; null for one that stands for no rows. */
  columnHeaderAt(x: number, level: number): CellIdentity | null {
    const { reader, columnPaths } = this.window;
    const { split_by = [], group_by = [] } = reader?.config ?? {};
    if (level >= split_by.length || group_by.length === 0) return null;
    const columnPath = columnPaths[x]?.slice(0, level + 1);
    return columnPath ? { rowPath: [], columnPath, measure: null } : null;
  }

  /** The path of a row on screen; undefined for one that the grid has not asked for. */
  rowPathAt(y: number): CellValue[] | undefined {
    return this.window.paths[y - this.window.start];
  }

  /** How the values of a column are written. */
  styleOf(column: string | undefined) {
    if (column === undefined || !this.reader) return undefined;
    return labelStyle(this.reader.schema[column], this.reader.config.expressions[column]);
  }

  /** Whether a cell's row is on screen or could be scrolled to: no row above it is closed. */
  async isOpen(identity: CellIdentity): Promise<boolean> {
    return this.ask(
      async (reader) =>
        reader.config.group_by.length === 0 || (await reader.find(identity)) !== null,
    );
  }

  /** Where a cell is now, or the innermost row above it that is not closed away. */
  async findVisible(
    identity: CellIdentity,
    near: CellPosition | null,
  ): Promise<CellPosition | null> {
    return this.ask(async (reader) => {
      if (reader.config.group_by.length === 0) return near;
      for (let depth = identity.rowPath.length; depth >= 0; depth--) {
        const rowPath = identity.rowPath.slice(0, depth);
        const found = await reader.find({ ...identity, rowPath }, near);
        if (found) return found;
      }
      return null;
    });
  }

  /**
   * The view as the grid may see it: groups and columns under labels that differ if the values
   * differ. The engine prints null like "null", breaks headers at a `|`, and if two columns have one
   * name, shows the numbers of the last for both.
   */
  displayed(view: View): View {
    const overrides: Partial<View> = {
      schema: async () => {
        const schema = await view.schema();
        const headed = Object.entries(schema).map(
          ([name, type]) => [headOf(name), this.ratios.has(name) ? 'float' : type] as const,
        );
        return { ...schema, ...Object.fromEntries(headed) };
      },
      expression_schema: async () => {
        const schema = await view.expression_schema();
        const { group_by = [], columns = [] } = this.reader?.config ?? {};
        const headers = group_by.filter((name) => !columns.includes(name));
        return {
          ...schema,
          ...Object.fromEntries(headers.map((name) => [name, 'string' as const])),
        };
      },
      column_paths: async (window) =>
        this.labels.slice(window?.start_col ?? 0, window?.end_col ?? this.labels.length),
      to_columns_string: (window) => this.displayedColumns(view, window),
      expand: async (y) => {
        const path = this.rowPathAt(y);
        if (path) this.expansion.open(path);
        return this.told(view.expand(y));
      },
      collapse: async (y) => {
        const path = this.rowPathAt(y);
        if (path) this.expansion.close(path);
        return this.told(view.collapse(y));
      },
      set_depth: async (depth) => {
        this.expansion.setDepth(depth);
        return this.told(view.set_depth(depth));
      },
    };
    return new Proxy(view, {
      get(target, name) {
        const override: unknown = Reflect.get(overrides, name);
        if (override !== undefined) return override;
        const member: unknown = Reflect.get(target, name, target);
        return typeof member === 'function' ? member.bind(target) : member;
      },
    });
  }

  /** Lets questions go on that wait for another view. */
  private endWaiting(): void {
    this.replaced.give();
    this.replaced = new Signal();
  }

  private async readColumns(): Promise<void> {
    const { reader } = this;
    if (!reader) return;
    this.printedPaths = await reader.printedPaths();
    const { split_by } = reader.config;
    if (split_by.length === 0) {
      this.columnPaths = [];
      this.labels = this.printedPaths.map(headOf);
      return;
    }
    this.columnPaths = await reader.columnPaths();
    this.printedPaths = await reader.printedPaths();
    this.labels = columnLabels(
      this.columnPaths,
      reader.shown,
      split_by.map((name) => this.styleOf(name)),
    );
  }

  private async told<T>(change: Promise<T>): Promise<T> {
    const changed = await change;
    this.onRows();
    return changed;
  }

  private async displayedColumns(view: View, window: ViewWindow = {}): Promise<string> {
    // While the rows are read, a change may bring other columns, which are drawn after these.
    const { reader, labels, columnPaths, printedPaths } = this;
    const read = parseRows(await view.to_columns_string(window));
    const styles = reader?.config.group_by.map((name) => this.styleOf(name)) ?? [];
    const { start_row, end_row, start_col = 0, end_col = printedPaths.length } = window;
    // The grid always names the rows that it draws; who copies all of them draws nothing.
    const drawn = new Map<number, readonly CellValue[]>();
    if (start_row !== undefined) {
      const paths = read.paths ?? read.keys ?? [];
      this.window = { start: start_row, paths, columnPaths, values: drawn, reader };
    }
    const shown: [string, readonly unknown[]][] = [];
    if (read.paths) {
      const labels = read.paths.map((path) => path.map((value, i) => label(value, styles[i])));
      shown.push([ROW_PATH, labels]);
    }
    if (read.keys) shown.push([ROW_KEY, read.keys]);
    const rows = {
      ...(start_row !== undefined && { start_row }),
      ...(end_row !== undefined && { end_row }),
    };
    const valuesAt = async (x: number): Promise<readonly CellValue[] | undefined> => {
      const path = printedPaths[x] ?? '';
      const alone = printedPaths.indexOf(path) === printedPaths.lastIndexOf(path);
      const values = alone ? read.columns.get(path) : undefined;
      return (
        values ??
        (x >= start_col && x < end_col && alone ? undefined : reader?.columnValues(x, rows))
      );
    };
    for (let x = start_col; x < Math.min(end_col, printedPaths.length); x++) {
      const painting = reader?.paintingOf(x);
      const values = painting ? await painted(painting, valuesAt) : await valuesAt(x);
      if (!values) continue;
      shown.push([labels[x] ?? '', values]);
      drawn.set(x, values);
    }
    return tidied(shown);
  }
}

/** Something that happens once, and that many may wait for. */
class Signal {
  give: () => void = () => undefined;
  private readonly given = new Promise<true>((resolve) => (this.give = () => resolve(true)));

  /** @returns whether it happened within so many milliseconds */
  async within(ms: number): Promise<boolean> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<false>((resolve) => (timer = setTimeout(resolve, ms, false)));
    const isGiven = await Promise.race([this.given, late]);
    clearTimeout(timer);
    return isGiven;
  }
}

/** Whether the viewer has deleted a view: it answers nothing any more. */
export const isGone = (view: View): Promise<boolean> =>
  view.num_rows().then(
    () => false,
    () => true,
  );

/** Rows that the grid read, from `start` on, with the columns and the reader of that moment. */
interface Window {
  start: number;
  paths: CellValue[][];
  columnPaths: (CellValue[] | null)[];
  /** The values of each column that was read. */
  values: ReadonlyMap<number, readonly CellValue[]>;
  reader: ViewReader | null;
}

const tidied = (columns: (readonly [name: string, values: readonly unknown[]])[]) =>
  JSON.stringify(Object.fromEntries(columns), (_, value: unknown) =>
    typeof value === 'number' && !Number.isInteger(value) ? tidy(value) : value,
  );
