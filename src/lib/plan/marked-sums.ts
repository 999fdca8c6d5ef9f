import { cellKey, type CellIdentity, type MarkedCell } from '../pivot/slice/cell';
import { tidyChange } from '../pivot/values/cell-value';
import type { CellValue } from '../pivot/values/engine-types';
import { isAdditive } from '../pivot/values/ratios';

/** What the marked cells of one measure add up to. */
export interface MarkedSum {
  measure: string;
  sum: number;
  average: number;
}

/** Why there is no sum: the cells overlap and none of them contains the others, or none adds up. */
export type WhyNoSum = 'overlap' | 'none';

export interface MarkedSums {
  /** How many cells and headers are marked. */
  count: number;
  /** A sum per measure, in the order in which they were marked. */
  sums: readonly MarkedSum[];
  /** Cells that are left out because a marked total contains them. */
  parts: number;
  whyNoSum: WhyNoSum | null;
}

/**
 * Adds up marked cells, measure by measure. Of a total and its parts, the total counts alone. Cells that
 * overlap in another way, such as a row's total and a column's, have no sum.
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
  const count = cells.length;
  if (outer.length === 0) return { count, sums: [], parts: 0, whyNoSum: 'none' };
  if (doOverlap(outer)) return { count, sums: [], parts: 0, whyNoSum: 'overlap' };
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
  return { count, sums, parts, whyNoSum: null };
}

/** Cells without those that another one of them contains. */
export function withoutParts<Cell extends CellIdentity>(cells: readonly Cell[]): Cell[] {
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

/** Whether rows of one cell are rows of another one, of the same measure, though none contains the other. */
function doOverlap(cells: readonly CellIdentity[]): boolean {
  // Of each row, all groups of columns that its cells are within.
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

/** Whether the rows of any two cells overlap: writing one of them changes what the other one shows. */
export const hasOverlap = (cells: readonly CellIdentity[]): boolean =>
  withoutParts(cells).length < cells.length || doOverlap(cells);

/** A path and those of the groups around it, the innermost first. */
const outward = (path: readonly CellValue[]): readonly (readonly CellValue[])[] =>
  Array.from({ length: path.length + 1 }, (_, i) => path.slice(0, path.length - i));
