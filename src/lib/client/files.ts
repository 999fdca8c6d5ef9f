/** Requests that send a file, from which a table is made. */
import type { AnswerOf, QueryOf } from '../contract/endpoints';
import type { FileMode, FileType, MisfitChoice, WidenChoice } from '../contract/files';
import { CSV, XLSX } from '../contract/primitives';
import { requestOf, upload } from './http';

type Query = QueryOf<'POST /files/preview'>;

/** Choices about a file; the service recognises the rest. */
export type FileChoices = Omit<
  Query,
  'name' | 'table' | 'mode' | 'widen' | 'types' | 'decimals'
> & {
  /** Types by the position of the column. */
  types?: readonly (FileType | undefined)[];
  /** Decimals of numbers by the position of the column. */
  decimals?: readonly (number | undefined)[];
};

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

/** How the service reads a file, and its first rows. */
export const previewFile = (toSend: FileToSend, o: SendOptions) =>
  sendFile('POST /files/preview', toSend, queryOf(toSend), o);

/**
 * Makes a table, or loads the file into one; 409 if the name is taken, 422 if rows do not fit and are not left out.
 */
export const makeTable = (toSend: FileToSend, misfits: MisfitChoice, o: SendOptions) =>
  sendFile('POST /files', toSend, { ...queryOf(toSend), misfits }, o);

const sendFile = <N extends 'POST /files' | 'POST /files/preview'>(
  name: N,
  { file }: FileToSend,
  query: Query & QueryOf<N>,
  o: SendOptions,
) => upload<AnswerOf<N>>(requestOf(name, { query }).url, { file, type: typeOf(file), ...o });

/** The service looks at the file itself, since not every browser knows workbooks. */
const typeOf = ({ type }: Blob): string => (type === XLSX ? XLSX : CSV);

const queryOf = ({ name, choices, target }: FileToSend): Query => ({
  name,
  ...choices,
  ...target,
  types: listed(choices.types),
  decimals: listed(choices.decimals),
});

/** The values of the columns with commas between, up to the last one; undefined if there is none. */
function listed(values: readonly (string | number | undefined)[] = []): string | undefined {
  const last = values.findLastIndex((each) => each !== undefined);
  return last < 0 ? undefined : Array.from(values.slice(0, last + 1), (each) => each ?? '').join();
}
