/** Receives a file as the body of a request, into a temporary file on disk. */
import { createReadStream } from 'node:fs';
import { mkdtemp, open, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { QueryOf } from '../../contract/endpoints';
import {
  CHOSEN_DECIMALS,
  FILE_MODES,
  FILE_TYPES,
  type FileMode,
  type WidenChoice,
} from '../../contract/files';
import type { ByteSource } from '../../xlsx/bytes';
import type { Config } from '../config';
import { AppError, reasonOf } from '../errors';
import { EncodingEvidence } from '../files/encoding';
import type { ArrivedFile, FileChoices } from '../files/recognise';
import { type Connected, whileConnected } from './while-connected';

/** Number of files that one process reads at a time. */
const MOST_AT_ONCE = 4;

/** Bytes that are read from the temporary file at a time. */
const PART = 131_072;

/** First bytes of workbooks, old and encrypted ones too: the reader of workbooks refuses these with a reason. */
const WORKBOOKS = ['504b0304', '504b0506', 'd0cf11e0'];

/** First bytes of files that are neither text nor workbooks, and what they are. */
const NO_TEXT: readonly [signature: string, what: string][] = [
  ['25504446', 'a PDF document'],
  ['1f8b', 'compressed'],
];

/** The query string of a request with a file. */
type FileQuery = QueryOf<'POST /files/preview'>;

/** A request that sends a file. */
interface FileRequest extends Connected {
  request: Request;
  locals: { config: Pick<Config, 'fileLimit'> };
}

let reading = 0;

/**
 * Receives the file of a request and runs `work` on it. The temporary file is deleted afterwards.
 *
 * @throws AppError 404 if files are not accepted, 400 for a parameter, 413 if the file is too large, 415 if it is
 * no text, 503 if the server reads enough files already or has no room. If the client closes the connection,
 * reading the file fails.
 */
export async function withFile<Result>(
  { request, locals, platform }: FileRequest,
  query: FileQuery,
  work: (file: ArrivedFile) => Promise<Result>,
): Promise<Result> {
  const { fileLimit } = locals.config;
  if (fileLimit === 0) {
    throw new AppError(404, 'Files are not accepted here: the service runs with PF_FILES=0');
  }
  const { name } = query;
  const choices = choicesOf(query);
  if (Number(request.headers.get('content-length') ?? 0) > fileLimit) throw tooLarge(fileLimit);
  if (reading >= MOST_AT_ONCE) {
    throw new AppError(503, 'The service reads other files at the moment; try again soon', {
      retryAfter: 10,
    });
  }
  reading++;
  let folder: string | undefined;
  try {
    return await whileConnected({ platform }, 'its file was read', async (signal) => {
      folder = await mkdtemp(join(tmpdir(), 'forecast-pivot-file-')).catch(noRoom);
      const path = join(folder, 'file');
      const evidence = await receive(request, path, fileLimit);
      const bytes = await bytesOf(path, signal);
      return work({
        name,
        choices,
        open: () => inSteps(createReadStream(path, { highWaterMark: PART, signal }), bytes.step),
        bytes,
        isWorkbook: WORKBOOKS.some((start) => evidence.signature.startsWith(start)),
        ...evidenceOf(evidence),
      });
    });
  } finally {
    reading--;
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  }
}

/** Milliseconds that reading a file may take, and for each of its bytes. */
const TIME = 60_000;
const TIME_OF_BYTE = 0.002;

/** Milliseconds after which other requests are let in. */
const TURN = 20;

/**
 * Lets other requests in between the parts of a file, and ends reading that takes too long: a small file can unpack
 * to much.
 * @throws AppError 422
 */
function stepsOf(size: number): () => Promise<void> {
  const started = performance.now();
  let turn = started;
  return async () => {
    const now = performance.now();
    if (now - started > TIME + size * TIME_OF_BYTE) {
      throw new AppError(
        422,
        'The file takes too long to read. Send fewer rows, or save the sheet as CSV',
      );
    }
    if (now - turn < TURN) return;
    await new Promise((resolve) => setImmediate(resolve));
    turn = performance.now();
  };
}

async function* inSteps(
  parts: AsyncIterable<Uint8Array>,
  step: () => Promise<void>,
): AsyncGenerator<Uint8Array> {
  for await (const part of parts) {
    await step();
    yield part;
  }
}

/** The bytes of a file at any place. Reading fails after the signal. */
async function bytesOf(
  path: string,
  signal: AbortSignal,
): Promise<ByteSource & { step: () => Promise<void> }> {
  const { size } = await stat(path);
  return {
    size,
    step: stepsOf(size),
    async read(from, to) {
      signal.throwIfAborted();
      const file = await open(path);
      try {
        const bytes = new Uint8Array(to - from);
        await file.read(bytes, 0, to - from, from);
        return bytes;
      } finally {
        await file.close();
      }
    },
  };
}

/** The encoding, with lines that show it if it is not Unicode. */
function evidenceOf(evidence: EncodingEvidence): Pick<ArrivedFile, 'encoding' | 'lines'> {
  const encoding = evidence.encoding();
  return { encoding, lines: encoding.startsWith('utf') ? [] : evidence.lines };
}

async function receive(request: Request, path: string, limit: number): Promise<EncodingEvidence> {
  const evidence = new EncodingEvidence();
  const file = await open(path, 'wx', 0o600).catch(noRoom);
  let size = 0;
  let failure: unknown;
  try {
    for await (const bytes of request.body ?? []) {
      size += bytes.byteLength;
      // A client reads no answer while it sends, so the rest is received, too.
      if (size > 2 * limit) break;
      if (size > limit || failure !== undefined) continue;
      evidence.take(bytes);
      await file.writeFile(bytes).catch((error: unknown) => (failure = error));
    }
  } finally {
    await file.close();
  }
  if (size > limit) throw tooLarge(limit);
  if (failure !== undefined) noRoom(failure);
  if (size === 0) throw new AppError(400, 'The body is missing; send the file as the body');
  const [, what] = NO_TEXT.find(([start]) => evidence.signature.startsWith(start)) ?? [];
  if (what) {
    throw new AppError(
      415,
      `The file is ${what}. Send a workbook (.xlsx), or text such as “CSV UTF-8”`,
    );
  }
  return evidence;
}

const tooLarge = (limit: number): AppError =>
  new AppError(413, `The file is larger than ${limit} bytes, the limit of PF_FILE_LIMIT`);

function noRoom(error: unknown): never {
  throw new AppError(
    503,
    'The server cannot store the file while it reads it: the folder for temporary files (TMPDIR) is full or cannot be written',
    { cause: new Error(reasonOf(error)), retryAfter: 60 },
  );
}

/**
 * The existing table that a request loads its file into; undefined for a new one.
 * @throws AppError 400 for a table without a mode, or the reverse
 */
export function targetOf({
  table,
  mode,
  widen = 'refuse',
}: FileQuery): { table: string; mode: FileMode; widen: WidenChoice } | undefined {
  if (table === undefined && mode === undefined) return undefined;
  if (table === undefined) {
    throw new AppError(400, 'table is missing: mode says what becomes of its rows', {
      field: 'table',
    });
  }
  if (mode === undefined) {
    throw new AppError(400, `mode is missing: send one of ${FILE_MODES.join(', ')} with table`, {
      field: 'mode',
    });
  }
  return { table, mode, widen };
}

const choicesOf = ({ types = '', decimals = '', ...query }: FileQuery): FileChoices => ({
  encoding: query.encoding,
  delimiter: query.delimiter,
  header: query.header,
  decimal: query.decimal,
  firstLine: query.first_line,
  dateOrder: query.date_order,
  sheet: query.sheet,
  months: query.months,
  year: query.year,
  missingName: query.missing_name,
  shortRows: query.short_rows,
  totals: query.totals,
  dashes: query.dashes,
  types: typesOf(types),
  decimals: decimalsOf(decimals),
});

/** @throws AppError 400 */
function typesOf(text: string): FileChoices['types'] {
  if (text === '') return [];
  return text.split(',').map((word) => {
    const type = FILE_TYPES.find((known) => known === word);
    if (word !== '' && !type) {
      throw new AppError(
        400,
        `types must be words with commas between, each empty or one of: ${FILE_TYPES.join(', ')}`,
        { field: 'types' },
      );
    }
    return type;
  });
}

/** @throws AppError 400 */
function decimalsOf(text: string): FileChoices['decimals'] {
  if (text === '') return undefined;
  const { min, max } = CHOSEN_DECIMALS;
  return text.split(',').map((word) => {
    if (word === '') return undefined;
    const decimals = /^\d{1,2}$/.test(word) ? Number(word) : NaN;
    if (!(decimals >= min && decimals <= max)) {
      throw new AppError(
        400,
        `decimals must be numbers with commas between, each empty or from ${min} to ${max}`,
        { field: 'decimals' },
      );
    }
    return decimals;
  });
}
