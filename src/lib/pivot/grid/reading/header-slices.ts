/** Reads the slices behind all headers of the pivot. */
import type { ReadCell } from '../../slice/cell';
import type { SliceColumn } from '../../slice/slice';
import type { Shown } from '../shown/shown';
import type { Whole } from '../shown/window';

/** A header with the slice of its rows. */
export type ReadHeader = Omit<ReadCell, 'value'>;

/** The headers of all rows, and of all columns of numbers, in order. */
export interface HeaderSlices {
  rows: readonly ReadHeader[];
  columns: readonly ReadHeader[];
}

/** Reads the slice of each row over all columns, and of each column over all rows, of a grouped view. */
export const headerSlices = (
  shown: Shown,
  { paths, columns }: Pick<Whole, 'paths' | 'columns'>,
  source: readonly SliceColumn[],
): Promise<HeaderSlices> =>
  shown.ask(async (reader) => ({
    rows: await Promise.all(
      paths.map((rowPath) =>
        reader.withSlice({ rowPath, columnPath: null, measure: null }, source),
      ),
    ),
    columns: await Promise.all(
      columns.map(({ path, measure }) =>
        reader.withSlice({ rowPath: [], columnPath: path, measure }, source),
      ),
    ),
  }));
