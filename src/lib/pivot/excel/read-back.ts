/** Reads a workbook that was exported from a pivot, perhaps changed and saved by another program. */
import * as v from 'valibot';
import { columnLetters } from '../../xlsx/addresses';
import { blobBytes } from '../../xlsx/bytes';
import { shownDigits } from '../../xlsx/formats';
import type { SheetCell, SheetRow } from '../../xlsx/sheet';
import { Workbook } from '../../xlsx/workbook';
import {
  HEADER_COLUMNS,
  HEADER_ROWS,
  Origin,
  ORIGIN_FORM,
  ORIGIN_MARK,
  ORIGIN_SHEET,
  OriginColumn,
  OriginRow,
} from './origin-sheet';

/** A cell of numbers that the file fills. */
export interface BookCell {
  row: OriginRow;
  column: OriginColumn;
  /** Such as B4. */
  address: string;
  /** The exact amount when it was exported; null for an empty cell. */
  was: number | null;
  /** What the file says. */
  cell: SheetCell;
}

/** A workbook that was exported from a pivot. */
export interface Book {
  origin: Origin;
  rows: readonly OriginRow[];
  columns: readonly OriginColumn[];
  /** The cells that the file fills, row by row. */
  cells: readonly BookCell[];
}

/** A workbook that cannot be read back, with a sentence for the planner. */
export class NoBook extends Error {
  override readonly name = 'NoBook';
}

const NOT_OURS =
  'This workbook was not exported from a pivot, or its hidden sheet is gone. Export the pivot as a workbook, change numbers in it, and read that one back.';

/**
 * Reads a workbook that {@link pivotWorkbook} has made.
 *
 * @throws NoBook for another workbook, or one whose rows or columns were moved; WorkbookFault for a file that is no
 * workbook
 */
export async function readBook(file: Blob): Promise<Book> {
  const workbook = await Workbook.open(blobBytes(file));
  const hidden = await rowsNamed(workbook, ORIGIN_SHEET);
  if (!hidden || hidden.get(1)?.get(0)?.text !== ORIGIN_MARK) throw new NoBook(NOT_OURS);
  if (hidden.get(1)?.get(1)?.text !== String(ORIGIN_FORM)) {
    throw new NoBook(
      'This workbook was exported by another release of the service. Export it again.',
    );
  }
  const origin = parsed(Origin, hidden.get(2)?.get(0));
  if (origin.problem !== null) throw new NoBook(origin.problem);
  const shown = await rowsNamed(workbook, origin.sheet);
  if (!shown) {
    throw new NoBook(`The sheet “${origin.sheet}” is gone or has another name. Rename it back.`);
  }
  const columns: OriginColumn[] = [];
  for (let x = HEADER_COLUMNS; ; x++) {
    const cell = hidden.get(HEADER_ROWS)?.get(x);
    if (!cell) break;
    columns.push(parsed(OriginColumn, cell));
  }
  const { headers } = origin;
  for (const [i, { heads }] of columns.entries()) {
    for (const [y, head] of heads.entries()) requireHead(shown, y + 1, headers.columns + i, head);
  }
  const rows: OriginRow[] = [];
  const cells: BookCell[] = [];
  for (const [number, own] of hidden) {
    if (number <= HEADER_ROWS) continue;
    const row = parsed(OriginRow, own.get(1));
    rows.push(row);
    const y = Number(own.get(0)?.text);
    for (const [x, head] of row.heads.entries()) requireHead(shown, y, x, head);
    for (const [i, column] of columns.entries()) {
      const x = headers.columns + i;
      const cell = shown.get(y)?.get(x);
      if (!cell) continue;
      const before = own.get(HEADER_COLUMNS + i);
      const was = before?.kind === 'number' ? Number(before.text) : null;
      cells.push({ row, column, address: `${columnLetters(x)}${y}`, was, cell });
    }
  }
  return { origin, rows, columns, cells };
}

/** Cells of a sheet by row, from 1, and column, from 0. */
type Cells = ReadonlyMap<number, ReadonlyMap<number, SheetCell>>;

async function rowsNamed(workbook: Workbook, name: string): Promise<Cells | null> {
  const place = workbook.sheets.findIndex((sheet) => sheet.name === name);
  if (place < 0) return null;
  const rows: SheetRow[] = [];
  for await (const batch of (await workbook.sheet(place)).rows()) rows.push(...batch);
  return new Map(
    rows.map(({ row, cells }) => [row, new Map(cells.map((cell) => [cell.column, cell]))]),
  );
}

/** @throws NoBook */
function parsed<Value>(
  schema: v.GenericSchema<unknown, Value>,
  cell: SheetCell | undefined,
): Value {
  try {
    return v.parse(schema, JSON.parse(cell?.text ?? ''));
  } catch (error) {
    throw new NoBook('The hidden sheet of this workbook is damaged. Export the pivot again.', {
      cause: error,
    });
  }
}

/** @throws NoBook if a header is not where it was exported */
function requireHead(shown: Cells, y: number, x: number, head: string): void {
  const cell = shown.get(y)?.get(x);
  const text = cell?.kind === 'number' ? shownDigits(cell.text) : (cell?.text ?? '');
  if (text.trim() === head.trim()) return;
  // A spreadsheet writes 1.1 as 1.1000000000000001, and 100 as 1E2.
  const isNumber = cell?.kind === 'number' && head.trim() !== '';
  if (isNumber && Number(text) === Number(shownDigits(head))) return;
  const address = `${columnLetters(x)}${y}`;
  throw new NoBook(
    `The header ${address} is “${text}”, and it was exported as “${head}”. Rows, columns and headers must stay where they were; move them back, or export again.`,
  );
}
