/** Finds columns that are months, and turns them into rows with a month and an amount. */
import {
  type FileHeader,
  type FileMonths,
  type MonthsAs,
  type TotalsAs,
  YEARS,
} from '../../contract/files';
import { AppError } from '../errors';
import { type FileRow, lastFilled, type ReadRows } from './csv';

/** Choices about month columns. */
export interface MonthChoices {
  /** Without names of columns there are no months. */
  header?: FileHeader | undefined;
  months?: MonthsAs | undefined;
  /** The year of the first month, if the names have none. */
  year?: number | undefined;
  /** What becomes of columns that add up months. */
  totals?: TotalsAs | undefined;
}

interface MonthColumn {
  position: number;
  month: number;
  /** Null if the name has none. */
  year: number | null;
}

/** Columns from which on they are months, and not a column that is named like one. */
const FEWEST = 3;

const NAMES = [
  ...['january januar', 'february februar', 'march märz maerz mrz', 'april', 'may mai'],
  ...['june juni', 'july juli', 'august', 'september', 'october oktober', 'november'],
  'december dezember',
].map((names) => names.split(' '));

const WORD_FIRST = /^(\p{L}{3,9})\.?(?:[\s\-/.,]{0,2}['’]?(\d{4}|\d{2}))?$/u;
const YEAR_AND_WORD = /^(\d{4})[\s\-/.]{1,2}(\p{L}{3,9})\.?$/u;
const YEAR_AND_NUMBER = /^(\d{4})(?:([-/.])(\d{1,2})(?:\2\d{1,2})?|(\d{2}))$/;
const NUMBER_AND_YEAR = /^(\d{1,2})[-/.](\d{4})$/;
/** Sums of months, which would be added to them. */
const SUM =
  /^((grand |year |annual |overall )?total|(full|whole) year|sum|summe|gesamt(summe|jahr|ergebnis)?|(ganzes )?jahr|jahressumme|insgesamt|year|year to date|ytd|fy|(q|h)[1-4]|[1-4]q|(total|summe|gesamt) (jahr|year|fy))([\s\-/.'’]*(\d{4}|\d{2}))?$/i;
/** The sum of a year, or the column that names the year of each line: its cells tell. */
const SUM_OR_YEAR = /^(jahr|year|fy)$/i;
const YEAR = /^((fy|gj)?[\s\-'’]*(19|20|21)\d\d([-/]\d{2,4})?|(fy|gj)[\s\-'’]*\d\d)$/i;

/** Number of lines without amounts that are named. */
const LINES = 5;

/** The month that the name of a column is; null if it is none. */
export function monthOf(name: string): Pick<MonthColumn, 'month' | 'year'> | null {
  const cell = name.trim();
  const word = WORD_FIRST.exec(cell);
  if (word) return monthIn(numberOf(word[1]), word[2]);
  const other = YEAR_AND_WORD.exec(cell);
  if (other) return monthIn(numberOf(other[2]), other[1]);
  const number = YEAR_AND_NUMBER.exec(cell);
  if (number) return monthIn(Number(number[3] ?? number[4]), number[1]);
  const last = NUMBER_AND_YEAR.exec(cell);
  return last ? monthIn(Number(last[1]), last[2]) : null;
}

/** The number of a month by its name, or by the beginning of it; 0 for other words. */
const numberOf = (word = ''): number =>
  NAMES.findIndex((names) => names.some((name) => name.startsWith(word.toLowerCase()))) + 1;

function monthIn(month: number, digits: string | undefined): ReturnType<typeof monthOf> {
  if (month < 1 || month > 12) return null;
  if (digits === undefined) return { month, year: null };
  const year = Number(digits.length === 2 ? `20${digits}` : digits);
  return year >= YEARS.min && year <= YEARS.max ? { month, year } : null;
}

/** A day such as 2026-11-27 or 27.11.2026. */
const DAY = /(?<!\d)(?:\d{4}([-/.])\d{1,2}\1\d{1,2}|\d{1,2}([-/.])\d{1,2}\2\d{4})(?!\d)/g;

/** The one year that a text names; undefined if it names none or several. That of a day does not count. */
function yearIn(text: string): number | undefined {
  const years = new Set(text.replace(DAY, ' ').match(/(?<!\d)(?:19|20)\d\d(?!\d)/g));
  const [year] = years;
  return years.size === 1 ? Number(year) : undefined;
}

/** What becomes of the month columns of a file. */
interface Months {
  /** Describes them as they were last read; undefined if the file has none. */
  describe: () => FileMonths | undefined;
  /** Names of the columns that add up months, if the months become rows. */
  sums: string[];
  read: ReadRows;
}

/**
 * Recognises month columns by the first row, and turns them into rows if all years are known or rows were chosen.
 *
 * @param titles texts that may name the year, the best first
 * @throws AppError 400 if rows were chosen and there are no months, or no year
 */
export async function withMonths(
  read: ReadRows,
  choices: MonthChoices,
  titles: readonly string[],
): Promise<Months> {
  const header = choices.header === 'no' ? undefined : await firstOf(read);
  const columns = header ? inOrder(monthsIn(header.cells)) : [];
  if (!header || columns.length === 0) {
    if (choices.months === 'rows') {
      throw new AppError(400, `months: the first line does not name ${FEWEST} months or more`, {
        field: 'months',
      });
    }
    return { describe: () => undefined, sums: [], read };
  }
  const hasYears = columns.every(({ year }) => year !== null);
  const found = titles.map(yearIn).find((year) => year !== undefined);
  const year = hasYears ? null : (choices.year ?? found ?? null);
  const isKnown = hasYears || year !== null;
  if (choices.months === 'rows' && !isKnown) {
    throw new AppError(400, 'year is missing: the months are named without their year', {
      field: 'year',
    });
  }
  const as = choices.months ?? (isKnown ? 'rows' : 'columns');
  const names = columns.map(({ position }) => header.cells[position]?.trim() ?? '');
  const months = { as, names, year, asks_year: !hasYears };
  if (as === 'columns') return { describe: () => months, sums: [], read };
  const dated = datesOf(columns, year ?? 0);
  const isMonth = new Set(dated.map(([position]) => position));
  const sums = await sumsIn(read, header);
  const keys = [...header.cells.keys()].filter(
    (i) => !isMonth.has(i) && (choices.totals === 'keep' || !sums.has(i)),
  );
  let empty: NonNullable<FileMonths['empty_lines']> = { count: 0, lines: [] };
  return {
    describe: () => (empty.count === 0 ? months : { ...months, empty_lines: empty }),
    sums: [...sums].map((i) => header.cells[i]?.trim() ?? ''),
    read: () => asRows(read, header, { keys, dated, empty: (empty = { count: 0, lines: [] }) }),
  };
}

/** The columns that add up others. A column with the bare name of a year is one unless its cells are years. */
async function sumsIn(read: ReadRows, { cells }: FileRow): Promise<Set<number>> {
  const named = (pattern: RegExp) =>
    [...cells.keys()].filter((i) => pattern.test(cells[i]?.trim() ?? ''));
  const open = named(SUM_OR_YEAR);
  const keys = new Set(open);
  let isFirst = true;
  if (open.length > 0) {
    for await (const rows of read()) {
      for (const row of isFirst ? rows.slice(1) : rows) {
        for (const i of keys) {
          const cell = row.cells[i]?.trim() ?? '';
          if (cell !== '' && !YEAR.test(cell)) keys.delete(i);
        }
      }
      isFirst &&= rows.length === 0;
    }
  }
  return new Set(named(SUM).filter((i) => !keys.has(i)));
}

async function firstOf(read: ReadRows): Promise<FileRow | undefined> {
  for await (const [first] of read()) if (first) return first;
  return undefined;
}

/**
 * The month columns; none if they are too few or of one month (`Jan-27`, `Jan-28` are days), if one comes twice, or
 * if only some have a year.
 */
function monthsIn(cells: readonly string[]): MonthColumn[] {
  const columns = cells.flatMap((cell, position) => {
    const found = monthOf(cell);
    return found ? [{ position, ...found }] : [];
  });
  const distinct = new Set(columns.map(({ month, year }) => `${year}-${month}`));
  const withYear = columns.filter(({ year }) => year !== null).length;
  const isOne = distinct.size === columns.length && (withYear === 0 || withYear === columns.length);
  const isSeveral = new Set(columns.map(({ month }) => month)).size > 1;
  return isOne && isSeveral && columns.length >= FEWEST ? columns : [];
}

/**
 * Months without a year in the order of time, where the columns have one: they may run backwards, from December to
 * January. Otherwise they are all of one year.
 */
function inOrder(columns: readonly MonthColumn[]): readonly MonthColumn[] {
  if (columns.some(({ year }) => year !== null)) return columns;
  const isOrdered = (list: readonly MonthColumn[]) =>
    list.reduce(
      (sum, { month }, i) => sum + (i > 0 ? (month - (list[i - 1]?.month ?? 0) + 12) % 12 : 0),
      0,
    ) < 12;
  const orders = [columns, columns.toReversed()];
  return orders.find(isOrdered) ?? columns.toSorted((a, b) => a.month - b.month);
}

/** The first day of each month. Months without a year begin in `start`; after December comes the next year. */
function datesOf(
  columns: readonly MonthColumn[],
  start: number,
): [position: number, date: string][] {
  let current = start;
  let last = 0;
  return columns.map(({ position, month, year }) => {
    if (month < last) current++;
    last = month;
    return [position, `${year ?? current}-${String(month).padStart(2, '0')}-01`];
  });
}

/** The columns of a file with months. */
interface DatedColumns {
  /** Positions of the columns that are neither months nor their sums. */
  keys: readonly number[];
  dated: readonly (readonly [position: number, date: string])[];
  /** Counts the lines without an amount in any month, and lists the first. */
  empty: NonNullable<FileMonths['empty_lines']>;
}

/** One row for each month that is not empty, after a first one with the names. Sums of months are left out. */
async function* asRows(
  read: ReadRows,
  header: FileRow,
  { keys, dated, empty }: DatedColumns,
): AsyncGenerator<FileRow[]> {
  const width = lastFilled(header.cells);
  let isFirst = true;
  for await (const batch of read()) {
    const rows: FileRow[] = [];
    for (const row of batch) {
      const cells = keys.map((i) => row.cells[i] ?? '');
      const { line } = row;
      if (isFirst) {
        isFirst = false;
        rows.push({ cells: [...cells, 'Month', 'Amount'], line });
        continue;
      }
      const problem = problemOf(row, width, header.cells.length);
      if (problem) {
        rows.push({ cells, line, problem });
        continue;
      }
      const numbers = keys.map((i) => row.numbers?.[i] ?? false);
      const before = rows.length;
      for (const [position, date] of dated) {
        const amount = row.cells[position] ?? '';
        if (amount.trim() === '') continue;
        const isNumber = row.numbers?.[position] ?? false;
        rows.push({
          cells: [...cells, date, amount],
          line,
          ...(row.numbers ? { numbers: [...numbers, false, isNumber] } : {}),
        });
      }
      if (rows.length > before) continue;
      empty.count++;
      if (empty.lines.length < LINES) empty.lines.push(line);
    }
    yield rows;
  }
}

function problemOf(row: FileRow, width: number, most: number): string | undefined {
  const filled = lastFilled(row.cells);
  if (filled > most) return `it has ${filled} cells, and the first line ${most}`;
  if (row.numbers === undefined && row.cells.length < width) {
    return `it has only ${row.cells.length} of ${width} cells`;
  }
  return undefined;
}
