/** Reads the rows of one sheet of a workbook. */
import { columnLetters, columnOf } from './addresses';
import { damaged, shortened, WorkbookFault } from './fault';
import { dateOf, type NumberKind, timeOf } from './formats';
import { LONGEST_CELL, LONGEST_ROW, MOST_COLUMNS, MOST_ROWS } from './limits';
import { RichText, withControlCharacters } from './rich-text';
import { attribute, isTrue, type XmlHandler, xmlSteps } from './xml';

/**
 * A cell that is not empty.
 * - `number`: the digits as the file has them, with a point: `1204.5`, `1E+20`, `0.30000000000000004`
 * - `date`: `2027-01-31`, with a time if it is not midnight: `2027-01-31 12:30:00`
 * - `text`: a text, or a time of day such as `12:30:00`
 * - `boolean`: `true` or `false`
 * - `error`: such as `#N/A`
 * - `unknown`: a formula whose value was not saved: `=A1+B1`
 */
export interface SheetCell {
  /** Position of the column, from 0. */
  column: number;
  kind: 'number' | 'date' | 'text' | 'boolean' | 'error' | 'unknown';
  text: string;
  /** Whether it is the value that was saved for a formula. */
  isFormula: boolean;
}

/** A row with its cells from left to right; empty cells and rows are not there. */
export interface SheetRow {
  /** Number of the row, from 1. */
  row: number;
  cells: SheetCell[];
}

/** What a sheet has beside the values of its cells. It is complete after all rows were read. */
export interface SheetFacts {
  /** Number of columns that the sheet says it has, before its rows; 0 if it says none. */
  width: number;
  formulas: number;
  /** Cells of the kinds `error` and `unknown`, and the address of the first. */
  errors: number;
  firstError: string;
  unknown: number;
  firstUnknown: string;
  hiddenRows: number;
  hiddenColumns: number;
  /** Areas of merged cells; the value is in the first cell of each. */
  merged: number;
}

/** What cells refer to. */
export interface SheetContext {
  /** The kind of number of each cell format. */
  styles: readonly NumberKind[];
  texts: readonly string[];
  is1904: boolean;
}

/** A sheet. */
export class SheetReader {
  /** Those of the last reading. */
  facts: SheetFacts = noFacts();

  /**
   * @param open reads the bytes of the sheet from their beginning
   * @param name that of its file, for sentences
   */
  constructor(
    private readonly open: () => AsyncIterable<Uint8Array>,
    private readonly name: string,
    private readonly context: SheetContext,
  ) {}

  /** Reads all rows, in batches. @throws WorkbookFault */
  async *rows(): AsyncGenerator<SheetRow[]> {
    const handler = new SheetHandler(this.context);
    this.facts = handler.facts;
    for await (const _ of xmlSteps(this.open(), this.name, handler)) {
      const rows = handler.take();
      if (rows.length > 0) yield rows;
    }
    yield handler.take();
  }
}

const noFacts = (): SheetFacts => ({
  ...{ width: 0, formulas: 0, errors: 0, firstError: '', unknown: 0, firstUnknown: '' },
  ...{ hiddenRows: 0, hiddenColumns: 0, merged: 0 },
});

const CACHED_DATES = 10_000;

/** The tag whose text is collected. */
type Collected = 'v' | 'f' | 'is' | null;

class SheetHandler implements XmlHandler {
  readonly facts = noFacts();
  private rows: SheetRow[] = [];
  private cells: SheetCell[] = [];
  private isInData = false;
  private isInRow = false;
  private row = 0;
  private column = -1;
  private rowLength = 0;
  private type = 'n';
  private kind: NumberKind = 'number';
  private collected: Collected = null;
  /** The value; null without one. */
  private value: string | null = null;
  /** The formula; null without one. */
  private formula: string | null = null;
  private readonly inline = new RichText();
  private readonly dates = new Map<number, string | null>();

  constructor(private readonly context: SheetContext) {}

  /** Returns the rows that are complete since the last call. */
  take(): SheetRow[] {
    const rows = this.rows;
    this.rows = [];
    return rows;
  }

  open(name: string, attributes: string): void {
    if (!this.isInData) {
      if (name === 'sheetData') this.isInData = true;
      else if (name === 'dimension') this.facts.width = widthOf(attributes);
      else if (name === 'mergeCell') this.facts.merged++;
      else if (name === 'col' && isTrue(attribute(attributes, 'hidden'))) {
        const from = Number(attribute(attributes, 'min'));
        const to = Number(attribute(attributes, 'max'));
        if (to >= from && to <= MOST_COLUMNS) this.facts.hiddenColumns += to - from + 1;
      }
      return;
    }
    if (name === 'c') this.openCell(attributes);
    else if (name === 'v') {
      this.collected = 'v';
      this.value ??= '';
    } else if (name === 'f') {
      this.collected = 'f';
      this.formula ??= '';
    } else if (name === 'is') {
      this.collected = 'is';
      this.value ??= '';
    } else if (name === 'row') this.openRow(attributes);
    else if (this.collected === 'is') this.inline.open(name);
  }

  text(text: string): void {
    if (this.collected === null) return;
    if (this.collected === 'v') this.value = bounded((this.value ?? '') + text, this.address);
    else if (this.collected === 'f')
      this.formula = bounded((this.formula ?? '') + text, this.address);
    else {
      this.inline.text(text);
      if (this.inline.length > LONGEST_CELL) throw tooLong(this.address);
    }
  }

  close(name: string): void {
    if (!this.isInData) return;
    if (name === 'c') this.closeCell();
    else if (name === 'row') this.closeRow();
    else if (name === 'is') {
      this.value = this.inline.take();
      this.collected = null;
    } else if (name === 'v' || name === 'f') this.collected = null;
    else if (name === 'sheetData') this.isInData = false;
    else if (this.collected === 'is') this.inline.close(name);
  }

  private openRow(attributes: string): void {
    if (this.isInRow) throw damaged(`row ${this.row} is not closed`);
    this.isInRow = true;
    const named = attribute(attributes, 'r');
    const row = named === undefined ? this.row + 1 : Number(named);
    if (!(row > this.row) || row > MOST_ROWS) {
      throw damaged(`row ${this.row} is followed by row ${shortened(named ?? `${row}`)}`);
    }
    this.row = row;
    this.column = -1;
    this.rowLength = 0;
    if (isTrue(attribute(attributes, 'hidden'))) this.facts.hiddenRows++;
  }

  private closeRow(): void {
    this.isInRow = false;
    if (this.cells.length === 0) return;
    this.rows.push({ row: this.row, cells: this.cells });
    this.cells = [];
  }

  private openCell(attributes: string): void {
    const reference = attribute(attributes, 'r');
    const column = reference === undefined ? this.column + 1 : columnOf(reference);
    if (!(column > this.column) || column >= MOST_COLUMNS) {
      throw damaged(
        `the cell ${shortened(reference ?? `${column + 1}`)} is not in its place in row ${this.row}`,
      );
    }
    this.column = column;
    this.type = attribute(attributes, 't') ?? 'n';
    const style = attribute(attributes, 's');
    this.kind = (style === undefined ? undefined : this.context.styles[Number(style)]) ?? 'number';
    this.value = null;
    this.formula = null;
  }

  private closeCell(): void {
    const { value, formula } = this;
    if (formula !== null) this.facts.formulas++;
    if (value === null || (value === '' && this.type === 'n')) {
      if (formula !== null) this.add('unknown', `=${formula}`);
      return;
    }
    switch (this.type) {
      case 's':
        return this.add('text', this.sharedText(value));
      case 'inlineStr':
        return this.add('text', value);
      case 'str':
        return this.add('text', withControlCharacters(value));
      case 'b':
        return this.add('boolean', isTrue(value) ? 'true' : 'false');
      case 'e':
        return this.add('error', value);
      case 'd':
        return this.add('date', value.replace('T', ' ').replace(/ 00:00:00(\.0+)?$/, ''));
      default:
        return this.addNumber(value.trim());
    }
  }

  private addNumber(digits: string): void {
    const number = Number(digits);
    if (digits === '' || !Number.isFinite(number)) {
      throw damaged(`${this.address} has “${shortened(digits)}” for a number`);
    }
    if (this.kind === 'number') return this.add('number', digits);
    const time = this.kind === 'time' ? timeOf(number) : null;
    if (time !== null) return this.add('text', time);
    const date = this.date(number);
    if (date === null) this.add('number', digits);
    else this.add('date', date);
  }

  /** Columns repeat their dates. */
  private date(serial: number): string | null {
    let date = this.dates.get(serial);
    if (date === undefined) {
      date = dateOf(serial, this.context.is1904);
      if (this.dates.size >= CACHED_DATES) this.dates.clear();
      this.dates.set(serial, date);
    }
    return date;
  }

  private sharedText(value: string): string {
    const text = this.context.texts[Number(value)];
    if (text === undefined) throw damaged(`${this.address} refers to a text that is not there`);
    return text;
  }

  private add(kind: SheetCell['kind'], text: string): void {
    if (text === '') return;
    if (text.includes('\0')) {
      throw new WorkbookFault(
        `The workbook cannot be read: ${this.address} has the character U+0000`,
      );
    }
    this.rowLength += text.length;
    if (this.rowLength > LONGEST_ROW) {
      throw new WorkbookFault(`Row ${this.row} has more than ${LONGEST_ROW} characters`);
    }
    if (kind === 'error' && this.facts.errors++ === 0) this.facts.firstError = this.address;
    if (kind === 'unknown' && this.facts.unknown++ === 0) this.facts.firstUnknown = this.address;
    this.cells.push({ column: this.column, kind, text, isFormula: this.formula !== null });
  }

  private get address(): string {
    return `${columnLetters(this.column)}${this.row}`;
  }
}

/** The width of an area, such as A1:F500. */
function widthOf(attributes: string): number {
  const [first = '', last = first] = (attribute(attributes, 'ref') ?? '').split(':');
  return Math.min(columnOf(last) + 1, MOST_COLUMNS);
}

function bounded(text: string, address: string): string {
  if (text.length > LONGEST_CELL) throw tooLong(address);
  return text;
}

const tooLong = (address: string): WorkbookFault =>
  new WorkbookFault(`The cell ${address} has more than ${LONGEST_CELL} characters`);
