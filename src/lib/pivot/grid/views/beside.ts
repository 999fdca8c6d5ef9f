/** Facts that the grid needs besides the answers of the engine. */
import { EXACT, type Decimals } from '../../../contract/decimals';
import type { Layout } from '../../../contract/stored-layout';
import { Attributes } from '../../rows/attributes';
import type { CellValue } from '../../values/engine-types';
import type { NameOrder } from '../../values/name-order';
import type { ColumnTotals } from '../cells/grid-columns';

/** Which groups of columns are open, which totals are shown, and in which order. */
export interface Across {
  totals(): ColumnTotals;
  isOpen: (path: readonly CellValue[]) => boolean;
  /** Returns the order of each level of the columns; null or absent for the engine's order. */
  orders?(): readonly (NameOrder | null)[];
}

/**
 * View settings that `get_config()` omits: the sort of the columns, the aggregates that are not sums, the row
 * levels that the view does not have yet, and which of its columns are shown. The others are there for columns
 * that are computed from them.
 */
export type Untold = Pick<Layout, 'sort' | 'aggregates' | 'group_by' | 'columns'>;

/**
 * How values are sorted unless the user sorts: `by time` as months, periods and ranked attributes; `by engine` if the
 * engine sorts them by name, too; `by name` if it does not.
 */
export type UsualOrder = 'by time' | 'by engine' | 'by name';

/** Facts about a table that are known without asking the engine. */
export interface BesideTable {
  /** Returns the label of a column, as people see it. */
  labelOf(column: string): string;
  /** Returns the measure of which a column shows a part or a comparison; null if it shows all of a measure. */
  wholeOf(column: string): string | null;
  /** Returns the decimals of the sums of a column: those that round to zero with them are 0. */
  decimalsOf(column: string): Decimals;
  /** Whether a column is a date or a period of one, such as a fiscal month. */
  isTime(column: string): boolean;
  /** Returns how the values of a column are sorted unless the user sorts. */
  usualOrderOf(column: string): UsualOrder;
  /** Whether a sort key keeps months or the ranks of an attribute in order, and is none of the user. */
  isUsualSort(name: string): boolean;
  /** Returns the expression that stands behind a column of dates; undefined for a column that has none. */
  textOf(column: string): string | undefined;
  /** Returns the days of a column in all rows; null if the engine has to be asked. */
  daysOf(date: string): readonly CellValue[] | null;
  /**
   * Returns the values of the row with this key; undefined if there is no such row, null if the engine has to
   * be asked.
   */
  valuesOf(key: CellValue, names: readonly string[]): readonly CellValue[] | undefined | null;
  /** The attributes of the rows. */
  attributes: Attributes;
}

/** Facts about a table and its views that are known without asking the engine. */
export interface BesideViews extends BesideTable {
  untold(): Promise<Untold>;
}

/** Without any facts: every question goes to the engine. */
export const NOTHING: BesideTable = {
  labelOf: (column) => column,
  wholeOf: () => null,
  decimalsOf: () => EXACT,
  isTime: () => false,
  usualOrderOf: () => 'by engine',
  isUsualSort: () => false,
  textOf: () => undefined,
  daysOf: () => null,
  valuesOf: () => null,
  attributes: Attributes.NONE,
};

export const ALL_OPEN: Across = { totals: () => ({}), isOpen: () => true };
