/** Recognises delimiter, header, notations and types of a file from all of its rows. */
import type {
  DashesAs,
  Delimiter,
  FileColumn,
  FileDateOrder,
  FileDecimal,
  FileEncoding,
  FileHeader,
  FileMonths,
  FilePreview,
  FileQuestion,
  FileStart,
  FileType,
  FileWorkbook,
  MissingName,
  ShortRowsAs,
  TotalsAs,
} from '../../contract/files';
import { DELIMITERS } from '../../contract/files';
import type { ByteSource } from '../../xlsx/bytes';
import { AppError } from '../errors';
import { ColumnFacts } from './column-facts';
import { withRoom } from './numbers';
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
import { convert, type Notations } from './convert';
import type { SampleLine } from './encoding';
import { likelyEncoding } from './likely-encoding';
import { completedHeader } from './missing-name';
import { columnNames } from './names';
import { type MonthChoices, withMonths } from './months';
import { columnQuestions, encodingQuestion, rowQuestions } from './questions';
import { openSheet } from './sheet-rows';
import { filledRows } from './short-rows';
import { rowsFrom, startOf } from './title-rows';
import { type TotalRow, withoutTotals } from './total-rows';

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
  missingName?: MissingName | undefined;
  shortRows?: ShortRowsAs | undefined;
  totals?: TotalsAs | undefined;
  dashes?: DashesAs | undefined;
  /** Types by the position of the column. */
  types: readonly (FileType | undefined)[];
  /** Decimals of numbers by the position of the column. */
  decimals?: readonly (number | undefined)[] | undefined;
}

/** A column of a file with the type that it gets. */
export interface PlannedColumn extends FileColumn {
  /** Digits behind the point of a numeric column; null for any number of them. */
  scale: number | null;
  /** Decimals to which numbers are rounded, as was chosen; null to keep those that the cells show. */
  rounded: number | null;
  /** Decimals that the column of a table that exists has at most; null or undefined if they are not limited. */
  mostDecimals?: number | null;
}

/** How a file is read. */
export interface FilePlan extends Notations {
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
  unsure: FilePreview['unsure'];
  questions: FileQuestion[];
  notes: string[];
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
  /** Its first lines with bytes beyond ASCII, if it is not Unicode. */
  lines?: readonly SampleLine[];
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
  const { shortRows = 'fill', totals: totalsAs = 'leave_out', dashes = 'zero' } = choices;
  const completed = await completedHeader(opened.read, choices.header, choices.missingName);
  const filled = filledRows(completed.read, shortRows);
  const totals = await withoutTotals(filled.read, totalsAs);
  const {
    describe: describeMonths,
    sums,
    read,
  } = await withMonths(totals.read, choices, [
    start.titles.join('\n'),
    ...(describe ? [describe().sheet] : []),
    file.name,
  ]);
  const { first, facts, hasMore } = await gather(read, choices);
  const months = describeMonths();
  const { missing } = completed;
  // A column without a name counts if it has cells.
  const named = facts.slice(0, first.cells.length).findLastIndex(({ isEmpty }) => !isEmpty) + 1;
  const width = Math.max(lastFilled(first.cells), named, 1);
  const columns = Array.from(
    { length: width },
    (_, i) => facts[i] ?? new ColumnFacts(choices.types[i], dashes),
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
  const { unsure, ...written } = notations(columns, delimiter, choices);

  const names = columnNames(
    columns.map((_, i) => (header === 'yes' ? (first.cells[i] ?? '') : '')),
  );
  const planned = columns.map((column, i): PlannedColumn & { facts: ColumnFacts } => {
    const recognised = column.type(written.decimal, written.dateOrder);
    const type = choices.types[i] ?? recognised;
    const rounded = choices.decimals?.[i] ?? null;
    const scale = rounded ?? withRoom(column.scale(written.decimal));
    return {
      ...{ cname: names[i] ?? '', type, scale, rounded, facts: column },
      decimals: type === 'numeric' ? scale : null,
      nearly: type === 'text' ? column.nearly(written.decimal, written.dateOrder) : null,
    };
  });
  const questions = [
    ...(encoding === null ? [] : encodingQuestion(encoding, file.lines ?? [])),
    ...rowQuestions(
      missing && { value: missing, names: missingNames(first, missing) },
      { as: shortRows, rows: filled.describe() },
      { as: totalsAs, rows: totals.totals, sums },
    ),
    ...columnQuestions(planned, written),
  ];
  return {
    ...{ encoding, delimiter, start, header, ...written, months, read, questions },
    unsure: [...unsure, ...leftOpen(questions, file)],
    notes: notesOf(planned, totals.others, written),
    workbook: describe?.(),
    columns: planned.map(({ facts: _, ...column }) => column),
  };
}

const missingNames = ({ cells }: FileRow, missing: MissingName): string[] =>
  missing === 'first' ? cells.slice(1) : cells.slice(0, -1);

/** The parameters that were not sent, and which the file does not decide. */
function leftOpen(
  questions: readonly FileQuestion[],
  { choices, lines = [] }: ArrivedFile,
): FilePreview['unsure'] {
  const isOpen: Partial<Record<FileQuestion['parameter'], boolean>> = {
    encoding: choices.encoding === undefined && rivalsOf(lines).length > 0,
    missing_name: choices.missingName === undefined,
    totals: choices.totals === undefined,
    dashes: choices.dashes === undefined,
    types: choices.types.every((type) => type === undefined),
  };
  const open = questions.filter(({ parameter }) => isOpen[parameter]);
  return [...new Set(open.map(({ parameter }) => parameter))];
}

const rivalsOf = (lines: readonly SampleLine[]): FileEncoding[] =>
  likelyEncoding(lines.map(({ bytes }) => bytes)).rivals;

function notesOf(
  columns: readonly { cname: string; type: FileType; facts: ColumnFacts }[],
  others: readonly TotalRow[],
  written: Notations,
): string[] {
  const years = columns.flatMap(({ cname, type, facts }) => {
    const [sample] = facts.shortYears.cells;
    const read = sample && convert(sample.cell, type, written);
    return DATES.has(type) && sample && read
      ? [`Years of “${cname}” have two digits: ${sample.cell} is ${read}.`]
      : [];
  });
  const [other] = others;
  return [
    ...years,
    ...(other
      ? [
          `Line ${other.line} is named “${other.label}” and is not the sum of the rows above. It is read as a row.`,
        ]
      : []),
  ];
}

const DATES: ReadonlySet<FileType> = new Set(['date', 'timestamp', 'timestamptz']);

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
  { types, dashes = 'zero' }: FileChoices,
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
          (facts[i] ??= new ColumnFacts(types[i], dashes)).take(cell, row.line, row.numbers?.[i]);
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
): Notations & Pick<FilePlan, 'unsure'> {
  const votes = (of: (column: ColumnFacts) => number): number =>
    columns.reduce((sum, column) => sum + of(column), 0);
  const points = votes((c) => c.pointsOverCommas);
  const daysFirst = votes((c) => c.daysOverMonths);
  // In a series of months, all days are the first.
  const monthly = votes((c) => c.monthlyDaysOverMonths);
  const hasComma = points < 0 || (points === 0 && delimiter === 'semicolon');
  const decimal = choices.decimal ?? (hasComma ? 'comma' : 'point');
  const isLikely = monthly > 0 || (monthly === 0 && decimal === 'comma');
  const hasDayFirst = daysFirst > 0 || (daysFirst === 0 && isLikely);
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
  return { decimal, dateOrder, dashes: choices.dashes ?? 'zero', unsure };
}

/** Whether the first line names the columns: it does not fit a type of the lines below it, or all are text. */
function isHeader(
  { cells }: FileRow,
  columns: readonly ColumnFacts[],
  written: Notations,
): boolean {
  let fitting = 0;
  for (const [i, column] of columns.entries()) {
    const type = column.type(written.decimal, written.dateOrder);
    const cell = cells[i]?.trim() ?? '';
    // A year may be a name: 2026, 2027.
    if (type === 'text' || cell === '' || /^(19|20)\d\d$/.test(cell)) continue;
    if (convert(cell, type, written) === undefined) return true;
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
