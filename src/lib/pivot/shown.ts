import type { LayoutSort } from '../contract/layout';
import type { CellIdentity, CellPosition } from './cell';
import { pathKey } from './cell';
import { tidy } from './cell-value';
import { parseRows, ROW_KEY, ROW_PATH } from './columns-json';
import type { CellValue, Table, View, ViewWindow } from './engine-types';
import { Expansion } from './expansion';
import { columnLabels, label, labelStyle } from './labels';
import { ViewReader } from './view-reader';

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
  columnPaths: CellValue[][][] = [];
  private printedPaths: string[] = [];
  /** The rows that the grid read last. */
  private window: { start: number; paths: CellValue[][] } = { start: 0, paths: [] };

  constructor(
    private readonly table: Table,
    private readonly sort: () => Promise<LayoutSort[]>,
  ) {}

  /** Takes over a new view of the viewer. */
  async adopt(view: View): Promise<void> {
    const before = this.reader;
    this.view = view;
    const reader = await ViewReader.open(this.table, view, await this.sort());
    this.reader = reader;
    void before?.dispose().catch(() => undefined);
    await this.expansion.applyTo(view, reader.config.group_by, async () =>
      reader.rowPaths(0, await view.num_rows()),
    );
    await this.readColumns();
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
    await this.reader?.dispose();
    this.reader = null;
    this.view = null;
  }

  async rowCount(): Promise<number> {
    return (await this.view?.num_rows()) ?? 0;
  }

  /** The path of a row on screen; undefined if the grid has not read it. */
  rowPathAt(y: number): CellValue[] | undefined {
    return this.window.paths[y - this.window.start];
  }

  /** The measure that a column shows; null if there is none. */
  measureAt(x: number): string | null {
    const measures = this.reader?.shown ?? [];
    return measures[x % measures.length] ?? null;
  }

  /** How the values of a column are written. */
  styleOf(column: string | undefined) {
    if (column === undefined || !this.reader) return undefined;
    return labelStyle(this.reader.schema[column], this.reader.config.expressions[column]);
  }

  /** Where a body cell or row header is now; null if it is not shown. */
  async find({ rowPath, columnPaths, measure }: CellIdentity): Promise<CellPosition | null> {
    const { reader } = this;
    if (!reader || (measure === null && columnPaths !== null)) return null;
    const wanted = pathKey(rowPath);
    const rows = await reader.rowPaths(0, await this.rowCount());
    const y = rows.findIndex((path) => pathKey(path) === wanted);
    if (y < 0) return null;
    if (measure === null) return { x: null, y };
    const across = JSON.stringify(columnPaths);
    const x = this.labels.findIndex(
      (_, i) =>
        this.measureAt(i) === measure &&
        (columnPaths === null || JSON.stringify(this.columnPaths[i]) === across),
    );
    return x < 0 ? null : { x, y };
  }

  /**
   * The view as the grid may see it: groups and columns under labels that differ if the values
   * differ. The engine prints null like "null", breaks headers at a `|`, and if two columns have one
   * name, shows the numbers of the last for both.
   */
  displayed(view: View): View {
    const overrides: Partial<View> = {
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
        return view.expand(y);
      },
      collapse: async (y) => {
        const path = this.rowPathAt(y);
        if (path) this.expansion.close(path);
        return view.collapse(y);
      },
      set_depth: async (depth) => {
        this.expansion.setDepth(depth);
        return view.set_depth(depth);
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

  private async readColumns(): Promise<void> {
    const { reader } = this;
    if (!reader) return;
    this.printedPaths = await reader.printedPaths();
    const { split_by } = reader.config;
    if (split_by.length === 0) {
      this.columnPaths = [];
      this.labels = this.printedPaths;
      return;
    }
    this.columnPaths = await reader.columnPaths();
    this.labels = columnLabels(
      this.columnPaths.map((alternatives) => alternatives[0]),
      reader.shown,
      split_by.map((name) => this.styleOf(name)),
    );
  }

  private async displayedColumns(view: View, window: ViewWindow = {}): Promise<string> {
    const read = parseRows(await view.to_columns_string(window));
    const styles = this.reader?.config.group_by.map((name) => this.styleOf(name)) ?? [];
    this.window = { start: window.start_row ?? 0, paths: read.paths ?? [] };
    const shown: [string, unknown[]][] = [];
    if (read.paths) {
      const labels = read.paths.map((path) => path.map((value, i) => label(value, styles[i])));
      shown.push([ROW_PATH, labels]);
    }
    if (read.keys) shown.push([ROW_KEY, read.keys]);
    if (this.columnPaths.length === 0) return tidied([...shown, ...read.columns]);

    const { start_row, end_row, start_col = 0, end_col = this.printedPaths.length } = window;
    for (let x = start_col; x < Math.min(end_col, this.printedPaths.length); x++) {
      const path = this.printedPaths[x] ?? '';
      const alone = this.printedPaths.indexOf(path) === this.printedPaths.lastIndexOf(path);
      const values = alone
        ? read.columns.get(path)
        : await this.reader?.columnValues(x, {
            ...(start_row !== undefined && { start_row }),
            ...(end_row !== undefined && { end_row }),
          });
      if (values) shown.push([this.labels[x] ?? path, values]);
    }
    return tidied(shown);
  }
}

const tidied = (columns: [name: string, values: unknown[]][]) =>
  JSON.stringify(Object.fromEntries(columns), (_, value: unknown) =>
    typeof value === 'number' && !Number.isInteger(value) ? tidy(value) : value,
  );
