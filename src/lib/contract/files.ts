/** Files that become tables: what is recognised in them, and what can be said about them. */
import * as v from 'valibot';
import { byColumn, CSV, row, XLSX } from './primitives';

/** Types of a body that is a file. The service looks at the file itself to find which of them it is. */
export const FILE_BODIES = [CSV, XLSX] as const;

/** The schema of the tables that are made from files. */
export const FILES_SCHEMA = 'pf_files';

/** Encodings of a file, by the names that `TextDecoder` knows. */
export const FILE_ENCODINGS = [
  ...(['utf-8', 'utf-16le', 'utf-16be'] as const),
  ...(['windows-1252', 'windows-1250', 'windows-1251', 'macintosh', 'shift_jis'] as const),
] as const;
export type FileEncoding = (typeof FILE_ENCODINGS)[number];

/** The signs between two cells of a line, by name. */
export const DELIMITERS = { comma: ',', semicolon: ';', tab: '\t', pipe: '|' } as const;
export type Delimiter = keyof typeof DELIMITERS;
export const FILE_DELIMITERS = ['comma', 'semicolon', 'tab', 'pipe'] as const;

/** Whether the first line names the columns. */
export const FILE_HEADERS = ['yes', 'no'] as const;
export type FileHeader = (typeof FILE_HEADERS)[number];

/** The lines, or rows of a sheet, in which the names of the columns can be. */
export const FIRST_LINES = { min: 1, max: 1_048_576 };

/** The sign before the decimals of a number. */
export const FILE_DECIMALS = ['point', 'comma'] as const;
export type FileDecimal = (typeof FILE_DECIMALS)[number];

/** The order of day and month where the year comes last; with `ymd`, such dates do not fit. */
export const FILE_DATE_ORDERS = ['ymd', 'dmy', 'mdy'] as const;
export type FileDateOrder = (typeof FILE_DATE_ORDERS)[number];

/** The types that a column of a file can have. */
export const FILE_TYPES = [
  'integer',
  'numeric',
  'date',
  'timestamp',
  'timestamptz',
  'boolean',
  'text',
] as const;
export type FileType = (typeof FILE_TYPES)[number];

/** What a dash among numbers is: zero, as accounts write it, an empty cell, or a text. */
export const DASHES_AS = ['zero', 'empty', 'text'] as const;
export type DashesAs = (typeof DASHES_AS)[number];

/** What becomes of rows and of columns of months that add up others. */
export const TOTALS_AS = ['leave_out', 'keep'] as const;
export type TotalsAs = (typeof TOTALS_AS)[number];

/** What becomes of rows with fewer cells than columns: the others are empty, or the row does not fit. */
export const SHORT_ROWS_AS = ['fill', 'misfit'] as const;
export type ShortRowsAs = (typeof SHORT_ROWS_AS)[number];

/** The column without a name, if the header has one name fewer than each row has cells. */
export const MISSING_NAMES = ['first', 'last'] as const;
export type MissingName = (typeof MISSING_NAMES)[number];

/** Decimals that can be chosen for a column of numbers. */
export const CHOSEN_DECIMALS = { min: 0, max: 15 };

/** The parameters that a file can leave open. */
export const FILE_QUESTIONS = [
  ...(['encoding', 'missing_name', 'short_rows', 'totals', 'decimal', 'date_order'] as const),
  ...(['dashes', 'types', 'decimals'] as const),
] as const;
export type FileQuestionAbout = (typeof FILE_QUESTIONS)[number];

/** What happens to a file with rows that do not fit. */
export const MISFIT_CHOICES = ['refuse', 'leave_out'] as const;
export type MisfitChoice = (typeof MISFIT_CHOICES)[number];

/** Answer of GET files: whether files are accepted, and their largest size in bytes. */
export const FilesAnswer = v.object({ accepted: v.boolean(), limit: v.number() });
export type FilesAnswer = v.InferOutput<typeof FilesAnswer>;

/**
 * Rows that do not fit: their number and the first 20. `line` is the line of the file on which the row begins,
 * from 1; `cname` is null if the row as a whole does not fit.
 */
const Misfits = v.object({
  row_count: v.number(),
  rows: v.array(
    v.object({
      line: v.number(),
      cname: v.nullable(v.string()),
      problem: v.string(),
    }),
  ),
});
export type Misfits = v.InferOutput<typeof Misfits>;

const type = v.picklist(FILE_TYPES);

/**
 * A reading of a file that has alternatives: the parameter that decides, the column for which it does (null for the
 * whole file), why it is asked, the value that applies, and cells as each value reads them. `reads` is
 * `(empty)` for a cell that would be empty, and null for one that would not fit; `line` is that of the cell.
 */
const FileQuestion = v.object({
  parameter: v.picklist(FILE_QUESTIONS),
  cname: v.nullable(v.string()),
  why: v.string(),
  value: v.string(),
  readings: v.array(
    v.object({
      value: v.string(),
      examples: v.array(
        v.object({ line: v.number(), cell: v.string(), reads: v.nullable(v.string()) }),
      ),
    }),
  ),
});
export type FileQuestion = v.InferOutput<typeof FileQuestion>;

/**
 * One column of a file. `decimals` are those of a numeric column in the table; null for other types, and if there is
 * no limit. `nearly` names a narrower type that almost all cells have, with the number of the other
 * cells and the lines of the first five; null if there is none.
 */
const FileColumn = v.object({
  cname: v.string(),
  type,
  decimals: v.nullable(v.number()),
  nearly: v.nullable(v.object({ type, row_count: v.number(), lines: v.array(v.number()) })),
});
export type FileColumn = v.InferOutput<typeof FileColumn>;

/** The sheet of a workbook that is read, the sheets that it has, and sentences about the former. */
const FileWorkbook = v.object({
  sheet: v.string(),
  sheets: v.array(v.object({ name: v.string(), hidden: v.boolean() })),
  notes: v.array(v.string()),
});
export type FileWorkbook = v.InferOutput<typeof FileWorkbook>;

/** What becomes of columns that are months: rows with a month and an amount, or the columns that they are. */
export const MONTHS_AS = ['rows', 'columns'] as const;
export type MonthsAs = (typeof MONTHS_AS)[number];

/** Years of months without one. */
export const YEARS = { min: 1900, max: 2199 };

/**
 * The columns that are months. `year` is that of the first month; null if the names have years, or if none is known.
 * `asks_year` tells whether the names have none. `empty_lines` counts the lines that give no row, since they have no
 * amount in any month, and has the first five.
 */
const FileMonths = v.object({
  as: v.picklist(MONTHS_AS),
  names: v.array(v.string()),
  year: v.nullable(v.number()),
  asks_year: v.boolean(),
  empty_lines: v.optional(v.object({ count: v.number(), lines: v.array(v.number()) })),
});
export type FileMonths = v.InferOutput<typeof FileMonths>;

/**
 * Where the table of a file begins: the line, or row of the sheet, of the header or the first row, from 1, and the
 * texts of the first five lines above it, which are not read.
 */
const FileStart = v.object({ line: v.number(), titles: v.array(v.string()) });
export type FileStart = v.InferOutput<typeof FileStart>;

/** What becomes of the rows that a table has when a file is loaded into it. */
export const FILE_MODES = ['replace', 'append'] as const;
export type FileMode = (typeof FILE_MODES)[number];

/** Whether the types of a table may change so that a file fits. */
export const WIDEN_CHOICES = ['refuse', 'apply'] as const;
export type WidenChoice = (typeof WIDEN_CHOICES)[number];

/**
 * Columns of an existing table that are too narrow for a file, with their types and those that hold the file too,
 * and the number of versions whose tables change with them.
 */
const FileWidening = v.object({
  columns: v.array(v.object({ cname: v.string(), from: v.string(), to: v.string() })),
  version_count: v.number(),
});
export type FileWidening = v.InferOutput<typeof FileWidening>;
const widening = v.pipe(
  v.optional(FileWidening),
  v.description('Only with table, if columns are too narrow'),
);

/** The number of rows, and the sums of some columns, by column. */
const FileAmounts = v.object({ row_count: v.number(), amounts: byColumn(v.number()) });
export type FileAmounts = v.InferOutput<typeof FileAmounts>;

/**
 * The effect of a file on an existing table: rows and sums before and after, in total and by the months of a date
 * column. The month of rows without a date is null. At most the first 500 months are listed.
 */
const FileEffect = v.object({
  mode: v.picklist(FILE_MODES),
  date_col: v.nullable(v.string()),
  before: FileAmounts,
  after: FileAmounts,
  month_count: v.number(),
  months: v.array(
    v.object({ month: v.nullable(v.string()), before: FileAmounts, after: FileAmounts }),
  ),
});
export type FileEffect = v.InferOutput<typeof FileEffect>;
const effect = v.pipe(v.optional(FileEffect), v.description('Only with table'));

/** Answer of POST files/preview (docs/contract/04-data-loading.md#post-filespreview). */
export const FilePreview = v.object({
  tname: v.pipe(v.string(), v.description('The name that the table would have')),
  taken: v.pipe(v.boolean(), v.description('Whether there is a table of this name')),
  encoding: v.pipe(v.nullable(v.picklist(FILE_ENCODINGS)), v.description('Null for a workbook')),
  delimiter: v.pipe(v.nullable(v.picklist(FILE_DELIMITERS)), v.description('Null for a workbook')),
  workbook: v.pipe(v.optional(FileWorkbook), v.description('Only for a workbook')),
  months: v.pipe(v.optional(FileMonths), v.description('Only if columns are months')),
  start: v.pipe(v.optional(FileStart), v.description('Only if the table begins below line 1')),
  header: v.picklist(FILE_HEADERS),
  decimal: v.picklist(FILE_DECIMALS),
  date_order: v.picklist(FILE_DATE_ORDERS),
  unsure: v.pipe(
    v.array(v.picklist(FILE_QUESTIONS)),
    v.description('What the file leaves open, so that another choice gives other values'),
  ),
  questions: v.pipe(
    v.array(FileQuestion),
    v.description('Readings with alternatives, and cells as each of them reads'),
  ),
  notes: v.pipe(v.array(v.string()), v.description('Sentences about how the file is read')),
  row_count: v.pipe(v.number(), v.description('Number of rows that fit')),
  columns: v.array(FileColumn),
  rows: v.pipe(
    v.array(row),
    v.description('The first 20 rows that fit, as the table would have them'),
  ),
  misfits: Misfits,
  widening,
  effect,
});
export type FilePreview = v.InferOutput<typeof FilePreview>;

/** Answer of POST files: the table, and the rows that were left out. */
export const FileTable = v.object({
  schema: v.string(),
  tname: v.string(),
  row_count: v.number(),
  columns: v.array(v.object({ cname: v.string(), type: v.string() })),
  left_out: Misfits,
  months: v.pipe(v.optional(FileMonths), v.description('Only if columns are months')),
  widening,
  effect,
});
export type FileTable = v.InferOutput<typeof FileTable>;
