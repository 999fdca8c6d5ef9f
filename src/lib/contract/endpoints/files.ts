/** Endpoints that make tables from files. */
import {
  CHOSEN_DECIMALS,
  DASHES_AS,
  FILE_BODIES,
  FILE_DATE_ORDERS,
  FILE_DECIMALS,
  FILE_DELIMITERS,
  FILE_ENCODINGS,
  FILE_HEADERS,
  FILE_MODES,
  FIRST_LINES,
  FilePreview,
  FilesAnswer,
  FileTable,
  MISFIT_CHOICES,
  MISSING_NAMES,
  MONTHS_AS,
  SHORT_ROWS_AS,
  TOTALS_AS,
  WIDEN_CHOICES,
  YEARS,
} from '../files';
import { text } from '../primitives';
import { created, type Description, type Endpoints, json, oneOf, wholeNumber } from './endpoint';

/** What can be said about a file; the rest is recognised. */
const CHOICES = {
  name: {
    schema: text,
    description: 'The name of the file, from which that of the table is taken',
    required: true,
  },
  encoding: { schema: oneOf(FILE_ENCODINGS), description: 'The encoding of the text' },
  delimiter: { schema: oneOf(FILE_DELIMITERS), description: 'The sign between two cells' },
  header: {
    schema: oneOf(FILE_HEADERS),
    description: 'Whether the first line that is read names the columns',
  },
  first_line: {
    schema: wholeNumber(FIRST_LINES.min, FIRST_LINES.max),
    description:
      'The line of the header or, without one, of the first row; lines above are left out',
  },
  decimal: { schema: oneOf(FILE_DECIMALS), description: 'The sign before the decimals' },
  date_order: {
    schema: oneOf(FILE_DATE_ORDERS),
    description: 'The order of day and month where the year comes last',
  },
  sheet: {
    schema: text,
    description: 'The name of the sheet of a workbook; the first visible one with cells by default',
  },
  months: {
    schema: oneOf(MONTHS_AS),
    description:
      'Whether columns that are months become rows; by default they do if their years are known',
  },
  year: {
    schema: wholeNumber(YEARS.min, YEARS.max),
    description: 'The year of the first month, if their names have none',
  },
  missing_name: {
    schema: oneOf(MISSING_NAMES),
    description: 'The column without a name, if the header has one name fewer than rows have cells',
  },
  short_rows: {
    schema: oneOf(SHORT_ROWS_AS),
    description: 'Whether rows that end before the last column are filled, as they are by default',
  },
  totals: {
    schema: oneOf(TOTALS_AS),
    description:
      'Whether rows and columns of months that add up others are left out, as they are by default',
  },
  dashes: {
    schema: oneOf(DASHES_AS),
    description: 'What a dash among numbers is; zero by default',
  },
  decimals: {
    schema: text,
    description: `Decimals of the columns in their order, separated by commas, each empty or from ${CHOSEN_DECIMALS.min} to ${CHOSEN_DECIMALS.max}`,
  },
  table: {
    schema: text,
    description: 'The table made from a file that the rows go to; a new table by default',
  },
  mode: {
    schema: oneOf(FILE_MODES),
    description: 'With table: whether its rows are replaced or stay',
  },
  widen: {
    schema: oneOf(WIDEN_CHOICES),
    description:
      'With table: whether columns that are too narrow for the file get wider types, also in versions; refused by default',
  },
  types: {
    schema: text,
    description:
      'Types of the columns in their order, separated by commas; one that is left empty is recognised',
  },
} satisfies Description['query'];

export const FILE_ENDPOINTS = {
  'GET /files': {
    role: 'reader',
    territories: 'refused',
    because: 'tables are made by admins',
    summary: 'Whether files are accepted, and their largest size',
    answer: json(FilesAnswer),
  },
  'POST /files/preview': {
    role: 'admin',
    territories: 'refused',
    summary: 'What is recognised in a file, and its first rows',
    query: CHOICES,
    file: FILE_BODIES,
    answer: json(FilePreview),
    refusals: [404],
  },
  'POST /files': {
    role: 'admin',
    territories: 'refused',
    summary: 'Make a table from a file, or load it into one',
    query: {
      ...CHOICES,
      misfits: {
        schema: oneOf(MISFIT_CHOICES),
        description: 'Whether rows that do not fit are left out; refuse by default',
      },
    },
    file: FILE_BODIES,
    answer: created(FileTable),
    refusals: [404, 409],
  },
} satisfies Endpoints;
