/** Cells of the pivot: position, identity, and data read from them. */
import { valueKey } from '../values/cell-value';
import type { CellValue } from '../values/engine-types';
import { endsInOthers, othersValue } from '../values/others';
import type { CellSlice } from './slice';

/** The position of a cell: `x` counts the shown columns, null for a row header; `y` counts the rows. */
export interface CellPosition {
  x: number | null;
  y: number;
}

/** The identity of a cell, independent of its position: rows move when others are opened. */
export interface CellIdentity {
  /** Typed values of the row headers; empty for the total row. In an ungrouped view, the key of the row. */
  rowPath: readonly CellValue[];
  /**
   * Typed values of the split columns, only the first ones for a column header; null without split columns.
   */
  columnPath: readonly CellValue[] | null;
  /** The measure of the cell's column; null for a header. */
  measure: string | null;
}

/** A cell as it was read: its identity, its value and the slice behind it. */
export interface ReadCell extends CellSlice, CellIdentity {
  /** The shown number; null for a header and an empty cell. */
  value: number | null;
  /** Aggregate of the measure; `sum` unless the user chose another one. */
  aggregate: string;
  /** The values of the groups behind a row "Others" when the cell was read; missing for any other row. */
  members?: readonly CellValue[];
}

/** A marked cell: its identity, with its value and position when it was read. */
export interface MarkedCell
  extends CellIdentity, Pick<ReadCell, 'value' | 'aggregate' | 'members'> {
  at: CellPosition;
}

/** The effect of a press: select only this cell, add or remove it, or mark the block that ends there. */
export type Press = 'alone' | 'add' | 'block';

/** A condition on grouped or split columns: together they have one of some paths of values. */
export interface CellCondition {
  columns: readonly string[];
  paths: readonly (readonly CellValue[])[];
}

/** Equality key of a cell. */
export const cellKey = ({ rowPath, columnPath, measure }: CellIdentity): string =>
  JSON.stringify([comparable(rowPath), columnPath, measure]);

/** Whether two reads of a cell in a row "Others" found different groups behind it; false for a cell of another row. */
export function hasOtherMembers(
  { members: before }: Pick<ReadCell, 'members'>,
  { members: now }: Pick<ReadCell, 'members'>,
): boolean {
  if (before === now) return false;
  if (!before || !now || before.length !== now.length) return true;
  const known = new Set(before.map(valueKey));
  return now.some((value) => !known.has(valueKey(value)));
}

/** Equality key of a path of values. */
export const pathKey = (path: readonly CellValue[]): string => JSON.stringify(comparable(path));

/** The row "Others" stays the same while the number of its groups changes. */
const comparable = (path: readonly CellValue[]): readonly CellValue[] =>
  endsInOthers(path) ? path.with(-1, othersValue(0)) : path;
