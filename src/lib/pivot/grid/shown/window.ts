/** The data that the grid draws, and all of the data that it shows. */
import { pathKey } from '../../slice/cell';
import type { CellValue, ColumnType } from '../../values/engine-types';
import type { LabelStyle } from '../../values/labels';
import type { ColumnTotals, DrawnColumn } from '../cells/grid-columns';
import type { ViewReader } from '../views/view-reader';

/** The rows and columns that the grid draws, with the reader that read them. */
export interface Window {
  /** Positions of the rows in the view. */
  ys: readonly number[];
  /** Paths of the rows; in an ungrouped view, their keys. */
  paths: readonly (readonly CellValue[])[];
  /** Whether rows below each row are shown. */
  isOpen: readonly boolean[];
  columns: readonly DrawnColumn[];
  /** Types of the measures. */
  kinds: ReadonlyMap<string, ColumnType>;
  /** Values of each column that was read, by the column's position. */
  values: ReadonlyMap<number, readonly CellValue[]>;
  reader: ViewReader | null;
}

/** Everything that the grid shows, at one moment. */
export interface Whole {
  group_by: readonly string[];
  split_by: readonly string[];
  totals: ColumnTotals;
  /** Paths of the rows; without meaning in an ungrouped view. */
  paths: readonly (readonly CellValue[])[];
  /** Keys of the paths of open rows whose groups a limit hides; none if missing. */
  emptied?: ReadonlySet<string>;
  columns: readonly DrawnColumn[];
  /** Values of each column, row by row. */
  values: readonly (readonly CellValue[])[];
  count: number;
  /** Types of the measures. */
  kinds: ReadonlyMap<string, ColumnType>;
  /** Label styles of the grouped and split columns. */
  styles: ReadonlyMap<string, LabelStyle | undefined>;
  /** Returns the label of a column. */
  labelOf: (column: string) => string;
}

/** Whether the row at a position is open: rows below it are shown, or a limit hides all of its groups. */
export function isOpenAt({ group_by, paths, emptied }: Whole, y: number): boolean {
  const path = paths[y] ?? [];
  const isShownOpen = path.length === 0 || (paths[y + 1]?.length ?? 0) > path.length;
  return group_by.length > 0 && (isShownOpen || emptied?.has(pathKey(path)) === true);
}

/** The window before anything is drawn. */
export const NOTHING: Window = {
  ys: [],
  paths: [],
  isOpen: [],
  columns: [],
  kinds: new Map(),
  values: new Map(),
  reader: null,
};
