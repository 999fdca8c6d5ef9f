/** A cell's text that would be taken for several cells. */
const SPECIAL = /[\t\r\n"]/;

/** Rows of texts as a spreadsheet pastes them: tabs between, one line a row. */
export const printTsv = (rows: readonly (readonly string[])[]): string =>
  rows.map((row) => row.map(quoted).join('\t')).join('\n');

const quoted = (text: string): string =>
  SPECIAL.test(text) ? `"${text.replaceAll('"', '""')}"` : text;

/**
 * Rows of texts as a spreadsheet copies them: a cell that begins with a quote ends with the next single
 * one, lines end in any way, and the end of the last line begins no other. Empty for no text.
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
    row.push(inQuotes?.replaceAll('""', '"') ?? plain);
    at += all.length;
    // A tab at the very end has an empty cell behind it.
    if (end === '\t' && at === text.length) row.push('');
    if (end !== '\t') {
      rows.push(row);
      row = [];
    }
  }
  if (row.length > 0) rows.push(row);
  return rows;
}
