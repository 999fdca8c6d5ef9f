/** Finds the rows above the names of the columns, such as a title and a date. */
import type { FileStart } from '../../contract/files';
import { AppError } from '../errors';
import { type FileRow, isBlank, type ReadRows } from './csv';
import { parseDate } from './dates';
import { monthOf } from './months';
import { parseNumber } from './numbers';

/** Number of rows in which the names of the columns are looked for. */
const LOOKED_AT = 30;

/** Number of titles that are listed, with their cells joined. */
const LISTED = 5;

/**
 * Recognises the line of the first row. Titles fill at most half as many cells as the names below them, or fewer if
 * there is a blank line between. The names are texts, years or months.
 *
 * @param chosen the line that was chosen; undefined to recognise it
 * @throws AppError 400 if the file ends before the chosen line
 */
export async function startOf(read: ReadRows, chosen: number | undefined): Promise<FileStart> {
  const rows: FileRow[] = [];
  let hasChosen = false;
  for await (const batch of read()) {
    for (const row of batch) {
      if (isBlank(row)) continue;
      if (rows.length < LOOKED_AT) rows.push(row);
      hasChosen ||= chosen !== undefined && row.line >= chosen;
    }
    if (rows.length >= LOOKED_AT && (hasChosen || chosen === undefined)) break;
  }
  if (chosen !== undefined && !hasChosen && rows.length > 0) {
    throw new AppError(400, `first_line: the file has no row from line ${chosen} on`, {
      field: 'first_line',
    });
  }
  const line = chosen ?? rows[placeOfNames(rows)]?.line ?? 1;
  const titles = rows.filter((row) => row.line < line).map(({ cells }) => titleOf(cells));
  return { line, titles: titles.slice(0, LISTED) };
}

/** Reads the rows from a line on. */
export const rowsFrom = (read: ReadRows, { line }: FileStart): ReadRows =>
  async function* () {
    let isBefore = true;
    for await (const rows of read()) {
      if (!isBefore) {
        yield rows;
        continue;
      }
      const from = rows.findIndex((row) => row.line >= line);
      if (from < 0) continue;
      isBefore = false;
      yield rows.slice(from);
    }
  };

/** The position of the row with the names; 0 if there are no titles above it. */
function placeOfNames(rows: readonly FileRow[]): number {
  let place = 0;
  let widest = 0;
  let above = 0;
  for (const [i, row] of rows.entries()) {
    const filled = row.cells.filter((cell) => cell.trim() !== '').length;
    const hasGap = row.line > (rows[i - 1]?.line ?? 0) + 1;
    const isWider = filled >= 2 * above || (hasGap && filled > above);
    if (i > 0 && isWider && filled > widest && isNames(row)) {
      place = i;
      widest = filled;
    }
    above = Math.max(above, filled);
  }
  // Without a row below it, it may be one of values.
  return place < rows.length - 1 ? place : 0;
}

/** Whether all cells are names: texts, years or months. */
const isNames = ({ cells, numbers }: FileRow): boolean =>
  cells.every((cell, i) => {
    const text = cell.trim();
    if (/^(19|20)\d\d$/.test(text) || monthOf(text) !== null) return true;
    const isValue = parseNumber(text, 'point') ?? parseNumber(text, 'comma') ?? dateIn(text);
    return numbers?.[i] !== true && isValue === null;
  });

const dateIn = (text: string) => parseDate(text, 'dmy') ?? parseDate(text, 'mdy');

const titleOf = (cells: readonly string[]): string =>
  cells
    .map((cell) => cell.trim())
    .filter((cell) => cell !== '')
    .join(' ')
    .slice(0, 100);
