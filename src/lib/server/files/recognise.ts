/** Recognises delimiter, header, notations and types of a file from all of its rows. */
import type {
  Delimiter,
  FileColumn,
  FileDateOrder,
  FileDecimal,
  FileEncoding,
  FileHeader,
  FileMonths,
  FilePreview,
  FileStart,
  FileType,
  FileWorkbook,
} from '../../contract/files';
import { DELIMITERS } from '../../contract/files';
import type { ByteSource } from '../../xlsx/bytes';
import { AppError } from '../errors';
import { ColumnFacts } from './column-facts';
import {
  CsvReader,
  type FileRow,
  isBlank,
  lastFilled,
  MOST_COLUMNS,
  type ReadRows,
  rowsOf,
  textOf,
} from './csv';
import { isMidnight, parseDate } from './dates';
import { columnNames } from './names';
import { type MonthChoices, withMonths } from './months';
import { parseNumber } from './numbers';
import { openSheet } from './sheet-rows';
import { rowsFrom, startOf } from './title-rows';

/** The choices that were sent with a file. The service recognises those that are undefined. */
export interface FileChoices extends MonthChoices {
  encoding?: FileEncoding | undefined;
  delimiter?: Delimiter | undefined;
  decimal?: FileDecimal | undefined;
  dateOrder?: FileDateOrder | undefined;
  /** The line of the names or, without any, of the first row, from 1. */
  firstLine?: number | undefined;
  /** The name of the sheet of a workbook; the first visible one if undefined. */
  sheet?: string | undefined;
  /** Types by the position of the column. */
  types: readonly (FileType | undefined)[];
}

/** A column of a file with the type that it gets. */
export interface PlannedColumn extends FileColumn {
  /** Digits behind the point of a numeric column; null for any number of them. */
  scale: number | null;
  /** Decimals that the column of a table that exists has at most; null or undefined if they are not limited. */
  mostDecimals?: number | null;
}

/** How a file is read. */
export interface FilePlan {
  /** Null for a workbook, as is the delimiter. */
  encoding: FileEncoding | null;
  delimiter: Delimiter | null;
  /** The sheet of a workbook; undefined for text. */
  workbook: FileWorkbook | undefined;
  /** The columns that are months; undefined without any. */
  months: FileMonths | undefined;
  /** Where the rows begin. */
  start: FileStart;
  header: FileHeader;
  decimal: FileDecimal;
  dateOrder: FileDateOrder;
  unsure: FilePreview['unsure'];
  columns: PlannedColumn[];
  read: ReadRows;
}

/** Reads a file from its beginning. */
export type OpenFile = () => AsyncIterable<Uint8Array>;

/** A file that has arrived. */
export interface ArrivedFile {
  /** The name that was sent with it. */
  name: string;
  open: OpenFile;
  /** The same bytes, at any place. */
  bytes: ByteSource;
  isWorkbook: boolean;
  /** The encoding that its bytes show, if it is text. */
  encoding: FileEncoding;
  choices: FileChoices;
}

/** The delimiters, those first that are rarer in cells. */
const LIKELIEST = ['semicolon', 'tab', 'comma', 'pipe'] as const satisfies readonly Delimiter[];

/** Number of characters from which the delimiter is recognised. */
const SAMPLE = 65_536;

/**
 * Recognises how a file is to be read.
 *
 * @throws AppError 422 if it cannot be read or has no rows, 400 if more types were sent than it has columns or
 * the sheet is not there
 */
export async function recognise(file: ArrivedFile): Promise<FilePlan> {
  const { choices } = file;
  const { encoding, delimiter, start, describe, ...opened } = await openRows(file);
  const { describe: describeMonths, read } = await withMonths(opened.read, choices, [
    start.titles.join('\n'),
    ...(describe ? [describe().sheet] : []),
    file.name,
  ]);
  const { first, facts, hasMore } = await gather(read, choices);
  const months = describeMonths();
  // A column without a name counts if it has cells.
  const filled = facts.slice(0, first.cells.length).findLastIndex(({ isEmpty }) => !isEmpty) + 1;
  const width = Math.max(lastFilled(first.cells), filled, 1);
  const columns = Array.from(
    { length: width },
    (_, i) => facts[i] ?? new ColumnFacts(choices.types[i]),
  );
  if (choices.types.length > width) {
    throw new AppError(400, `types: the file has ${width} columns, not ${choices.types.length}`, {
      field: 'types',
    });
  }

  // The first line is not counted yet: whether it is a header depends on the others.
  const guessed = notations(columns, delimiter, choices);
  const isNamed = months?.as === 'rows' || isHeader(first, columns, guessed);
  const header = choices.header ?? (isNamed ? 'yes' : 'no');
  if (header === 'no')
    columns.forEach((column, i) =>
      column.take(first.cells[i] ?? '', first.line, first.numbers?.[i]),
    );
  if (header === 'yes' && !hasMore) {
    throw new AppError(422, 'The file has a line with names and no rows');
  }
  const { decimal, dateOrder, unsure } = notations(columns, delimiter, choices);

  const names = columnNames(
    columns.map((_, i) => (header === 'yes' ? (first.cells[i] ?? '') : '')),
  );
  return {
    ...{ encoding, delimiter, start, header, decimal, dateOrder, unsure, months, read },
    workbook: describe?.(),
    columns: columns.map((column, i) => {
      const recognised = column.type(decimal, dateOrder);
      const type = choices.types[i] ?? recognised;
      return {
        cname: names[i] ?? '',
        type,
        scale: column.scale(decimal),
        nearly: type === 'text' ? column.nearly(decimal, dateOrder) : null,
      };
    }),
  };
}

/** How the rows of a file are read. */
interface OpenRows extends Pick<FilePlan, 'encoding' | 'delimiter' | 'start' | 'read'> {
  describe?: () => FileWorkbook;
}

async function openRows(file: ArrivedFile): Promise<OpenRows> {
  const { open, choices } = file;
  if (file.isWorkbook) {
    const sheet = await openSheet(file.bytes, choices.sheet, choices.firstLine);
    return { ...sheet, encoding: null, delimiter: null };
  }
  const encoding = choices.encoding ?? file.encoding;
  const delimiter = choices.delimiter ?? (await recogniseDelimiter(open, encoding));
  const read = () => rowsOf(textOf(open(), encoding), DELIMITERS[delimiter]);
  const start = await startOf(read, choices.firstLine);
  return { read: rowsFrom(read, start), start, encoding, delimiter };
}

/**
 * Reads all rows. The cells of the first one are not among the facts, nor are those of rows with too many or too
 * few cells, which the table will not have.
 */
async function gather(
  read: ReadRows,
  { types }: FileChoices,
): Promise<{ first: FileRow; facts: ColumnFacts[]; hasMore: boolean }> {
  let first: FileRow | undefined;
  let hasMore = false;
  const facts: ColumnFacts[] = [];
  for await (const rows of read()) {
    for (const row of rows) {
      if (first === undefined) {
        first = row;
        continue;
      }
      hasMore = true;
      if (row.problem === undefined && hasWidthOf(row, first)) {
        for (const [i, cell] of row.cells.entries()) {
          (facts[i] ??= new ColumnFacts(types[i])).take(cell, row.line, row.numbers?.[i]);
        }
      }
    }
  }
  if (first === undefined) throw new AppError(422, 'The file is empty');
  return { first, facts, hasMore };
}

/** Whether a row has as many cells as the first one; empty cells at the end of either do not count. */
const hasWidthOf = ({ cells, numbers }: FileRow, first: FileRow): boolean =>
  (numbers !== undefined || cells.length >= lastFilled(first.cells)) &&
  lastFilled(cells) <= first.cells.length;

/** Decimal sign and date order of the file: those that fit most columns best. */
function notations(
  columns: readonly ColumnFacts[],
  delimiter: Delimiter | null,
  choices: FileChoices,
): Pick<FilePlan, 'decimal' | 'dateOrder' | 'unsure'> {
  const votes = (of: (column: ColumnFacts) => number): number =>
    columns.reduce((sum, column) => sum + of(column), 0);
  const points = votes((c) => c.pointsOverCommas);
  const daysFirst = votes((c) => c.daysOverMonths);
  const hasComma = points < 0 || (points === 0 && delimiter === 'semicolon');
  const decimal = choices.decimal ?? (hasComma ? 'comma' : 'point');
  const hasDayFirst = daysFirst > 0 || (daysFirst === 0 && decimal === 'comma');
  const dateOrder =
    choices.dateOrder ??
    (columns.some((c) => c.hasYearsFirst) && !columns.some((c) => c.needsDateOrder)
      ? 'ymd'
      : hasDayFirst
        ? 'dmy'
        : 'mdy');
  const unsure: FilePreview['unsure'] = [];
  if (!choices.decimal && points === 0 && columns.some((c) => c.leavesDecimalOpen)) {
    unsure.push('decimal');
  }
  if (!choices.dateOrder && daysFirst === 0 && columns.some((c) => c.leavesDateOrderOpen)) {
    unsure.push('date_order');
  }
  return { decimal, dateOrder, unsure };
}

/** Whether the first line names the columns: it does not fit a type of the lines below it, or all are text. */
function isHeader(
  { cells }: FileRow,
  columns: readonly ColumnFacts[],
  { decimal, dateOrder }: Pick<FilePlan, 'decimal' | 'dateOrder'>,
): boolean {
  let fitting = 0;
  for (const [i, column] of columns.entries()) {
    const type = column.type(decimal, dateOrder);
    const cell = cells[i]?.trim() ?? '';
    // A year may be a name: 2026, 2027.
    if (type === 'text' || cell === '' || /^(19|20)\d\d$/.test(cell)) continue;
    if (convert(cell, type, { decimal, dateOrder }) === undefined) return true;
    fitting++;
  }
  return fitting === 0;
}

async function recogniseDelimiter(open: OpenFile, encoding: FileEncoding): Promise<Delimiter> {
  let sample = '';
  for await (const text of textOf(open(), encoding)) {
    sample += text.slice(0, SAMPLE - sample.length);
    if (sample.length >= SAMPLE) break;
  }
  const named = /^sep=(.)\r?\n/i.exec(sample)?.[1];
  let best: { delimiter: Delimiter; score: number } = { delimiter: 'comma', score: 0 };
  for (const delimiter of LIKELIEST) {
    const isNamed = DELIMITERS[delimiter] === named;
    const score = isNamed ? Infinity : consistency(sample, DELIMITERS[delimiter]);
    if (score > best.score) best = { delimiter, score };
  }
  return best.delimiter;
}

/**
 * Share of the rows that have the most frequent number of cells, with a small part for that number; 0 if that is
 * one. Commas between digits may be decimal signs and do not add to the number.
 */
function consistency(sample: string, delimiter: string): number {
  const { width, share } = frequentWidth(sample, delimiter);
  if (width === 1) return 0;
  const sure = delimiter === ',' ? sample.replace(/(?<=\d),(?=\d)/g, '.') : sample;
  return share + frequentWidth(sure, delimiter).width / (MOST_COLUMNS * 10);
}

/** The most frequent number of cells of a row, and the share of the rows that have it. */
function frequentWidth(sample: string, delimiter: string): { width: number; share: number } {
  let rows: FileRow[];
  try {
    rows = new CsvReader(delimiter).take(sample).filter((row) => !isBlank(row));
    // A short file may be one line without an end.
    if (rows.length === 0) rows = new CsvReader(delimiter).take(`${sample}\n`);
  } catch {
    return { width: 1, share: 0 };
  }
  const counts = new Map<number, number>();
  for (const { cells } of rows) counts.set(cells.length, (counts.get(cells.length) ?? 0) + 1);
  const [width = 1, count = 0] =
    [...counts].toSorted(([w1, n1], [w2, n2]) => n2 - n1 || w2 - w1)[0] ?? [];
  return { width, share: count / rows.length };
}

/** Accepted words for true and false, if a column was chosen to be boolean. */
const BOOLEANS: Record<string, string> = {
  ...{ true: 't', t: 't', yes: 't', y: 't', '1': 't' },
  ...{ false: 'f', f: 'f', no: 'f', n: 'f', '0': 'f' },
};

/**
 * Converts a cell to the text of a type, as PostgreSQL reads it.
 *
 * @param isNumber whether the file stores the cell as a number, which always has a point
 * @returns null for an empty cell, undefined if the cell does not have the type
 */
export function convert(
  text: string,
  type: FileType,
  { decimal, dateOrder }: Pick<FilePlan, 'decimal' | 'dateOrder'>,
  isNumber = false,
): string | null | undefined {
  const cell = text.trim();
  if (cell === '') return null;
  const sign = isNumber ? 'point' : decimal;
  switch (type) {
    case 'text':
      return text;
    case 'boolean':
      return BOOLEANS[cell.toLowerCase()];
    case 'integer': {
      const number = parseNumber(cell, sign);
      const isWhole = number !== null && number.decimals === 0 && number.whole <= 18;
      return isWhole ? number.text : undefined;
    }
    case 'numeric':
      return parseNumber(cell, sign)?.text;
    default: {
      const found = parseDate(cell, dateOrder);
      if (found === null) return undefined;
      if (type === 'date') return isMidnight(found.time) && !found.zone ? found.date : undefined;
      const time = found.time || '00:00:00';
      if (type === 'timestamp') return found.zone ? undefined : `${found.date} ${time}`;
      return found.zone ? `${found.date} ${time}${found.zone}` : undefined;
    }
  }
}
