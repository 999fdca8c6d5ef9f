/** Finds the cell of the grid that shows the rows of a slice. */
import type { MarkedCell } from '../../slice/cell';
import type { Reach } from '../cells/reach';
import type { ViewReader } from '../views/view-reader';

/** The greatest number of cells that are looked at. */
const MOST_CELLS = 200_000;

/**
 * Returns the cell with the fewest headers whose rows are all in the slice of a reach, of the first measure; null if
 * there is none, or if there are too many cells. Its value is not read.
 */
export async function largestHeld(reader: ViewReader, reach: Reach): Promise<MarkedCell | null> {
  const { group_by, split_by } = reader.config;
  if (group_by.length === 0) return null;
  const [all, rows] = await Promise.all([reader.columns(), reader.rowPaths(0)]);
  const [first] = all;
  const columns = all.flatMap(({ path, measure }, x) =>
    measure === first?.measure ? [{ path: split_by.length > 0 ? path : null, x }] : [],
  );
  if (!first || columns.length * rows.length > MOST_CELLS) return null;
  let largest: MarkedCell | null = null;
  let fewest = Infinity;
  for (const [y, rowPath] of rows.entries()) {
    for (const { path: columnPath, x } of columns) {
      const headers = rowPath.length + (columnPath?.length ?? 0);
      const cell = { rowPath, columnPath, measure: first.measure };
      if (headers >= fewest || !reach.holds(cell)) continue;
      fewest = headers;
      largest = {
        ...cell,
        value: null,
        aggregate: reader.aggregateOf(first.measure),
        at: { x, y },
      };
    }
  }
  return largest;
}
