/** Names of columns and tables that come from files. */
import { Buffer } from 'node:buffer';
import { asName } from '../../contract/names';

/** Largest number of bytes of a name in PostgreSQL. */
const LONGEST_NAME = 63;

/** Columns that every table of PostgreSQL has. */
const SYSTEM_COLUMNS = ['tableoid', 'xmin', 'cmin', 'xmax', 'cmax', 'ctid'];

/**
 * Names of columns from the cells of a header. Blanks are joined; a column without a name gets its position, a
 * name that is taken gets a number, and one that is too long is cut.
 */
export function columnNames(cells: readonly string[]): string[] {
  const taken = new Set(SYSTEM_COLUMNS);
  return cells.map((cell, i) => {
    const wanted = asName(cell) || `Column ${i + 1}`;
    let name = cut(wanted);
    for (let n = 2; taken.has(name); n++) name = `${cut(wanted, ` ${n}`)} ${n}`;
    taken.add(name);
    return name;
  });
}

/** The name of a table from the name of a file: without its ending, cut to the length of a name. */
export const tableNameOf = (file: string): string =>
  cut(asName(file.replace(/\.(csv|tsv|tab|txt|xlsx|xlsm)$/i, '')));

/** Cuts a text between two characters so that it and an ending are a name. */
function cut(text: string, ending = ''): string {
  const room = LONGEST_NAME - Buffer.byteLength(ending);
  let size = 0;
  let kept = '';
  for (const character of text) {
    size += Buffer.byteLength(character);
    if (size > room) break;
    kept += character;
  }
  return kept.trimEnd();
}
