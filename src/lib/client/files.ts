/** The endpoints that make tables from files, as typed functions. */
import type {
  DashesAs,
  Delimiter,
  FileDateOrder,
  FileDecimal,
  FileEncoding,
  FileHeader,
  FileMode,
  FilePreview,
  FilesAnswer,
  FileTable,
  FileType,
  MisfitChoice,
  MissingName,
  MonthsAs,
  ShortRowsAs,
  TotalsAs,
  WidenChoice,
} from '../contract/files';
import { CSV, XLSX } from '../contract/primitives';
import { type CallOptions, json, upload } from './http';

/** Choices about a file; the service recognises the rest. */
export interface FileChoices {
  encoding?: FileEncoding;
  delimiter?: Delimiter;
  header?: FileHeader;
  /** The line of the header or, without one, of the first row, from 1. */
  first_line?: number;
  decimal?: FileDecimal;
  date_order?: FileDateOrder;
  /** The name of the sheet of a workbook. */
  sheet?: string;
  months?: MonthsAs;
  /** The year of the first month, if the names of months have none. */
  year?: number;
  /** The column without a name, if the header has one name too few. */
  missing_name?: MissingName;
  short_rows?: ShortRowsAs;
  /** What becomes of rows and of columns of months that add up others. */
  totals?: TotalsAs;
  dashes?: DashesAs;
  /** Types by the position of the column. */
  types?: readonly (FileType | undefined)[];
  /** Decimals of numbers by the position of the column. */
  decimals?: readonly (number | undefined)[];
}

/** A table that the rows of a file go to, and what becomes of the rows that it has. */
export interface FileTarget {
  table: string;
  mode: FileMode;
  /** Whether columns that are too narrow get wider types. */
  widen?: WidenChoice;
}

/** A file with its name and the choices about it. */
export interface FileToSend {
  file: Blob;
  name: string;
  choices: FileChoices;
  /** Null for a new table. */
  target: FileTarget | null;
}

/** Options of a request that sends a file. */
interface SendOptions {
  signal?: AbortSignal;
  /** Called with the number of bytes sent, repeatedly. */
  onProgress: (bytes: number) => void;
}

/** GET /files: whether files are accepted, and their largest size in bytes. */
export const getFiles = (o?: CallOptions) => json<FilesAnswer>('/api/files', o);

/** POST /files/preview: how the service reads a file, and its first rows. */
export const previewFile = (toSend: FileToSend, o: SendOptions) => {
  const { file } = toSend;
  return upload<FilePreview>(`/api/files/preview?${queryOf(toSend)}`, {
    ...{ file, type: typeOf(file) },
    ...o,
  });
};

/**
 * POST /files: makes a table, or loads the file into one; 409 if the name is taken, 422 if rows do not fit and are not
 * left out.
 */
export const makeTable = (toSend: FileToSend, misfits: MisfitChoice, o: SendOptions) => {
  const { file } = toSend;
  const query = queryOf(toSend);
  query.set('misfits', misfits);
  return upload<FileTable>(`/api/files?${query}`, { file, type: typeOf(file), ...o });
};

/** The service looks at the file itself, since not every browser knows workbooks. */
const typeOf = ({ type }: Blob): string => (type === XLSX ? XLSX : CSV);

function queryOf({ name, choices: sent, target }: FileToSend): URLSearchParams {
  const { types = [], decimals = [], year, first_line, ...choices } = sent;
  const query = new URLSearchParams({ name, ...choices, ...target });
  if (first_line !== undefined) query.set('first_line', String(first_line));
  if (year !== undefined) query.set('year', String(year));
  const lists: Record<string, readonly (string | number | undefined)[]> = { types, decimals };
  for (const [key, list] of Object.entries(lists)) {
    const last = list.findLastIndex((each) => each !== undefined);
    if (last >= 0) query.set(key, Array.from(list.slice(0, last + 1), (each) => each ?? '').join());
  }
  return query;
}
