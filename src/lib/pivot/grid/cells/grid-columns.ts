/** The columns of the grid: engine columns, and totals of groups of them. */
import { pathKey } from '../../slice/cell';
import type { CellValue } from '../../values/engine-types';
import type { NameOrder } from '../../values/name-order';

/** The totals that are shown besides the columns of the split values. */
export interface ColumnTotals {
  /** Position of the total of all columns; undefined for none. */
  total_column?: 'start' | 'end' | undefined;
  /** Whether an open group also shows its total. A closed group always does. */
  subtotals?: boolean | undefined;
}

/** A column as the grid shows it: a single engine column, or the sum of several. */
export interface DrawnColumn {
  /**
   * The typed values of the split columns: only the first ones for a total, none for the grand total; null if
   * the view has no split columns, or if the values are ambiguous.
   */
  path: readonly CellValue[] | null;
  measure: string;
  /** Positions of the engine columns that it adds up: one, unless it is a total. */
  leaves: readonly number[];
  /** Whether it stands for a group whose own columns are not shown. */
  isClosed: boolean;
}

interface ShownColumns {
  /** The columns of the view. */
  measures: readonly string[];
  /** Those of them that are not drawn. */
  hidden?: ReadonlySet<string>;
  /** Number of columns that the view is split by. */
  levels: number;
  totals: ColumnTotals;
  isOpen(path: readonly CellValue[]): boolean;
  /** The order of each level; null or absent for the engine's order. */
  orders?: readonly (NameOrder | null)[];
}

/**
 * Returns the columns that the grid shows, as a tree like the rows. Groups of the outer split columns are
 * open or closed, and a closed group shows only its total.
 *
 * @param paths the typed split values behind each engine column, which are ordered measure by measure
 */
export function drawnColumns(
  paths: readonly (readonly CellValue[] | null)[],
  { measures, hidden, levels, totals, isOpen, orders = [] }: ShownColumns,
): DrawnColumn[] {
  const groups = paths.filter((_, x) => x % measures.length === 0);
  const known = groups.filter((path) => path !== null);
  const isDrawn = ({ measure }: DrawnColumn) => !hidden?.has(measure);
  if (levels === 0 || known.length < groups.length) {
    const columns = paths.map((path, x) => ({
      path,
      measure: measures[x % measures.length] ?? '',
      leaves: [x],
      isClosed: false,
    }));
    return columns.filter(isDrawn);
  }

  const columnsOf = (path: readonly CellValue[], at: readonly number[], isClosed = false) =>
    measures
      .map((measure, m): DrawnColumn => ({
        path,
        measure,
        leaves: at.map((group) => group * measures.length + m),
        isClosed,
      }))
      .filter(isDrawn);

  /** Splits groups by their value at a level, and sorts these by the order of the level. */
  const siblings = (level: number, at: readonly number[]): number[][] => {
    const found = runs(at, (group) => pathKey(known[group]?.slice(0, level + 1) ?? []));
    const order = orders[level];
    const valueOf = ([group = 0]: readonly number[]) => known[group]?.[level] ?? null;
    return order ? found.sort((a, b) => order(valueOf(a), valueOf(b))) : found;
  };

  const within = (level: number, at: readonly number[]): DrawnColumn[] =>
    level === levels
      ? at.flatMap((group) => columnsOf(known[group] ?? [], [group]))
      : siblings(level, at).flatMap((run) => {
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

/** Splits a list wherever the key of its items changes. */
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

/** Adds columns of values row by row; null where none of them has a number. */
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
