import type { CellValue } from './cell-value';

export type LayoutFilter = [column: string, operator: string, term: CellValue | CellValue[]];
export type LayoutSort = [column: string, direction: string];

/**
 * What a pivot shows, in plain data: stored as a source's `default_layout`. Every part may be
 * missing; `depth` is how many levels of rows stand open (absent: all of them).
 */
export interface Layout {
  group_by?: string[];
  split_by?: string[];
  columns?: (string | null)[];
  filter?: LayoutFilter[];
  filter_op?: 'and' | 'or';
  sort?: LayoutSort[];
  expressions?: Record<string, string>;
  aggregates?: Record<string, string | [string, string[]]>;
  columns_config?: Record<string, Record<string, unknown>>;
  plugin?: string;
  plugin_config?: Record<string, unknown>;
  depth?: number;
}
