import type { Slice } from '../contract/operations';
import type { CellIdentity } from './cell';
import { cellKey, pathKey } from './cell';
import { toScalar, valueKey } from './cell-value';
import type { CellValue, RegularTable } from './engine-types';
import type { Shown } from './shown';
import { listOf } from './slice';
import type { ViewReader } from './view-reader';

/** The marks on the grid's cells: those that are selected, and those that a slice reaches. */
export class Marks {
  private selected = new Set<string>();
  private selectedRows = new Set<string>();
  private slice: Slice | null = null;
  /** Expression → value → the source values that it stands for, while a slice is shown. */
  private standsFor = new Map<string, Map<string, CellValue[]>>();

  constructor(
    private readonly shown: Shown,
    private readonly element: RegularTable,
  ) {
    element.addStyleListener(() => this.paint());
  }

  /** Marks cells as selected, and redraws nothing else. */
  select(cells: readonly CellIdentity[]): void {
    this.selected = new Set(cells.filter((cell) => cell.measure !== null).map(cellKey));
    this.selectedRows = new Set(
      cells.filter((cell) => cell.measure === null).map((cell) => pathKey(cell.rowPath)),
    );
    this.paint();
  }

  /** Marks the cells that a slice reaches; null marks none. */
  async showReach(slice: Slice | null): Promise<void> {
    this.slice = slice;
    const { reader } = this.shown;
    if (slice && reader) {
      const { group_by, split_by } = reader.config;
      for (const name of [...group_by, ...split_by].filter(reader.isExpression)) {
        const byValue = [...(await reader.underlyingValues(name))].map(
          ([key, { tuples }]): [string, CellValue[]] => [
            key,
            (tuples ?? []).map((tuple) => tuple[0] ?? null),
          ],
        );
        this.standsFor.set(name, new Map(byValue));
      }
    }
    this.paint();
  }

  /** Forgets what expressions stand for: rows came or went. */
  invalidate(): void {
    this.standsFor.clear();
  }

  private paint(): void {
    const { shown, element } = this;
    const { reader } = shown;
    if (!reader) return;
    for (const cell of element.querySelectorAll('tbody td, tbody th')) {
      const meta = element.getMeta(cell);
      const rowPath = meta?.y === undefined ? undefined : shown.rowPathAt(meta.y);
      let selected = false;
      let reached = false;
      if (meta && rowPath) {
        const columnPaths = meta.x === undefined ? null : (shown.columnPaths[meta.x] ?? null);
        const measure = meta.x === undefined ? null : shown.measureAt(meta.x);
        const isHeader = cell.tagName === 'TH';
        const inRow = this.selectedRows.has(pathKey(rowPath));
        selected = isHeader
          ? inRow && cell.textContent !== ''
          : inRow || this.selected.has(cellKey({ rowPath, columnPaths, measure }));
        reached =
          !isHeader &&
          this.slice !== null &&
          this.reaches(reader, this.slice, rowPath, columnPaths);
      }
      cell.classList.toggle('pf-selected', selected);
      cell.classList.toggle('pf-hint', reached);
    }
  }

  /** Whether a cell, as deep as the pivot shows the slice's columns, holds rows of the slice. */
  private reaches(
    reader: ViewReader,
    slice: Slice,
    rowPath: readonly CellValue[],
    columnPaths: readonly (readonly CellValue[])[] | null,
  ): boolean {
    const { group_by, split_by } = reader.config;
    const headers = [
      ...group_by.map((name, i) => ({
        name,
        values: i < rowPath.length ? [rowPath[i] ?? null] : null,
      })),
      ...split_by.map((name, i) => ({
        name,
        values: columnPaths?.map((path) => path[i] ?? null) ?? null,
      })),
    ];
    return headers.every(({ name, values }) => {
      const standsFor = this.standsFor.get(name);
      const column = standsFor ? sourceOf(reader, name) : name;
      if (column === undefined || !(column in slice)) return true;
      if (values === null) return false;
      const type = reader.schema[column];
      const wanted = new Set(listOf(slice[column]).map((value) => valueKey(value)));
      return values
        .flatMap((value) => (standsFor ? (standsFor.get(valueKey(value)) ?? []) : [value]))
        .some((value) => wanted.has(valueKey(toScalar(value, type))));
    });
  }
}

function sourceOf(reader: ViewReader, expression: string): string | undefined {
  const text = reader.config.expressions[expression] ?? '';
  const name = /"((?:[^"\\]|\\.)*)"/.exec(text)?.[1];
  return name?.replace(/\\(.)/g, '$1');
}
