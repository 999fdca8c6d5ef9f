/** The sort of a view by a column that the engine cannot sort by. */
import { columnSort } from '../layout/column-sort';
import { pathKey } from '../slice/cell';
import type { CellValue, View } from '../values/engine-types';
import type { DrawnColumn } from './grid-columns';
import type { KeyedRows } from './sorted-view';
import type { ViewReader } from './view-reader';

/** A column by which rows are sorted, and the direction as layouts write it. */
interface ComputedSort {
  column: DrawnColumn;
  direction: string;
}

/**
 * Returns the column by which the rows of a view are sorted if the grid computes it: a share or a price, or
 * one column of them or of an expression. The engine has no such sums.
 */
export async function computedSort(reader: ViewReader): Promise<ComputedSort | null> {
  const { config, schema, shown } = reader;
  const [name, direction] = config.sort[0] ?? ['', ''];
  const isOfRows = direction.startsWith('asc') || direction.startsWith('desc');
  if (!isOfRows || config.group_by.length === 0) return null;
  const groups =
    config.split_by.length > 0
      ? await reader.columnPaths()
      : (await reader.printedPaths()).map((): CellValue[] => []);
  const columnOf = (m: number, path: readonly CellValue[]): DrawnColumn => ({
    path,
    measure: shown[m] ?? '',
    leaves: groups.flatMap((group, x) => {
      const isWithin = group && pathKey(group.slice(0, path.length)) === pathKey(path);
      return x % shown.length === m && isWithin ? [x] : [];
    }),
    isClosed: false,
  });
  if (groups.includes(null)) return null;
  for (const [m, measure] of shown.entries()) {
    if (!reader.isRatio(measure) && !reader.isExpression(measure)) continue;
    if (measure === name && reader.isRatio(measure)) return { column: columnOf(m, []), direction };
    if (!name.startsWith(`${measure} of `)) continue;
    const paths = groups.flatMap((group) =>
      (group ?? []).map((_, i) => group?.slice(0, i + 1) ?? []),
    );
    const path = paths.find((each) => {
      const key = columnSort({ name: measure, label: '' }, each, config, schema);
      return key?.name === name;
    });
    if (path) return { column: columnOf(m, path), direction };
  }
  return null;
}

/** Reads all rows of a view with their numbers in a column. */
export async function readKeys(
  reader: ViewReader,
  view: View,
  column: DrawnColumn,
): Promise<KeyedRows> {
  const { paths, values } = await reader.values.rows(
    view,
    [column],
    { start_row: 0, end_row: await view.num_rows() },
    await reader.printedPaths(),
  );
  return { paths, keys: values[0] ?? [] };
}
