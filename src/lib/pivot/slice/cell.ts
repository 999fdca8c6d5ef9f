import type { CellValue } from '../values/engine-types';
import type { CellSlice } from './slice';

/**
 * Where a cell is: `x` counts the columns that are shown, null for a row header; `y` counts the rows.
 */
export interface CellPosition {
  x: number | null;
  y: number;
}

/** A cell by what it is, not by where it is: rows move if others open. */
export interface CellIdentity {
  /** Typed values of the row headers; empty for the total row. In a view of single rows, the key. */
  rowPath: readonly CellValue[];
  /** Typed values of the split columns, the first ones for a header of columns; null without any. */
  columnPath: readonly CellValue[] | null;
  /** The measure of the cell's column; null for a header. */
  measure: string | null;
}

/** A cell as it was read: what it is, what it shows, and the slice behind it. */
export interface ReadCell extends CellSlice, CellIdentity {
  /** The number shown; null for a header and an empty cell. */
  value: number | null;
  /** How the measure is summed up; `sum` unless the user chose otherwise. */
  aggregate: string;
}

/** A cell that is marked: what it is, what it showed when it was read, and where it was then. */
export interface MarkedCell extends CellIdentity, Pick<ReadCell, 'value' | 'aggregate'> {
  at: CellPosition;
}

/** What a press does: select a cell alone, add it or take it out, or mark the block that ends there. */
export type Press = 'alone' | 'add' | 'block';

/** Equality key of a cell. */
export const cellKey = ({ rowPath, columnPath, measure }: CellIdentity): string =>
  JSON.stringify([rowPath, columnPath, measure]);

/** Equality key of a path of values. */
export const pathKey = (path: readonly CellValue[]): string => JSON.stringify(path);
