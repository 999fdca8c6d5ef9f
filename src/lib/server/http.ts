import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import * as v from 'valibot';
import { EVENT_STREAM } from '../contract/events';
import { MOST_ENTRIES } from '../contract/log';
import type { Me } from '../contract/me';
import { PREVIEW_METADATA, SLICE_SKIPPED_HEADER } from '../contract/operations';
import {
  ARROW,
  ARROW_LENGTH_HEADER,
  CSV,
  IDEMPOTENCY_KEY_HEADER,
  isObject,
  TIMELINE_HEADER,
} from '../contract/primitives';
import type { Column } from './arrow/column-plan';
import { rowCountOf } from './arrow/column-values';
import { encodeParts, lengthOf } from './arrow/encode';
import { isListed, jsonAroundList, jsonRows, jsonWithList, jsonWithRows } from './arrow/json';
import type { Asked, Read } from './bodies';
import type { Encoding } from './compress';
import { ENCODINGS } from './compress';
import type { Reservation } from './budget';
import type { WriteKey } from './db/idempotency';
import type { Place } from './errors';
import { AppError, faultAt, reasonOf } from './errors';
import { piecesOf } from './pieces';
import { Turns } from './turns';

const MAX_INT4 = 2147483647;

/** A path parameter that is the id of a source or version. @throws AppError 400 */
export const idParam = (text: string | undefined, name: string): number =>
  integer(text, name, 1, MAX_INT4);

/** A path parameter that is a log entry's id. @throws AppError 400 */
export const logidParam = (text: string | undefined): number =>
  integer(text, 'logid', 1, Number.MAX_SAFE_INTEGER);

/** A whole number of the query string, or `fallback` if it is not there. @throws AppError 400 */
export function integerQuery(
  url: URL,
  name: string,
  range: { min: number; max: number; fallback: number },
): number {
  const text = url.searchParams.get(name);
  return text === null ? range.fallback : integer(text, name, range.min, range.max);
}

/** A path parameter that is a name. @throws AppError 400 if no name can be so */
export function textParam(text: string, name: string): string {
  if (text.includes('\u0000')) {
    throw new AppError(400, `${name} must not contain the character U+0000`, { field: name });
  }
  return text;
}

/** A text of the query string, or `fallback`; without one it must be there. @throws AppError 400 */
export function textQuery(url: URL, name: string, fallback?: string): string {
  const text = url.searchParams.get(name) ?? fallback;
  if (text === undefined) {
    throw new AppError(400, `${name} is missing in the query string`, { field: name });
  }
  return textParam(text, name);
}

/** The entries that a read is limited to; undefined if it is of all. @throws AppError 400 */
export function entriesQuery(url: URL): number[] | undefined {
  const texts = url.searchParams.getAll('logid');
  if (texts.length > MOST_ENTRIES) {
    throw new AppError(400, `logid: at most ${MOST_ENTRIES} entries may be asked for at a time`, {
      field: 'logid',
    });
  }
  return texts.length === 0 ? undefined : texts.map(logidParam);
}

/** One of some words in the query string, or `fallback` if it is not there. @throws AppError 400 */
export function choiceQuery<T extends string>(
  url: URL,
  name: string,
  choices: readonly T[],
  fallback: T,
): T {
  const text = url.searchParams.get(name) ?? fallback;
  const choice = choices.find((c) => c === text);
  if (choice === undefined) {
    throw new AppError(400, `${name} must be one of: ${choices.join(', ')}`, { field: name });
  }
  return choice;
}

function integer(text: string | undefined, name: string, min: number, max: number): number {
  const number = Number(text);
  if (!text || !/^\d{1,16}$/.test(text) || number < min || number > max) {
    throw new AppError(400, `${name} must be a whole number from ${min} to ${max}`, {
      field: name,
    });
  }
  return number;
}

/** Whether the headers of a request announce a body. Node passes on no other. */
const hasBody = ({ headers }: Request): boolean =>
  Number(headers.get('content-length') ?? 0) > 0 || headers.has('transfer-encoding');

/** Holds a body to JSON by its content type, even if no handler reads it. @throws AppError 415 */
export function requireJsonBody(request: Request): void {
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (hasBody(request) && type !== 'application/json') {
    throw new AppError(415, 'Send the body as JSON, with content-type: application/json');
  }
}

/**
 * The body of a request, held to a schema and to the configured size.
 *
 * @throws AppError 413 if it is too large, 400 if there is none, it does not parse or does not
 * fit, naming the field
 */
export const readJson = async <Body>(
  { request, locals }: Received,
  schema: v.GenericSchema<unknown, Body>,
): Promise<Body> =>
  fitted(await readText(request, locals.config.bodyLimit), schema, locals.me.user);

/** The parts of a request that reading its body needs. */
interface Received {
  request: Request;
  locals: { config: { bodyLimit: number }; me: Me };
}

/**
 * The body of a request that writes rows, as {@link readJson} reads it, and its key.
 *
 * @throws AppError as `readJson`, and 400 for a key that cannot be one
 */
export async function readWrite<Body>(
  received: Received & { url: URL },
  schema: v.GenericSchema<unknown, Body>,
): Promise<{ body: Body; key: WriteKey | undefined }> {
  const { request, locals } = received;
  const text = await readText(request, locals.config.bodyLimit);
  return { key: writeKey(received, text), body: fitted(text, schema, locals.me.user) };
}

/** As {@link readWrite}, for a body that may be left out: no body says as much as `{}`. */
export async function readOptionalWrite<Body>(
  received: Received & { url: URL },
  schema: v.GenericSchema<unknown, Body>,
): Promise<{ body: Body; key: WriteKey | undefined }> {
  const { request, locals } = received;
  const text = await readText(request, locals.config.bodyLimit);
  const body = fitted(text.trim() === '' ? '{}' : text, schema, locals.me.user);
  return { key: writeKey(received, text), body };
}

function writeKey(
  { request, url, locals: { me } }: Received & { url: URL },
  body: string,
): WriteKey | undefined {
  const key = request.headers.get(IDEMPOTENCY_KEY_HEADER);
  if (key === null) return undefined;
  if (!/^[ -~]{1,200}$/.test(key)) {
    throw new AppError(
      400,
      `${IDEMPOTENCY_KEY_HEADER} must be 1 to 200 printable ASCII characters`,
      { field: IDEMPOTENCY_KEY_HEADER },
    );
  }
  const digest = createHash('sha256').update(body);
  // What one person was answered is nobody else's. No name holds a line break.
  if (me.user !== null) digest.update(`\n${me.user}`);
  return { key, path: `${request.method} ${url.pathname}`, digest: digest.digest('hex') };
}

/**
 * A body, parsed and held to its schema.
 *
 * @param user who is signed in: the `pf_user` of the body, whatever it says; null if nobody is
 * @throws AppError 400 naming the field
 */
function fitted<Body>(
  text: string,
  schema: v.GenericSchema<unknown, Body>,
  user: string | null,
): Body {
  // If the name is all that a request says, there is nothing left to send.
  const isLeftOut = user !== null && schema.type !== 'array' && text.trim() === '';
  const sent = isLeftOut ? {} : parse(text);
  const body = user !== null && isObject(sent) ? { ...sent, pf_user: user } : sent;
  // A list has no fields, so it would pass if every field may be left out.
  if (schema.type !== 'array' && Array.isArray(body)) {
    throw new AppError(400, 'The body must be a JSON object');
  }
  const result = v.safeParse(schema, body);
  if (result.success) return result.output;
  const [issue] = result.issues;
  const place = placeOf(issue);
  if (place && issue.received === 'undefined') {
    const { words, ...blame } = place;
    throw new AppError(400, `${words} is missing`, blame);
  }
  throw place ? faultAt(place, 400, issue.message) : new AppError(400, issue.message);
}

/**
 * Where in the body a fault is; undefined if it is the body itself. An entry that names a column is
 * described by the column, every other field by its path.
 */
function placeOf(issue: v.BaseIssue<unknown>): Place | undefined {
  const path = issue.path ?? [];
  const [entry, ...rest] = path;
  if (entry === undefined) return undefined;
  const field = path.map(({ key }) => String(key)).join('.');
  const column = path.map(columnOf).find((name) => name !== undefined);
  const cname = entry.type === 'array' ? columnOf(entry) : undefined;
  const words =
    cname === undefined
      ? field
      : [`Column "${cname}"`, ...rest.map(({ key }) => String(key))].join(', ');
  return { words, field, column };
}

/** The column that one step of a path names: by its key in a `slice` or `set`, or by its `cname`. */
function columnOf({ type, key, value }: v.IssuePathItem): string | undefined {
  if (type === 'map') return typeof key === 'string' ? key : undefined;
  const named = v.safeParse(v.object({ cname: v.string() }), value);
  return named.success ? named.output.cname : undefined;
}

function parse(text: string): unknown {
  if (text.trim() === '') throw new AppError(400, 'The body is missing; send JSON');
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new AppError(400, `The body is not JSON: ${reasonOf(error)}`);
  }
}

/** How many bytes of a refused body the service still reads: a client reads no answer while it sends. */
const DISCARDED = 16 * 1_048_576;

async function readText(request: Request, limit: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength;
    if (size <= limit) chunks.push(chunk);
    else if (size > limit + DISCARDED) break;
  }
  if (size > limit) throw new AppError(413, `The body is larger than ${limit} bytes`);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw new AppError(400, 'The body is not UTF-8 text');
  }
}

/** Drains an unread body; otherwise the connection hangs. */
export async function discardBody(request: Request): Promise<void> {
  if (request.bodyUsed) return;
  let size = 0;
  try {
    for await (const chunk of request.body ?? []) {
      size += chunk.byteLength;
      if (size > DISCARDED) break;
    }
  } catch {
    // The client is gone. Its answer must be made all the same, since it holds memory until it is sent.
  }
}

/** The same response, with its body counted: `onBytes` gets the size of each chunk that is sent. */
export function countBody(response: Response, onBytes: (bytes: number) => void): Response {
  const length = response.headers.get('content-length');
  if (length !== null || response.body === null) {
    onBytes(Number(length ?? 0));
    return response;
  }
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      onBytes(chunk.byteLength);
      controller.enqueue(chunk);
    },
  });
  return new Response(response.body.pipeThrough(counter), response);
}

/**
 * An Arrow answer (docs/contract/04-data-loading.md): one IPC stream, or nothing if there are no
 * rows.
 */
export function readResponse(read: Read): Response {
  // A client may keep the rows if it asks each time whether they are still the newest.
  // The tag is weak, since the rows may be compressed or not.
  const headers: Record<string, string> =
    read.tag === undefined
      ? { 'cache-control': 'no-store' }
      : { etag: `W/"${read.tag}"`, 'cache-control': 'private, no-cache' };
  headers.vary = 'accept-encoding';
  const { timeline } = read.kind === 'rows' ? read.body : read;
  Object.assign(headers, timelineHeader(timeline));
  if (read.kind === 'unchanged') return new Response(null, { status: 304, headers });
  const { parts, rowCount, release, encoding, length } = read.body;
  return arrowResponse(parts, rowCount, release, {
    ...headers,
    ...(encoding && { 'content-encoding': encoding, [ARROW_LENGTH_HEADER]: String(length) }),
  });
}

/** Names the history that an answer is of, if the database tells. */
export const timelineHeader = (timeline: string | null): Record<string, string> =>
  timeline === null ? {} : { [TIMELINE_HEADER]: timeline };

const arrowResponse = (
  parts: readonly Uint8Array[],
  rowCount: number,
  release: () => void,
  headers: Record<string, string>,
): Response =>
  new Response(inPieces(piecesOf(parts), release), {
    headers: {
      ...headers,
      'content-type': ARROW,
      'content-length': String(lengthOf(parts)),
      'x-row-count': String(rowCount),
    },
  });

/** A stream of events, which no proxy may keep back, compress or store. */
export async function eventResponse(
  { method }: Request,
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
): Promise<Response> {
  if (method === 'HEAD') await stream.cancel();
  return new Response(method === 'HEAD' ? null : stream, {
    headers: {
      'content-type': EVENT_STREAM,
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    },
  });
}

/** Rows as CSV. The length is not known before the last one. */
export const csvResponse = (stream: ReadableStream<Uint8Array<ArrayBuffer>>): Response =>
  new Response(stream, {
    headers: {
      'content-type': `${CSV}; charset=utf-8`,
      'cache-control': 'no-store',
      vary: 'accept',
    },
  });

/** Whether a request asks for its rows as Arrow. */
export const asksForArrow = (request: Request): boolean =>
  accepted(request, 'accept').includes(ARROW);

/** Whether a request asks for its rows as CSV, and not for Arrow before that. */
export const asksForCsv = (request: Request): boolean =>
  accepted(request, 'accept').find((type) => type === CSV || type === ARROW) === CSV;

/** What a header of a request accepts by name, in small letters. */
const accepted = ({ headers }: Request, header: 'accept' | 'accept-encoding'): string[] =>
  (headers.get(header) ?? '')
    .toLowerCase()
    .split(',')
    .flatMap((range) => {
      const [name = '', ...parameters] = range.split(';').map((part) => part.trim());
      return parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter)) ? [] : name;
    });

/** How a request wants rows: which it has, and how they may be compressed. */
export function askedRows({
  request,
  getClientAddress,
}: {
  request: Request;
  getClientAddress: () => string;
}): Asked {
  const known = request.headers.get('if-none-match') ?? '';
  const tags = Array.from(known.matchAll(/"[^"]*"/g), ([tag]) => tag);
  return {
    isKnown: (state) => known.trim() === '*' || tags.includes(`"${state}"`),
    encoding: isNear(getClientAddress) ? undefined : acceptedEncoding(request),
    signal: request.signal,
  };
}

const acceptedEncoding = (request: Request): Encoding | undefined =>
  ENCODINGS.find((encoding) => accepted(request, 'accept-encoding').includes(encoding));

/**
 * Whether a client is on this machine, where to compress and to decompress takes longer than to copy. An
 * address that the configured header does not tell is far away.
 */
function isNear(getClientAddress: () => string): boolean {
  try {
    const address = getClientAddress();
    return address === '::1' || /^(::ffff:)?127\./.test(address);
  } catch {
    return false;
  }
}

/** The rows of an answer, and what is told beside them. */
interface AnsweredRows {
  columns: readonly Column[];
  memory: Reservation;
  /** The slice keys that were not used, as {@link SLICE_SKIPPED_HEADER} has them. */
  skipped: string;
}

/** The answer of an operation: its rows, and in a header the slice keys it did not use. */
export const operationResponse = (answer: AnsweredRows, asArrow: boolean): Response =>
  asArrow
    ? arrowRows(answer)
    : jsonInPieces(jsonRows(answer.columns), answer.memory, skippedHeader(answer.skipped));

/** The answer of a preview: what the operation would do, and its rows. */
export function previewResponse(
  { facts, ...answer }: AnsweredRows & { facts: Record<string, unknown> },
  asArrow: boolean,
): Response {
  const { columns, memory, skipped } = answer;
  return asArrow
    ? arrowRows(answer, { [PREVIEW_METADATA]: JSON.stringify(facts) })
    : jsonInPieces(jsonWithRows(facts, 'rows', columns), memory, skippedHeader(skipped));
}

function arrowRows(
  { columns, memory, skipped }: AnsweredRows,
  metadata: Record<string, string> = {},
): Response {
  const release = () => memory.release();
  try {
    const parts = encodeParts(columns, metadata);
    return arrowResponse(parts, rowCountOf(columns), release, skippedHeader(skipped));
  } catch (error) {
    release();
    throw error;
  }
}

const skippedHeader = (skipped: string): Record<string, string> =>
  skipped === '' ? {} : { [SLICE_SKIPPED_HEADER]: skipped };

/** The answer of an undo: the keys of the rows that are gone. Its length is told if they are listed already. */
export function undoResponse({
  rows_deleted,
  keys,
  columns: [column],
  memory,
}: {
  rows_deleted: number;
  keys: 'pf_ids' | 'pf_gkeys';
  columns: readonly Column[];
  memory: Reservation;
}): Response {
  const fields = { rows_deleted };
  if (!isListed(column)) return jsonInPieces(jsonWithList(fields, keys, column), memory);
  const parts = jsonAroundList(fields, keys, column);
  const length = String(lengthOf(parts));
  return jsonInPieces(piecesOf(parts), memory, { 'content-length': length });
}

/**
 * An answer of JSON in pieces. Each piece is made when the client takes it, and none is made after the
 * client has gone.
 *
 * @param memory of what it is made from; released at the end
 */
export const jsonInPieces = (
  pieces: Iterator<Uint8Array<ArrayBuffer>, void>,
  memory: Pick<Reservation, 'release'>,
  headers: Record<string, string> = {},
): Response =>
  new Response(
    inPieces(pieces, () => memory.release()),
    { headers: { 'content-type': 'application/json', ...headers } },
  );

/**
 * A body whose pieces are made one by one, each when the client has taken the one before it.
 *
 * @param done called at the end: the last piece is taken, the client is gone or a piece cannot be made
 */
function inPieces(
  pieces: Iterator<Uint8Array<ArrayBuffer>, void>,
  done: () => void,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const turns = new Turns();
  return new ReadableStream(
    {
      async pull(controller) {
        await turns.give();
        try {
          const piece = pieces.next();
          if (!piece.done) return controller.enqueue(piece.value);
        } catch (error) {
          done();
          throw error;
        }
        done();
        controller.close();
      },
      cancel() {
        pieces.return?.();
        done();
      },
    },
    // Without a buffer, a piece is made only when it is read.
    { highWaterMark: 0 },
  );
}
