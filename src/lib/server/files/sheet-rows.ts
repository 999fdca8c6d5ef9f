/** Reads the rows of one sheet of a workbook as the rows of a file. */
import type { FileStart, FileWorkbook } from '../../contract/files';
import type { ByteSource } from '../../xlsx/bytes';
import { WorkbookFault } from '../../xlsx/fault';
import { shownDigits } from '../../xlsx/formats';
import type { SheetCell, SheetFacts, SheetReader, SheetRow } from '../../xlsx/sheet';
import { Workbook } from '../../xlsx/workbook';
import { AppError } from '../errors';
import { type FileRow, isBlank, MOST_COLUMNS, type ReadRows } from './csv';
import { startOf } from './title-rows';

/** Number of sheets that are read to find one with cells. */
const MOST_TRIED = 20;

/** A sheet that can be read repeatedly. */
interface OpenSheet {
  /** Reads the rows from its start on. */
  read: ReadRows;
  start: FileStart;
  /** Describes the sheet as it was last read. */
  describe: () => FileWorkbook;
}

/**
 * Opens a sheet of a workbook.
 *
 * @param wanted the name of the sheet; the first visible one with cells if undefined
 * @param firstLine the row with the names of the columns; undefined to recognise it
 * @throws AppError 400 if there is no sheet of this name or no such row, 422 if the workbook cannot be read
 */
export async function openSheet(
  bytes: ByteSource,
  wanted: string | undefined,
  firstLine: number | undefined,
): Promise<OpenSheet> {
  const workbook = await readable(Workbook.open(bytes));
  const { sheets } = workbook;
  const positions = sheets.flatMap(({ name, isHidden }, i) =>
    (wanted === undefined ? !isHidden : name === wanted) ? [i] : [],
  );
  if (positions.length === 0) {
    if (wanted === undefined) throw new AppError(422, 'All sheets of the workbook are hidden');
    throw new AppError(400, `sheet: the workbook has no sheet “${wanted}”`, { field: 'sheet' });
  }
  const empty = new Set<string>();
  for (const position of positions.slice(0, MOST_TRIED)) {
    const path = sheets[position]?.path ?? '';
    if (empty.has(path)) continue;
    const reader = await readable(workbook.sheet(position));
    const start = await startOf(() => filledCells(reader), firstLine);
    const columns = await columnsOf(reader, start);
    if (columns === 'none') {
      empty.add(path);
      continue;
    }
    return {
      read: () => rowsOf(reader, columns, start),
      start,
      describe: () => ({
        sheet: sheets[position]?.name ?? '',
        sheets: sheets.map(({ name, isHidden }) => ({ name, hidden: isHidden })),
        notes: notesOf(reader.facts, workbook.hasMacros),
      }),
    };
  }
  if (positions.length > MOST_TRIED) {
    throw new AppError(422, `The first ${MOST_TRIED} sheets are empty. Choose the sheet to read`);
  }
  throw new AppError(422, 'The sheet is empty');
}

/** The columns to read, by their position in the sheet. */
type Columns = 'none' | 'all' | number[];

/** All columns, or those that have cells, if the first row has a gap: sheets have empty columns before others. */
async function columnsOf(reader: SheetReader, { line }: FileStart): Promise<Columns> {
  const used = new Set<number>();
  for await (const batch of sentences(reader.rows())) {
    for (const { row, cells } of batch) {
      if (row < line) continue;
      const filled = cells.filter(isFilled);
      const isFirst = used.size === 0 && filled.length > 0;
      if (isFirst && filled.every(({ column }, i) => column === i)) return 'all';
      for (const { column } of filled) used.add(column);
    }
  }
  return used.size === 0 ? 'none' : [...used].toSorted((a, b) => a - b);
}

const isFilled = ({ text }: SheetCell): boolean => text.trim() !== '';

/** The rows of a sheet with their filled cells only. */
async function* filledCells(reader: SheetReader): AsyncGenerator<FileRow[]> {
  for await (const batch of sentences(reader.rows())) {
    yield batch.map(({ row, cells }) => {
      const filled = cells.filter(isFilled);
      const numbers = filled.map(({ kind }) => kind === 'number');
      return { line: row, cells: filled.map(({ text }) => text), numbers };
    });
  }
}

async function* rowsOf(
  reader: SheetReader,
  columns: 'all' | number[],
  { line }: FileStart,
): AsyncGenerator<FileRow[]> {
  const places = columns === 'all' ? null : new Map(columns.map((column, i) => [column, i]));
  let isFirst = true;
  for await (const batch of sentences(reader.rows())) {
    const rows = batch
      .filter(({ row }) => row >= line)
      .map((row) => fileRow(row, places))
      .filter((row) => !isBlank(row));
    const [first] = rows;
    if (isFirst && first) {
      // Columns may have cells, but no name.
      const width = Math.min(places?.size ?? reader.facts.width, MOST_COLUMNS);
      while (first.cells.length < width) first.cells.push('');
      isFirst = false;
    }
    yield rows;
  }
}

function fileRow({ row, cells }: SheetRow, places: Map<number, number> | null): FileRow {
  const texts: string[] = [];
  const numbers: boolean[] = [];
  for (const { column, kind, text } of cells) {
    const place = places ? places.get(column) : column;
    // A cell of blanks in a column without others.
    if (place === undefined) continue;
    if (place >= MOST_COLUMNS) {
      throw new AppError(422, `Row ${row} of the sheet has more than ${MOST_COLUMNS} columns`);
    }
    while (texts.length < place) texts.push('');
    texts.push(kind === 'number' ? shownDigits(text) : text);
    numbers[place] = kind === 'number';
  }
  return { cells: texts, line: row, numbers };
}

function notesOf(facts: SheetFacts, hasMacros: boolean): string[] {
  const many = (n: number, one: string, more: string) => (n === 1 ? `1 ${one}` : `${n} ${more}`);
  const { formulas, unknown, errors, merged, hiddenRows, hiddenColumns } = facts;
  const known = formulas - unknown;
  const hidden = [
    ...(hiddenRows > 0 ? [many(hiddenRows, 'hidden row', 'hidden rows')] : []),
    ...(hiddenColumns > 0 ? [many(hiddenColumns, 'hidden column', 'hidden columns')] : []),
  ];
  return [
    ...(known > 0
      ? [`${many(known, 'cell is a formula', 'cells are formulas')}. Their saved values are taken.`]
      : []),
    ...(unknown > 0
      ? [
          `${many(unknown, 'formula has', 'formulas have')} no saved value, the first in ${facts.firstUnknown}. Open the workbook in a spreadsheet and save it again.`,
        ]
      : []),
    ...(errors > 0
      ? [
          `${many(errors, 'cell has', 'cells have')} an error such as #N/A, the first in ${facts.firstError}.`,
        ]
      : []),
    ...(facts.lost > 0
      ? [
          `${many(facts.lost, 'cell refers', 'cells refer')} to a text that the workbook does not have, the first in ${facts.firstLost}. They are empty.`,
        ]
      : []),
    ...(merged > 0
      ? [
          `${many(merged, 'area of cells is', 'areas of cells are')} merged. The value is in the first cell of each; the others are empty.`,
        ]
      : []),
    ...(hidden.length > 0 ? [`Hidden rows and columns are read, too: ${hidden.join(', ')}.`] : []),
    ...(hasMacros ? ['The workbook has macros. They are not run.'] : []),
  ];
}

async function readable<T>(reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    throw refusal(error);
  }
}

async function* sentences<T>(reading: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* reading;
  } catch (error) {
    throw refusal(error);
  }
}

const refusal = (error: unknown): unknown =>
  error instanceof WorkbookFault ? new AppError(422, error.message, { cause: error }) : error;
