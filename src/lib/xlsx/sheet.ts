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
  /** Cells that refer to a text before the first, which are empty, and the address of the first such cell. */
  lost: number;
  firstLost: string;
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
  ...{ lost: 0, firstLost: '', hiddenRows: 0, hiddenColumns: 0, merged: 0 },
});

const CACHED_DATES = 10_000;

const SIZE = 'worksheet/dimension';
const COLUMN = 'worksheet/cols/col';
const MERGED = 'worksheet/mergeCells/mergeCell';
const ROW = 'worksheet/sheetData/row';
const ROW_IN_ROW = `${ROW}/row`;
const CELL = `${ROW}/c`;
const VALUE = `${CELL}/v`;
const FORMULA = `${CELL}/f`;
const INLINE = `${CELL}/is`;
// A guide to the pronunciation (rPh) has texts, too.
const INLINE_TEXT = `${INLINE}/t`;
const INLINE_RUN = `${INLINE}/r/t`;

/** A number as XML has it: `5`, `+5.`, `-.5`, `1.5E-7`. */
const NUMBER = /^([-+]?)(\d*)(?:\.(\d*))?([eE][-+]?\d+)?$/;

class SheetHandler implements XmlHandler {
  readonly places = [
    ...[SIZE, COLUMN, MERGED, ROW, ROW_IN_ROW, CELL, VALUE, FORMULA, INLINE],
    ...[INLINE_TEXT, INLINE_RUN],
  ];
  readonly facts = noFacts();
  private rows: SheetRow[] = [];
  private cells: SheetCell[] = [];
  private row = 0;
  private column = -1;
  private rowLength = 0;
  private type = 'n';
  private kind: NumberKind = 'number';
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

  open(place: string, attributes: string): void {
    switch (place) {
      case CELL:
        return this.openCell(attributes);
      case VALUE:
      case INLINE:
        this.value ??= '';
        return;
      case FORMULA:
        this.formula ??= '';
        return;
      case ROW:
        return this.openRow(attributes);
      case ROW_IN_ROW:
        throw damaged(`row ${this.row} is not closed`);
      case SIZE:
        this.facts.width = widthOf(attributes);
        return;
      case MERGED:
        this.facts.merged++;
        return;
      case COLUMN:
        this.facts.hiddenColumns += hiddenColumns(attributes);
    }
  }

  text(text: string, place: string): void {
    switch (place) {
      case VALUE:
        this.value = bounded((this.value ?? '') + text, this.address);
        return;
      case FORMULA:
        this.formula = bounded((this.formula ?? '') + text, this.address);
        return;
      case INLINE_TEXT:
      case INLINE_RUN:
        this.inline.add(text);
        if (this.inline.length > LONGEST_CELL) throw tooLong(this.address);
    }
  }

  close(place: string): void {
    if (place === CELL) this.closeCell();
    else if (place === ROW) this.closeRow();
    else if (place === INLINE) this.value = this.inline.take();
  }

  private openRow(attributes: string): void {
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
    const { formula, type } = this;
    if (formula !== null) this.facts.formulas++;
    const isText = type === 'inlineStr' || type === 'str';
    const value = isText ? this.value : (this.value?.trim() ?? null);
    // A formula may have an empty text as its value; other values are there.
    if (value === null || (value === '' && type !== 'str')) {
      if (formula !== null) this.add('unknown', `=${formula}`);
      return;
    }
    switch (type) {
      case 's':
        return this.add('text', this.sharedText(value));
      case 'inlineStr':
        return this.add('text', value);
      case 'str':
        return this.add('text', withControlCharacters(value));
      case 'b':
        return this.add('boolean', this.booleanIn(value));
      case 'e':
        return this.add('error', value);
      case 'd':
        return this.addDate(value);
      default:
        return this.addNumber(value);
    }
  }

  private booleanIn(value: string): string {
    if (/^(1|true)$/i.test(value)) return 'true';
    if (/^(0|false)$/i.test(value)) return 'false';
    throw damaged(`${this.address} has “${shortened(value)}” for true or false`);
  }

  /** @param value as ISO 8601 writes it; workbooks have no time zones, so that `Z` says nothing */
  private addDate(value: string): void {
    const [, day = '', time = ''] = /^(\d{4}-\d\d-\d\d)?T?(.*?)Z?$/.exec(value) ?? [];
    const isMidnight = time === '' || /^00:00(:00(\.0+)?)?$/.test(time);
    if (day === '' || (this.kind === 'time' && !isMidnight)) return this.add('text', time || value);
    this.add('date', isMidnight ? day : `${day} ${time}`);
  }

  private addNumber(value: string): void {
    const [, sign = '', whole = '', fraction = '', exponent = ''] = NUMBER.exec(value) ?? [];
    const digits = `${sign === '-' ? '-' : ''}${whole || '0'}${fraction && `.${fraction}`}${exponent}`;
    const number = Number(digits);
    if (whole + fraction === '' || !Number.isFinite(number)) {
      throw damaged(`${this.address} has “${shortened(value)}” for a number`);
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
    // Programs write -1 for a cell without a text.
    if (/^-\d+$/.test(value)) {
      if (this.facts.lost++ === 0) this.facts.firstLost = this.address;
      return '';
    }
    const text = /^\d+$/.test(value) ? this.context.texts[Number(value)] : undefined;
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

/** The number of columns that an entry of the list of columns hides. */
function hiddenColumns(attributes: string): number {
  if (!isTrue(attribute(attributes, 'hidden'))) return 0;
  const from = Number(attribute(attributes, 'min'));
  const to = Number(attribute(attributes, 'max'));
  return to >= from && to <= MOST_COLUMNS ? to - from + 1 : 0;
}

function bounded(text: string, address: string): string {
  if (text.length > LONGEST_CELL) throw tooLong(address);
  return text;
}

const tooLong = (address: string): WorkbookFault =>
  new WorkbookFault(`The cell ${address} has more than ${LONGEST_CELL} characters`);
