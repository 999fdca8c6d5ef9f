import { unprinted } from '../values/cell-value';
import type { CellValue, ColumnType } from '../values/engine-types';

/**
 * The typed split values behind each column, from what the engine prints for it; null if what it prints
 * could mean other values as well: an empty value and the text "null", a fraction, a text with a `|`.
 *
 * @param paths the columns as the engine prints them, in its order
 * @param types those of the split columns
 * @param columns the columns that the view shows
 */
export function readPrinted(
  paths: readonly string[],
  types: readonly (ColumnType | undefined)[],
  columns: readonly string[],
): CellValue[][] | null {
  if (new Set(paths).size < paths.length || paths.length % columns.length !== 0) return null;
  const read: CellValue[][] = [];
  for (const [x, path] of paths.entries()) {
    const name = `|${columns[x % columns.length]}`;
    if (!path.endsWith(name)) return null;
    const parts = path.slice(0, -name.length).split('|');
    if (parts.length !== types.length) return null;
    const tuple = parts.map((part, i) => unprinted(part, types[i]));
    if (tuple.includes(undefined)) return null;
    read.push(tuple.filter((value) => value !== undefined));
  }
  return read;
}
