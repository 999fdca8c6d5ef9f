/** The endpoints that make tables from files, as typed functions. */
import type {
  Delimiter,
  FileDateOrder,
  FileDecimal,
  FileEncoding,
  FileHeader,
  FilePreview,
  FilesAnswer,
  FileTable,
  FileType,
  MisfitChoice,
  MonthsAs,
} from '../contract/files';
import { CSV, XLSX } from '../contract/primitives';
import { type CallOptions, json, upload } from './http';

/** Choices about a file; the service recognises the rest. */
export interface FileChoices {
  encoding?: FileEncoding;
  delimiter?: Delimiter;
  header?: FileHeader;
  decimal?: FileDecimal;
  date_order?: FileDateOrder;
  /** The name of the sheet of a workbook. */
  sheet?: string;
  months?: MonthsAs;
  /** The year of the first month, if the names of months have none. */
  year?: number;
  /** Types by the position of the column. */
  types?: readonly (FileType | undefined)[];
}

/** A file with its name and the choices about it. */
export interface FileToSend {
  file: Blob;
  name: string;
  choices: FileChoices;
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
export const previewFile = ({ file, name, choices }: FileToSend, o: SendOptions) =>
  upload<FilePreview>(`/api/files/preview?${queryOf(name, choices)}`, {
    ...{ file, type: typeOf(file) },
    ...o,
  });

/** POST /files: makes a table; 409 if the name is taken, 422 if rows do not fit and are not left out. */
export const makeTable = (
  { file, name, choices }: FileToSend,
  misfits: MisfitChoice,
  o: SendOptions,
) => {
  const query = queryOf(name, choices);
  query.set('misfits', misfits);
  return upload<FileTable>(`/api/files?${query}`, { file, type: typeOf(file), ...o });
};

/** The service looks at the file itself, since not every browser knows workbooks. */
const typeOf = ({ type }: Blob): string => (type === XLSX ? XLSX : CSV);

function queryOf(name: string, { types = [], year, ...choices }: FileChoices): URLSearchParams {
  const query = new URLSearchParams({ name, ...choices });
  if (year !== undefined) query.set('year', String(year));
  const last = types.findLastIndex((type) => type !== undefined);
  if (last >= 0) query.set('types', Array.from(types.slice(0, last + 1), (t) => t ?? '').join(','));
  return query;
}
