import { pathKey } from '../slice/cell';
import type { CellValue } from '../values/engine-types';

/** What of the columns is shown beside the values of the split columns themselves. */
export interface ColumnTotals {
  /** Where the total of all columns stands; undefined: nowhere. */
  total_column?: 'start' | 'end' | undefined;
  /** Whether an open group shows its total, too. A closed one always does. */
  subtotals?: boolean | undefined;
}

/** A column as the grid shows it: one of the engine's, or the sum of several. */
export interface DrawnColumn {
  /**
   * The typed values of the split columns, only the first ones for a total, none for that of all; null if
   * the view splits by nothing, or if the values cannot be told.
   */
  path: readonly CellValue[] | null;
  measure: string;
  /** The places of the engine's columns that it adds up: one, unless it is a total. */
  leaves: readonly number[];
  /** Whether it stands for a group whose own columns are not shown. */
  isClosed: boolean;
}

interface Shown {
  measures: readonly string[];
  /** How many columns the view splits by. */
  levels: number;
  totals: ColumnTotals;
  isOpen(path: readonly CellValue[]): boolean;
}

/**
 * The columns that the grid shows: a tree, as the rows are. Groups of the outer split columns are open or
 * closed, and a closed one shows its total only.
 *
 * @param paths the typed split values behind each of the engine's columns, which come measure by measure
 */
export function drawnColumns(
  paths: readonly (readonly CellValue[] | null)[],
  { measures, levels, totals, isOpen }: Shown,
): DrawnColumn[] {
  const groups = paths.filter((_, x) => x % measures.length === 0);
  const known = groups.filter((path) => path !== null);
  if (levels === 0 || known.length < groups.length) {
    return paths.map((path, x) => ({
      path,
      measure: measures[x % measures.length] ?? '',
      leaves: [x],
      isClosed: false,
    }));
  }

  const columnsOf = (path: readonly CellValue[], at: readonly number[], isClosed = false) =>
    measures.map((measure, m): DrawnColumn => ({
      path,
      measure,
      leaves: at.map((group) => group * measures.length + m),
      isClosed,
    }));

  const within = (level: number, at: readonly number[]): DrawnColumn[] =>
    level === levels
      ? at.flatMap((group) => columnsOf(known[group] ?? [], [group]))
      : runs(at, (group) => pathKey(known[group]?.slice(0, level + 1) ?? [])).flatMap((run) => {
          const path = known[run[0] ?? 0]?.slice(0, level + 1) ?? [];
          if (level === levels - 1) return within(levels, run);
          if (!isOpen(path)) return columnsOf(path, run, true);
          const open = within(level + 1, run);
          return totals.subtotals ? [...open, ...columnsOf(path, run)] : open;
        });

  const all = known.map((_, group) => group);
  const columns = within(0, all);
  if (totals.total_column === undefined || all.length === 0) return columns;
  const total = columnsOf([], all);
  return totals.total_column === 'start' ? [...total, ...columns] : [...columns, ...total];
}

/** Splits a list where the key of its entries changes. */
function runs(list: readonly number[], keyOf: (entry: number) => string): number[][] {
  const found: number[][] = [];
  let last: string | null = null;
  for (const entry of list) {
    const key = keyOf(entry);
    if (key !== last) found.push([]);
    found.at(-1)?.push(entry);
    last = key;
  }
  return found;
}

/** Adds up columns of values, row by row; null where none of them has a number. */
export function sums(columns: readonly (readonly CellValue[] | undefined)[]): CellValue[] {
  const length = Math.max(0, ...columns.map((column) => column?.length ?? 0));
  return Array.from({ length }, (_, y) => {
    let sum: number | null = null;
    for (const column of columns) {
      const value = column?.[y];
      if (typeof value === 'number') sum = (sum ?? 0) + value;
    }
    return sum;
  });
}
