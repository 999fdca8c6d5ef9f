import type { Layout } from '../../contract/stored-layout';
import type { CellValue } from '../values/engine-types';
import type { ColumnTotals } from './columns';

/** Which groups of columns are open, and which totals are shown. */
export interface Across {
  totals(): ColumnTotals;
  isOpen: (path: readonly CellValue[]) => boolean;
}

/**
 * What a view is made with, but does not tell: how its columns are sorted, what is no sum, and the levels of
 * rows that it does not have yet.
 */
export type Untold = Pick<Layout, 'sort' | 'aggregates' | 'group_by'>;

/** What is known of a table beside the engine. */
export interface BesideTable {
  /** The expression that a column of dates stands for; undefined for one that stands for itself. */
  textOf(column: string): string | undefined;
  /** The days of a column in all rows; null if the engine has to be asked. */
  daysOf(date: string): readonly CellValue[] | null;
  /** The values of a row by its key; undefined if there is none, null if the engine has to be asked. */
  valuesOf(key: CellValue, names: readonly string[]): readonly CellValue[] | undefined | null;
}

/** What is known beside the views of a table. */
export interface BesideViews extends BesideTable {
  untold(): Promise<Untold>;
}

/** Whoever knows nothing beside the engine. */
export const NOTHING: BesideTable = {
  textOf: () => undefined,
  daysOf: () => null,
  valuesOf: () => null,
};

export const ALL_OPEN: Across = { totals: () => ({}), isOpen: () => true };
