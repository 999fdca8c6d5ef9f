/** Reads a block of numbers from the clipboard: its number format, headings, blanks and faults. */
import { isDash, plainNotation, type DecimalSign, type NumberMarks } from '../../numbers/notation';
import { isInPlace, isPercentage, readPastedNumber } from './pasted-number';

import { ISO_DAY } from '../../pivot/slice/date-ranges';
import { formatDay } from '../../pivot/values/date-language';

/** Rows of texts, as they were on the clipboard. */
export type Texts = readonly (readonly string[])[];

/** The labels of rows and columns that the grid shows, in lower case. */
interface GridLabels {
  rows: ReadonlySet<string>;
  columns: ReadonlySet<string>;
}

/** What the page shows: its labels, and the notation of its numbers. */
interface PasteScreen {
  labels: GridLabels;
  marks: NumberMarks;
}

/** A cell of a pasted block: a number, a blank, or a text that does not fit. */
export type PastedCell = { text: string } & (
  | { value: number; fault?: undefined }
  | { value: null; fault?: undefined }
  | { value: null; fault: string }
);

/** How the numbers of a block were read. */
export interface PastedFormat {
  decimal: DecimalSign;
  /** Whether it is not the format of the browser. */
  isForeign: boolean;
  /** A text of the block that would be another number in the other format; null if all texts agree. */
  ambiguous: string | null;
}

/** A block of numbers as it was read from the clipboard. */
export interface PastedBlock {
  /** The cells without the headings, row by row; all rows have the same length. */
  cells: PastedCell[][];
  format: PastedFormat;
  /** Number of rows and columns of headings that were skipped. */
  skipped: { rows: number; columns: number };
  /** The skipped texts beside each row and above each column that are labels of the grid. */
  copied: { rows: string[][]; columns: string[][] };
}

/** The number of rows and columns of a block. */
interface Size {
  rows: number;
  columns: number;
}

const EITHER: readonly DecimalSign[] = ['.', ','];

/** Returns the label of a header as {@link GridLabels} has it. An ISO day, as workbooks have it, is the day of the grid. */
export const asLabel = (text: string): string => {
  const plain = plainNotation(text);
  return (ISO_DAY.test(plain) ? formatDay(plain) : plain).toLowerCase();
};

/** Maximum number of characters of a text that are shown. */
const MOST_SHOWN = 40;

/** Returns a text of the clipboard for a sentence or a small cell. */
export function shortPasted(text: string): string {
  const plain = plainNotation(text);
  return plain.length > MOST_SHOWN ? `${plain.slice(0, MOST_SHOWN)}…` : plain;
}

const isBlank = (text: string): boolean => plainNotation(text) === '';

const isNumber = (text: string, { words }: NumberMarks): boolean =>
  EITHER.some((decimal) => readPastedNumber(text, decimal, words) !== null);

const ownDecimal = ({ decimal }: NumberMarks): DecimalSign => (decimal === ',' ? ',' : '.');

/**
 * Returns the decimal sign with which most cells of a block are numbers; if both give the same, the browser's.
 *
 * @param texts the cells of the block
 * @param marks the separators and words of the browser's language
 * @param chosen the decimal sign that the planner chose; null for the likeliest one
 */
export function formatOf(
  texts: readonly string[],
  marks: NumberMarks,
  chosen: DecimalSign | null = null,
): PastedFormat {
  const own = ownDecimal(marks);
  const other = own === '.' ? ',' : '.';
  const count = (decimal: DecimalSign) =>
    texts.filter((text) => readPastedNumber(text, decimal, marks.words) !== null).length;
  const [readByOwn, readByOther] = [count(own), count(other)];
  const decimal = chosen ?? (readByOther > readByOwn ? other : own);
  const two = texts.filter((text) => {
    const [one, another] = EITHER.map((sign) => readPastedNumber(text, sign, marks.words));
    return one && another && 'value' in one && 'value' in another && one.value !== another.value;
  });
  const ambiguous = readByOwn === readByOther ? (two[0] ?? null) : null;
  // A French browser writes neither 1.204 nor 1,204.50.
  const isUnknown = ambiguous !== null && ambiguous.includes(other) && marks.group !== other;
  return { decimal, isForeign: decimal !== own || isUnknown, ambiguous };
}

/**
 * Returns whether a block needs no guess, as far as its texts tell: all cells are numbers in the browser's
 * format, without percent signs.
 */
export function isPlainBlock(texts: Texts, marks: NumberMarks): boolean {
  const all = texts.flat();
  const own = ownDecimal(marks);
  return (
    all.length > 0 &&
    texts.every((row) => row.length === texts[0]?.length) &&
    all.every(
      (text) =>
        readPastedNumber(text, own, marks.words) !== null && !isDash(text) && !isPercentage(text),
    ) &&
    !formatOf(all, marks).isForeign
  );
}

/**
 * Reads a block from the clipboard. Leading rows and columns that consist of texts, or of labels of the grid,
 * are skipped; a blank at the end of a row or column that does not fit into the selection is no cell.
 *
 * @param selected the size of the selected block; null for a single cell, from which the block goes down and
 * to the right
 * @param chosen see {@link formatOf}
 */
export function readPastedBlock(
  texts: Texts,
  {
    labels,
    marks,
    selected,
    chosen = null,
  }: PasteScreen & { selected: Size | null; chosen?: DecimalSign | null },
): PastedBlock {
  const wide = Math.max(0, ...texts.map((row) => row.length));
  const padded = texts.map((row) => Array.from({ length: wide }, (_, x) => row[x] ?? ''));
  const skipped = skippedOf(padded, { labels, marks }, selected);
  const body = padded.slice(skipped.rows).map((row) => row.slice(skipped.columns));
  const fitting = selected && isOfSize(body, selected) ? body : withoutEnd(body);
  const format = formatOf(fitting.flat(), marks, chosen);
  const cells = fitting.map((row) => row.map((text) => cellOf(text, format.decimal, marks)));
  const copied = {
    rows: cells.map((_, y) =>
      (padded[skipped.rows + y] ?? [])
        .slice(0, skipped.columns)
        .filter((text) => labels.rows.has(asLabel(text))),
    ),
    columns: (cells[0] ?? []).map((_, x) =>
      padded
        .slice(0, skipped.rows)
        .map((row) => row[skipped.columns + x] ?? '')
        .filter((text) => labels.columns.has(asLabel(text))),
    ),
  };
  return { cells, format, skipped, copied };
}

function cellOf(text: string, decimal: DecimalSign, { words }: NumberMarks): PastedCell {
  if (isBlank(text)) return { text, value: null };
  const read = readPastedNumber(text, decimal, words);
  if (read && 'value' in read) return { text, value: read.value };
  return { text, value: null, fault: read?.problem ?? `“${shortPasted(text)}” is not a number.` };
}

/** Returns the number of leading rows and columns to skip. */
function skippedOf(texts: Texts, screen: PasteScreen, selected: Size | null): Size {
  const full: Size = { rows: 0, columns: 0 };
  const found = headingsOf(texts, screen);
  if (!selected) return found;
  const fits = (size: Size): boolean =>
    isOfSize(
      texts.slice(size.rows).map((row) => row.slice(size.columns)),
      selected,
    );
  // In a block of exactly the selected size, only labels of the grid are headings.
  if (fits(full)) return hasLabel(texts, found, screen) ? found : full;
  const choices = [found, { ...found, columns: 0 }, { ...found, rows: 0 }];
  return choices.find(fits) ?? found;
}

const isOfSize = (texts: Texts, { rows, columns }: Size): boolean =>
  texts.length === rows && texts[0]?.length === columns;

/** Returns whether a text that is no number, among the headings found, is a label of the grid. */
const hasLabel = (texts: Texts, found: Size, { labels, marks }: PasteScreen): boolean =>
  texts.some((row, y) =>
    row.some((text, x) => {
      const isHeading = y < found.rows || x < found.columns;
      const label = asLabel(text);
      return (
        isHeading && !isNumber(text, marks) && (labels.rows.has(label) || labels.columns.has(label))
      );
    }),
  );

/** Returns the number of leading rows and columns that consist of headings. */
function headingsOf(texts: Texts, { labels, marks }: PasteScreen): Size {
  const isText = (text: string) => !isNumber(text, marks) && !isInPlace(text);
  const wide = texts[0]?.length ?? 0;
  const column = (x: number) => texts.map((row) => row[x] ?? '').filter((text) => !isBlank(text));
  const isLabelColumn = (x: number) =>
    column(x).every((text) => isText(text) || labels.rows.has(asLabel(text))) &&
    column(x).some((text) => !labels.columns.has(asLabel(text)));
  const columns = leading(wide, (x) => (column(x).length === 0 ? null : isLabelColumn(x)));
  const isLabelRow = (row: readonly string[]) => {
    const filled = row.filter((text) => !isBlank(text));
    // A label of a row whose numbers are blank is no heading of columns.
    const isOfRow =
      row.slice(columns).every(isBlank) && filled.some((text) => labels.rows.has(asLabel(text)));
    return !isOfRow && filled.every((text) => isText(text) || labels.columns.has(asLabel(text)));
  };
  const rows = leading(texts.length, (y) => {
    const row = texts[y] ?? [];
    return row.every(isBlank) ? null : isLabelRow(row);
  });
  return { rows, columns };
}

/** Counts leading lines that are headings. Blank lines, for which `is` returns null, count before a heading. */
function leading(count: number, is: (i: number) => boolean | null): number {
  let found = 0;
  for (let i = 0; i < count; i++) {
    const answer = is(i);
    if (answer === false) break;
    if (answer) found = i + 1;
  }
  return found;
}

/** Returns rows of texts without the blank rows and columns at the end. */
function withoutEnd(texts: Texts): Texts {
  const high = texts.findLastIndex((row) => !row.every(isBlank)) + 1;
  const wide = Math.max(0, ...texts.map((row) => row.findLastIndex((text) => !isBlank(text)) + 1));
  return texts.slice(0, high).map((row) => row.slice(0, wide));
}
