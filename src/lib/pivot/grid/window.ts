import type { CellValue, ColumnType } from '../values/engine-types';
import type { LabelStyle } from '../values/labels';
import type { ColumnTotals, DrawnColumn } from './columns';
import type { ViewReader } from './view-reader';

/** What the grid draws: rows and columns as they were read, with the reader of that moment. */
export interface Window {
  /** The places of the rows in the view. */
  ys: readonly number[];
  /** Their paths, or their keys in a view of single rows. */
  paths: readonly (readonly CellValue[])[];
  /** Whether rows of their own are shown below each. */
  isOpen: readonly boolean[];
  columns: readonly DrawnColumn[];
  /** The types of the measures. */
  kinds: ReadonlyMap<string, ColumnType>;
  /** The values of each column that was read, by its place. */
  values: ReadonlyMap<number, readonly CellValue[]>;
  reader: ViewReader | null;
}

/** All that the grid shows, as it was at one moment. */
export interface Whole {
  group_by: readonly string[];
  split_by: readonly string[];
  totals: ColumnTotals;
  /** The paths of the rows; in a view of single rows they say nothing. */
  paths: readonly (readonly CellValue[])[];
  columns: readonly DrawnColumn[];
  /** The values of each column, row by row. */
  values: readonly (readonly CellValue[])[];
  count: number;
  /** The types of the measures. */
  kinds: ReadonlyMap<string, ColumnType>;
  /** How the values of the grouped and split columns are written. */
  styles: ReadonlyMap<string, LabelStyle | undefined>;
}

/** Before anything is drawn. */
export const NOTHING: Window = {
  ys: [],
  paths: [],
  isOpen: [],
  columns: [],
  kinds: new Map(),
  values: new Map(),
  reader: null,
};
