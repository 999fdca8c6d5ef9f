/** Reads rows of cells from delimited text (RFC 4180, with any line ends). */
import type { FileEncoding } from '../../contract/files';
import { LONGEST_CELL, LONGEST_ROW } from '../../xlsx/limits';
import { AppError } from '../errors';

/** Largest number of columns of a file. A forecast table adds columns of its own. */
export const MOST_COLUMNS = 500;

/** A row of a file. */
export interface FileRow {
  cells: string[];
  /** The line on which it begins, or the row of a sheet, from 1. */
  line: number;
  /**
   * By position, whether a sheet stores the cell as a number, written with a point; missing for text. The row of a
   * sheet may end before its last columns, which are then empty.
   */
  numbers?: readonly boolean[];
  /** Why the row as a whole does not fit. */
  problem?: string;
}

/** Reads the rows of a file from its beginning, in batches, without blank rows. */
export type ReadRows = () => AsyncIterable<FileRow[]>;

const QUOTE = 0x22;
const LF = 0x0a;
const CR = 0x0d;

/** Where the reader is: before a cell, in one, inside quotes, or after a quote that may close them. */
type Place = 'start' | 'plain' | 'quoted' | 'closed';

/**
 * Reads rows from text that arrives in parts. A quote opens quotes only at the start of a cell. A line ends
 * with CR LF, LF or CR.
 */
export class CsvReader {
  private place: Place = 'start';
  private cell = '';
  private cells: string[] = [];
  private length = 0;
  private line = 1;
  private rowLine = 1;
  private quoteLine = 1;
  private isAfterCr = false;
  private rows: FileRow[] = [];
  private readonly delimiter: number;

  /** @param delimiter one character */
  constructor(delimiter: string) {
    this.delimiter = delimiter.charCodeAt(0);
  }

  /** Returns the rows that are complete after the next part of the text. @throws AppError 422 */
  take(text: string): FileRow[] {
    let from = 0;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (this.place === 'quoted') {
        if (code === QUOTE) {
          this.append(text, from, i);
          this.place = 'closed';
          this.isAfterCr = false;
          from = i + 1;
        } else this.countLine(code);
        continue;
      }
      if (code === QUOTE && this.place !== 'plain') {
        if (this.place === 'start') this.quoteLine = this.line;
        // The second quote of a pair is part of the cell.
        from = this.place === 'start' ? i + 1 : i;
        this.place = 'quoted';
      } else if (code === this.delimiter) {
        this.append(text, from, i);
        this.endCell();
        from = i + 1;
      } else if (code === LF || code === CR) {
        this.append(text, from, i);
        from = i + 1;
        if (code === CR || !this.isAfterCr) this.endLine();
      } else {
        if (this.place === 'start' || this.place === 'closed') this.place = 'plain';
      }
      this.countLine(code);
    }
    this.append(text, from, text.length);
    return this.given();
  }

  /** Returns the last row, if the text does not end with a line end. @throws AppError 422 */
  end(): FileRow[] {
    if (this.place === 'quoted') {
      throw this.fault(this.quoteLine, 'a quote opens a cell and is never closed');
    }
    if (this.cells.length > 0 || this.cell !== '' || this.place !== 'start') this.endRow();
    return this.given();
  }

  private given(): FileRow[] {
    const rows = this.rows;
    this.rows = [];
    return rows;
  }

  private countLine(code: number): void {
    if (code === CR || (code === LF && !this.isAfterCr)) this.line++;
    this.isAfterCr = code === CR;
    if (code === 0) throw this.fault(this.line, 'the text contains the character U+0000');
  }

  private append(text: string, from: number, to: number): void {
    if (to <= from) return;
    this.cell += text.slice(from, to);
    this.length += to - from;
    const line = this.place === 'quoted' ? this.quoteLine : this.rowLine;
    const unclosed = this.place === 'quoted' ? '; a quote that opens it may not be closed' : '';
    if (this.cell.length > LONGEST_CELL) {
      throw this.fault(line, `a cell has more than ${LONGEST_CELL} characters${unclosed}`);
    }
    if (this.length > LONGEST_ROW) {
      throw this.fault(line, `a row has more than ${LONGEST_ROW} characters${unclosed}`);
    }
  }

  private endCell(): void {
    this.cells.push(this.cell);
    this.cell = '';
    this.place = 'start';
    if (this.cells.length > MOST_COLUMNS) {
      throw this.fault(this.rowLine, `a row has more than ${MOST_COLUMNS} cells`);
    }
  }

  private endLine(): void {
    const isEmpty = this.place === 'start' && this.cells.length === 0 && this.cell === '';
    // A file may be millions of line ends.
    if (isEmpty) this.rowLine = this.line + 1;
    else this.endRow();
  }

  private endRow(): void {
    this.endCell();
    this.rows.push({ cells: this.cells, line: this.rowLine });
    this.cells = [];
    this.length = 0;
    this.rowLine = this.line + 1;
  }

  private fault(line: number, problem: string): AppError {
    return new AppError(422, `The file cannot be read: line ${line}: ${problem}`);
  }
}

/** Number of cells up to the last one that is not blank: spreadsheets write empty cells after it. */
export const lastFilled = (cells: readonly string[]): number =>
  cells.findLastIndex((cell) => cell.trim() !== '') + 1;

/** Whether all cells of a row are blank. Such rows are passed over. */
export const isBlank = ({ cells }: FileRow): boolean => cells.every((cell) => cell.trim() === '');

/**
 * Decodes a file in parts. @throws AppError 422 if it is not text in the encoding
 */
export async function* textOf(
  bytes: AsyncIterable<Uint8Array>,
  encoding: FileEncoding,
): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  const decode = (part?: Uint8Array) => {
    try {
      return part ? decoder.decode(part, { stream: true }) : decoder.decode();
    } catch {
      throw new AppError(422, `The file is not text in the encoding ${encoding}; choose another`, {
        field: 'encoding',
      });
    }
  };
  for await (const part of bytes) yield decode(part);
  yield decode();
}

/**
 * Reads the rows of a file in batches, without blank rows. A first line such as `sep=;`, by which Excel names
 * the delimiter, is passed over.
 * @throws AppError 422
 */
export async function* rowsOf(
  text: AsyncIterable<string>,
  delimiter: string,
): AsyncGenerator<FileRow[]> {
  const reader = new CsvReader(delimiter);
  const wanted = (row: FileRow) => !isBlank(row) && !isSeparatorLine(row, delimiter);
  for await (const part of text) yield reader.take(part).filter(wanted);
  yield reader.end().filter(wanted);
}

const isSeparatorLine = ({ cells, line }: FileRow, delimiter: string): boolean =>
  line === 1 && cells.join(delimiter).toLowerCase() === `sep=${delimiter}`;
