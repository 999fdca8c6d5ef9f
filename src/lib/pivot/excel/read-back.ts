/** Reads a workbook that was exported from a pivot, perhaps changed and saved by another program. */
import * as v from 'valibot';
import {
  isUnmoved,
  keyOf,
  type Cells,
  type Lines,
  placedLines,
  type PlacedLines,
  placeTexts,
  swappedTexts,
} from './moved-lines';
import { swappedRows } from './swapped-rows';
import { columnLetters } from '../../xlsx/addresses';
import { blobBytes } from '../../xlsx/bytes';
import { shownDigits } from '../../xlsx/formats';
import type { SheetCell, SheetRow } from '../../xlsx/sheet';
import { Workbook } from '../../xlsx/workbook';
import {
  HEADER_COLUMNS,
  HEADER_ROWS,
  WorkbookOrigin,
  ORIGIN_FORM,
  ORIGIN_MARK,
  ORIGIN_SHEET,
  WorkbookColumn,
  OriginRow,
} from './origin-sheet';

/** A cell of numbers that the file fills. */
export interface BookCell {
  row: OriginRow;
  column: WorkbookColumn;
  /** Such as B4. */
  address: string;
  /** The exact amount when it was exported; null for an empty cell. */
  was: number | null;
  /** What the file says. */
  cell: SheetCell;
}

/** A workbook that was exported from a pivot. */
export interface Book {
  origin: WorkbookOrigin;
  rows: readonly OriginRow[];
  columns: readonly WorkbookColumn[];
  /** The cells that the file fills, row by row. */
  cells: readonly BookCell[];
  /** Sentences about rows and columns that were moved; empty if none were. */
  notes: readonly string[];
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
 * @throws NoBook for another workbook, or one with another header in its place; WorkbookFault for a file that is no
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
  const origin = parsed(WorkbookOrigin, hidden.get(2)?.get(0));
  if (origin.problem !== null) throw new NoBook(origin.problem);
  const shown = await rowsNamed(workbook, origin.sheet);
  if (!shown) {
    throw new NoBook(`The sheet “${origin.sheet}” is gone or has another name. Rename it back.`);
  }
  const columns: WorkbookColumn[] = [];
  for (let x = HEADER_COLUMNS; ; x++) {
    const cell = hidden.get(HEADER_ROWS)?.get(x);
    if (!cell) break;
    columns.push(parsed(WorkbookColumn, cell));
  }
  const { headers } = origin;
  const exported = [...hidden].filter(([number]) => number > HEADER_ROWS);
  const rows = exported.map(([, own]) => parsed(OriginRow, own.get(1)));
  const lines = {
    rows: rows.map(({ heads }, i) => ({ heads, place: Number(exported[i]?.[1].get(0)?.text) })),
    columns: columns.map(({ heads }, i) => ({ heads, place: headers.columns + i })),
  };
  const found = placedLines(shown, lines, headers);
  requireHeads(shown, lines, found);
  const isMoved = !isUnmoved(lines.rows, found.rows) || !isUnmoved(lines.columns, found.columns);
  const xs = columns.flatMap((column, i) => {
    const x = found.columns.places[i];
    return x == null ? [] : [{ column, x, i }];
  });
  const compared = rows.flatMap((row, j) => {
    const y = found.rows.places[j];
    const own = exported[j]?.[1];
    if (y == null || !own) return [];
    const was = xs.map(({ i }) => amountIn(own.get(HEADER_COLUMNS + i)));
    const now = xs.map(({ x }) => amountIn(shown.get(y)?.get(x)));
    return [{ row, y, was, now, label: keyOf(row.heads) }];
  });
  const swapped = swappedRows(compared);
  const cells = compared.flatMap((each): BookCell[] => {
    const { row, y, was } = each;
    if (swapped.has(each)) return [];
    return xs.flatMap(({ column, x }, i) => {
      const cell = shown.get(y)?.get(x);
      const address = `${columnLetters(x)}${y}`;
      return cell ? [{ row, column, address, was: was[i] ?? null, cell }] : [];
    });
  });
  const places = compared.filter((each) => swapped.has(each)).map(({ y }) => y);
  const notes = [...(isMoved ? placeTexts(found, lines) : []), ...swappedTexts(places)];
  return { origin, rows, columns, cells, notes };
}

/** The number in a cell; null if it has none. */
const amountIn = (cell: SheetCell | undefined): number | null =>
  cell?.kind === 'number' ? Number(cell.text) : null;

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

/** @throws NoBook for another header in the place of one, while none was moved */
function requireHeads(shown: Cells, { rows, columns }: Lines, found: PlacedLines): void {
  const isMoved = (lines: Lines['rows'], { places }: PlacedLines['rows']) =>
    lines.some(({ place }, i) => places[i] != null && places[i] !== place);
  if (isMoved(rows, found.rows) || isMoved(columns, found.columns)) return;
  for (const [i, { heads, place }] of columns.entries()) {
    if (found.columns.places[i] != null) continue;
    for (const [y, head] of heads.entries()) requireHead(shown, y + 1, place, head);
  }
  for (const [i, { heads, place }] of rows.entries()) {
    if (found.rows.places[i] != null) continue;
    for (const [x, head] of heads.entries()) requireHead(shown, place, x, head);
  }
}

/** @throws NoBook if a header was replaced by another one */
function requireHead(shown: Cells, y: number, x: number, head: string): void {
  const text = shown.get(y)?.get(x)?.text ?? '';
  if (text.trim() === '' || text.trim() === head.trim()) return;
  throw new NoBook(
    `The header ${columnLetters(x)}${y} is “${shownDigits(text)}”, and it was exported as “${head}”. Change it back, or export again.`,
  );
}
