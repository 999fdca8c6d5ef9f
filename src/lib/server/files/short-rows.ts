/** Fills rows that end before the last column: spreadsheets leave out delimiters after the last cell of some rows. */
import type { ShortRowsAs } from '../../contract/files';
import { type FileRow, lastFilled, type ReadRows } from './csv';
import { totalIn } from './total-rows';

/** Number of short rows that are listed. */
const LISTED = 3;

/** The rows with fewer cells than the header, as they were last read. */
export interface ShortRows {
  rowCount: number;
  first: FileRow[];
}

/** Reads rows, and describes the short ones. */
export interface FilledRows {
  read: ReadRows;
  describe: () => ShortRows;
}

/**
 * Fills short rows with empty cells. A row of one cell, or with the name of a total, stays as it is: it is a
 * note or a part of a broken row. So do rows of a sheet, whose cells have their columns.
 */
export function filledRows(read: ReadRows, as: ShortRowsAs): FilledRows {
  let found: ShortRows = { rowCount: 0, first: [] };
  return {
    describe: () => found,
    read: async function* () {
      found = { rowCount: 0, first: [] };
      let width: number | undefined;
      for await (const rows of read()) {
        for (const row of rows) {
          width ??= lastFilled(row.cells);
          if (row.numbers || row.cells.length < 2 || row.cells.length >= width) continue;
          if (totalIn(row) !== undefined) continue;
          found.rowCount++;
          if (found.first.length < LISTED) found.first.push({ ...row, cells: [...row.cells] });
          if (as === 'fill') while (row.cells.length < width) row.cells.push('');
        }
        yield rows;
      }
    },
  };
}
