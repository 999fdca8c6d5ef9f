/** Completes a header that has one name fewer than each row has cells, as R writes it. */
import type { FileHeader, MissingName } from '../../contract/files';
import { type FileRow, lastFilled, type ReadRows } from './csv';

/** Number of rows that are compared with the header. */
const COMPARED = 1_000;

/** Where the name is missing; null if none is. */
export interface CompletedHeader {
  missing: MissingName | null;
  read: ReadRows;
}

/**
 * Finds out whether a name is missing. Names of rows stand first, so that the first name is the one.
 *
 * @param chosen the column without a name, if the header lacks one; undefined to recognise it
 */
export async function completedHeader(
  read: ReadRows,
  header: FileHeader | undefined,
  chosen: MissingName | undefined,
): Promise<CompletedHeader> {
  if (header === 'no' || !(await lacksName(read))) return { missing: null, read };
  const missing = chosen ?? 'first';
  return {
    missing,
    read: async function* () {
      let isFirst = true;
      for await (const rows of read()) {
        const [first, ...others] = rows;
        if (!isFirst || !first) {
          yield rows;
          continue;
        }
        isFirst = false;
        const cells = missing === 'first' ? ['', ...first.cells] : [...first.cells, ''];
        yield [{ ...first, cells }, ...others];
      }
    },
  };
}

async function lacksName(read: ReadRows): Promise<boolean> {
  let first: FileRow | undefined;
  let compared = 0;
  // Rows may end with a delimiter, and no cell.
  let isFilled = false;
  for await (const rows of read()) {
    for (const row of rows) {
      if (row.numbers) return false;
      if (!first) {
        first = row;
        // A header of one name has titles or notes below it.
        if (row.cells.length < 2 || lastFilled(row.cells) < row.cells.length) return false;
        continue;
      }
      if (row.cells.length !== first.cells.length + 1) return false;
      isFilled ||= row.cells.at(-1)?.trim() !== '';
      if (++compared >= COMPARED) return isFilled;
    }
  }
  return isFilled;
}
