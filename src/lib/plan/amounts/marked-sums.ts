/** Adds up marked cells. */
import { cellKey, type CellIdentity, type MarkedCell } from '../../pivot/slice/cell';
import { tidyChange } from '../../pivot/values/cell-value';
import type { CellValue } from '../../pivot/values/engine-types';
import { isAdditive } from '../../pivot/values/ratios';

/** Sum and average of the marked cells of one measure. */
interface MarkedSum {
  measure: string;
  sum: number;
  average: number;
}

/** Why there is no sum: cells overlap without one containing the others, or no cell adds up. */
export type WhyNoSum = 'overlap' | 'none';

interface MarkedSums {
  /** Number of marked cells and headers. */
  count: number;
  /** Number of marked cells that show a number. */
  numbers: number;
  /** A sum per measure, in the order in which they were marked. */
  sums: readonly MarkedSum[];
  /** Number of cells that are omitted because a marked total contains them. */
  parts: number;
  whyNoSum: WhyNoSum | null;
}

/**
 * Adds up marked cells, measure by measure. If a total and its parts are marked, only the total counts. Cells
 * that overlap in another way, such as a row's total and a column's, have no sum.
 *
 * @param isRatio whether a measure shows shares or prices, which do not add up
 */
export function sumsOf(
  cells: readonly MarkedCell[],
  isRatio: (measure: string) => boolean,
): MarkedSums {
  const numbers = cells.filter(
    ({ measure, value, aggregate }) =>
      measure !== null && value !== null && isAdditive(aggregate) && !isRatio(measure),
  );
  const outer = withoutParts(numbers);
  const parts = numbers.length - outer.length;
  const counts = {
    count: cells.length,
    numbers: cells.filter(({ measure, value }) => measure !== null && value !== null).length,
  };
  if (outer.length === 0) return { ...counts, sums: [], parts: 0, whyNoSum: 'none' };
  if (doOverlap(outer)) return { ...counts, sums: [], parts: 0, whyNoSum: 'overlap' };
  const byMeasure = new Map<string, number[]>();
  for (const { measure, value } of outer) {
    const values = byMeasure.get(measure ?? '') ?? [];
    values.push(value ?? 0);
    byMeasure.set(measure ?? '', values);
  }
  const sums = [...byMeasure].map(([measure, values]): MarkedSum => {
    const sum = values.reduce((total, value) => total + value, 0);
    return { measure, sum: tidyChange(sum), average: tidyChange(sum / values.length) };
  });
  return { ...counts, sums, parts, whyNoSum: null };
}

/** Returns the cells that no other one of them contains. */
function withoutParts<Cell extends CellIdentity>(cells: readonly Cell[]): Cell[] {
  const keys = new Set(cells.map(cellKey));
  return cells.filter((cell) => {
    const { measure } = cell;
    for (const rowPath of outward(cell.rowPath))
      for (const columnPath of cell.columnPath ? outward(cell.columnPath) : [null]) {
        const isItself =
          rowPath.length === cell.rowPath.length && columnPath?.length === cell.columnPath?.length;
        if (!isItself && keys.has(cellKey({ rowPath, columnPath, measure }))) return false;
      }
    return true;
  });
}

/** Whether two cells of the same measure share rows though neither contains the other. */
function doOverlap(cells: readonly CellIdentity[]): boolean {
  // For each row, all groups of columns that contain its cells.
  const within = new Set<string>();
  for (const { rowPath, columnPath, measure } of cells)
    for (const above of columnPath ? outward(columnPath).slice(1) : [])
      within.add(cellKey({ rowPath, columnPath: above, measure }));
  return cells.some(({ rowPath, columnPath, measure }) =>
    outward(rowPath)
      .slice(1)
      .some((above) => within.has(cellKey({ rowPath: above, columnPath, measure }))),
  );
}

/** Whether the rows of any two cells overlap, so that writing one cell changes the other. */
export const hasOverlap = (cells: readonly CellIdentity[]): boolean =>
  withoutParts(cells).length < cells.length || doOverlap(cells);

/** Returns a path and those of the groups that contain it, the innermost first. */
const outward = (path: readonly CellValue[]): readonly (readonly CellValue[])[] =>
  Array.from({ length: path.length + 1 }, (_, i) => path.slice(0, path.length - i));
