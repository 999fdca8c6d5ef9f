/** Names of the readings of a file, and the choices that they are. */
import type { FileChoices } from '$lib/client/files';
import type { FileEncoding, FileQuestionAbout, FileType } from '$lib/contract/files';
import {
  DASHES_AS,
  FILE_DATE_ORDERS,
  FILE_DECIMALS,
  FILE_ENCODINGS,
  FILE_TYPES,
  MISSING_NAMES,
  SHORT_ROWS_AS,
  TOTALS_AS,
} from '$lib/contract/files';

export const ENCODING_LABELS: Readonly<Record<FileEncoding, string>> = {
  'utf-8': 'UTF-8',
  'utf-16le': 'UTF-16 (Unicode text)',
  'utf-16be': 'UTF-16, big-endian',
  'windows-1252': 'Windows-1252 (Western)',
  'windows-1250': 'Windows-1250 (Central European)',
  'windows-1251': 'Windows-1251 (Cyrillic)',
  macintosh: 'Mac Roman',
  shift_jis: 'Shift JIS (Japanese)',
};

export const TYPE_LABELS: Readonly<Record<FileType, string>> = {
  text: 'Text',
  integer: 'Whole number',
  numeric: 'Number',
  date: 'Date',
  timestamp: 'Date and time',
  timestamptz: 'Moment (with time zone)',
  boolean: 'True or false',
};

const LABELS: Partial<Record<FileQuestionAbout, Readonly<Record<string, string>>>> = {
  encoding: ENCODING_LABELS,
  types: TYPE_LABELS,
  decimal: { point: 'Decimal point', comma: 'Decimal comma' },
  date_order: { dmy: 'Day first', mdy: 'Month first', ymd: 'Year first' },
  missing_name: {
    first: 'The first column has no name',
    last: 'The last column has no name',
  },
  short_rows: { fill: 'Fill with empty cells', misfit: 'They do not fit' },
  totals: { leave_out: 'Leave totals out', keep: 'Read them as rows and columns' },
  dashes: { zero: 'A dash is 0', empty: 'A dash is an empty cell', text: 'A dash is a text' },
};

/** The name of a reading. */
export function readingLabel(parameter: FileQuestionAbout, value: string): string {
  if (parameter !== 'decimals') return LABELS[parameter]?.[value] ?? value;
  return value === '0' ? 'No decimals' : value === '1' ? '1 decimal' : `${value} decimals`;
}

/** A reading as a choice about the file; those of a column are in the first place of a list. */
export function changeOf(parameter: FileQuestionAbout, value: string): Partial<FileChoices> {
  const one = <Value extends string>(values: readonly Value[]): Value | undefined =>
    values.find((each) => each === value);
  const sent = {
    encoding: () => ({ encoding: one(FILE_ENCODINGS) }),
    missing_name: () => ({ missing_name: one(MISSING_NAMES) }),
    short_rows: () => ({ short_rows: one(SHORT_ROWS_AS) }),
    totals: () => ({ totals: one(TOTALS_AS) }),
    decimal: () => ({ decimal: one(FILE_DECIMALS) }),
    date_order: () => ({ date_order: one(FILE_DATE_ORDERS) }),
    dashes: () => ({ dashes: one(DASHES_AS) }),
    types: () => ({ types: [one(FILE_TYPES)] }),
    decimals: () => ({ decimals: [Number(value)] }),
  }[parameter]();
  return Object.fromEntries(Object.entries(sent).filter(([, each]) => each !== undefined));
}
