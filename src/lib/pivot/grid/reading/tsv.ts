/** Reads and writes tab-separated text, the clipboard format of spreadsheets. */
import { protectedText, unprotectedText } from '../../../contract/formula-text';

/** Characters for which the text of a cell is quoted, because it would be split into several cells. */
const SPECIAL = /[\t\r\n"]/;

/**
 * Formats rows of texts for pasting into a spreadsheet: tabs between cells, one line per row. A text that a
 * spreadsheet would run as a formula gets an apostrophe.
 */
export const printTsv = (rows: readonly (readonly string[])[]): string =>
  rows.map((row) => row.map(quoted).join('\t')).join('\n');

function quoted(cell: string): string {
  const text = protectedText(cell);
  return SPECIAL.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * Parses rows of texts that were copied from a spreadsheet: a cell that begins with a quote ends at the next
 * single quote, lines may have any kind of line end, and a line end at the end of the text starts no new row.
 * Empty for empty text.
 */
export function parseTsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  const cells = /(?:"((?:[^"]|"")*)"(?=[\t\r\n]|$)|([^\t\r\n]*))(\t|\r\n|\r|\n|$)/gy;
  for (let at = 0; at < text.length;) {
    cells.lastIndex = at;
    const found = cells.exec(text);
    if (!found) break;
    const [all, inQuotes, plain = '', end = ''] = found;
    row.push(unprotectedText(inQuotes?.replaceAll('""', '"') ?? plain));
    at += all.length;
    // A tab at the end of the text is followed by an empty cell.
    if (end === '\t' && at === text.length) row.push('');
    if (end !== '\t') {
      rows.push(row);
      row = [];
    }
  }
  if (row.length > 0) rows.push(row);
  return rows;
}
