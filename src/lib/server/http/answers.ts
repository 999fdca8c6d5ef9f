/** Makes responses: JSON, rows, tags and compression. */
import type { ActualsAnswer } from '../../contract/actuals';
import { ACTUALS_METADATA } from '../../contract/actuals';
import { EVENT_STREAM } from '../../contract/events';
import type { ForecastPreview } from '../../contract/forecasts';
import type { FORMULAS } from '../../contract/formula-text';
import { SLICE_SKIPPED_HEADER } from '../../contract/operations';
import type { SeveralPreviewFacts } from '../../contract/previews';
import { PREVIEW_METADATA } from '../../contract/previews';
import type { History } from '../../contract/primitives';
import {
  ARROW,
  ARROW_LENGTH_HEADER,
  CSV,
  PREFERENCE_APPLIED_HEADER,
  RETURN_MINIMAL,
  REVISION_HEADER,
  TIMELINE_HEADER,
} from '../../contract/primitives';
import type { Column } from '../arrow/column-plan';
import { countsOf, rowCountOf } from '../arrow/column-values';
import { encodeParts, lengthOf } from '../arrow/encode';
import {
  jsonRows,
  jsonWithList,
  jsonWithObjects,
  jsonWithParts,
  jsonWithRows,
} from '../arrow/json';
import type { Read } from '../bodies';
import type { Reservation } from '../budget';
import { piecesOf } from '../pieces';
import { Turns } from '../turns';
import { protectedCsv } from './protected-csv';

/** Returns the same response with its body counted: `onBytes` gets the size of each chunk that is sent. */
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
 * An Arrow answer (docs/contract/04-data-loading.md): one IPC stream, or an empty body if there are no rows.
 */
export function readResponse(read: Read): Response {
  // A client may cache the rows if it checks each time whether they are still current. The tag is weak, since
  // the rows may be compressed or not.
  const headers: Record<string, string> =
    read.tag === undefined
      ? { 'cache-control': 'no-store' }
      : { etag: `W/"${read.tag}"`, 'cache-control': 'private, no-cache' };
  headers.vary = 'accept-encoding';
  const { history } = read.kind === 'rows' ? read.body : read;
  Object.assign(headers, historyHeaders(history));
  if (read.kind === 'unchanged') return new Response(null, { status: 304, headers });
  const { parts, rowCount, release, encoding, length } = read.body;
  return arrowResponse(parts, rowCount, release, {
    ...headers,
    ...(encoding && { 'content-encoding': encoding, [ARROW_LENGTH_HEADER]: String(length) }),
  });
}

/** Rows as Arrow, with the hash of their bytes for the ETag. */
interface TaggedRows {
  parts: readonly Uint8Array[];
  rowCount: number;
  tag: string;
  memory: Reservation;
}

/** Attributes of keys as Arrow, which a client may cache if it checks each time whether they are still current. */
export function lookupResponse(
  { parts, rowCount, tag, memory }: TaggedRows,
  isKnown: (tag: string) => boolean,
): Response {
  const headers = { etag: `W/"${tag}"`, 'cache-control': 'private, no-cache' };
  if (isKnown(tag)) {
    memory.release();
    return new Response(null, { status: 304, headers });
  }
  return arrowResponse(parts, rowCount, () => memory.release(), headers);
}

/** The headers that name the history of an answer. */
export const historyHeaders = ({ timeline, revision }: History): Record<string, string> => ({
  ...(timeline !== null && { [TIMELINE_HEADER]: timeline }),
  ...(revision !== null && { [REVISION_HEADER]: revision }),
});

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

/** A stream of events, which no proxy may buffer, compress or store. */
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

/**
 * Rows as CSV. The length is unknown until the last row.
 *
 * @param formulas whether texts that a spreadsheet would run as formulas are protected; by default not
 * @param skipped see {@link AnsweredRows}
 */
export const csvResponse = (
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  {
    formulas,
    skipped = '',
  }: { formulas?: (typeof FORMULAS)[number] | undefined; skipped?: string },
): Response =>
  new Response(formulas === 'protected' ? protectedCsv(stream) : stream, {
    headers: {
      'content-type': `${CSV}; charset=utf-8`,
      'cache-control': 'no-store',
      vary: 'accept',
      ...skippedHeader(skipped),
    },
  });

/** The rows of an answer and its headers. */
interface AnsweredRows {
  columns: readonly Column[];
  memory: Reservation;
  /** The slice keys that were not used, as the value of {@link SLICE_SKIPPED_HEADER}. */
  skipped: string;
}

/** The answer of an operation: its rows, and a header with the slice keys that it did not use. */
export const operationResponse = (answer: AnsweredRows, asArrow: boolean): Response =>
  asArrow
    ? arrowRows(answer)
    : jsonInPieces(jsonRows(answer.columns), answer.memory, skippedHeader(answer.skipped));

/** The answer of a preview: the effect of the operation, and its rows. */
export function previewResponse(
  { facts, ...answer }: AnsweredRows & { facts: Record<string, unknown> },
  asArrow: boolean,
): Response {
  const { columns, memory, skipped } = answer;
  return asArrow
    ? arrowRows(answer, { [PREVIEW_METADATA]: JSON.stringify(facts) })
    : jsonInPieces(jsonWithRows(facts, 'rows', columns), memory, skippedHeader(skipped));
}

/** The answer of a list of rows, as JSON. */
export const listedRowsResponse = ({
  facts,
  columns,
  memory,
}: Pick<AnsweredRows, 'columns' | 'memory'> & { facts: Record<string, unknown> }): Response =>
  jsonInPieces(jsonWithRows(facts, 'rows', columns), memory);

/** The JSON of a preview of a forecast, which has an object of some kilobytes for each group. */
export const forecastPieces = ({ groups, ...facts }: ForecastPreview) =>
  jsonWithObjects(facts, 'groups', groups);

/** The answer of a close of months: its facts, or its rows with the facts in their metadata. */
export function actualsResponse({
  memory,
  columns,
  ...facts
}: ActualsAnswer & { memory: Reservation; columns?: readonly Column[] | undefined }): Response {
  if (columns) {
    const metadata = { [ACTUALS_METADATA]: JSON.stringify(facts) };
    return arrowRows({ columns, memory, skipped: '' }, metadata);
  }
  memory.release();
  return Response.json(facts);
}

/** The answer of a preview of several operations: the effect of each one with its rows. */
export function severalPreviewResponse(
  { facts, ...answer }: AnsweredRows & { facts: SeveralPreviewFacts },
  asArrow: boolean,
): Response {
  const { columns, memory, skipped } = answer;
  if (asArrow) return arrowRows(answer, { [PREVIEW_METADATA]: JSON.stringify(facts) });
  const logids = columns.find(({ name }) => name === 'pf_logid');
  const counts = logids && countsOf(logids);
  const { steps, ...others } = facts;
  const parts = steps.map((step) => ({ fields: step, rowCount: counts?.get(step.logid) ?? 0 }));
  const pieces = jsonWithParts(others, 'steps', parts, columns);
  return jsonInPieces(pieces, memory, skippedHeader(skipped));
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

/** The answer of an undo: the number of deleted rows, and their keys unless the client asked for less. */
export function undoResponse({
  rows_deleted,
  keys,
  columns: [column],
  memory,
}: {
  rows_deleted: number;
  keys: 'pf_ids' | 'pf_gkeys' | null;
  columns: readonly Column[];
  memory: Reservation;
}): Response {
  const fields = { rows_deleted };
  if (keys !== null) return jsonInPieces(jsonWithList(fields, keys, column), memory);
  memory.release();
  return Response.json(fields, { headers: { [PREFERENCE_APPLIED_HEADER]: RETURN_MINIMAL } });
}

/**
 * A JSON answer in pieces. Each piece is made when the client is ready for it, and none after the client has
 * disconnected.
 *
 * @param memory reservation of the source data, released at the end; undefined if there is none
 */
export const jsonInPieces = (
  pieces: Iterator<Uint8Array<ArrayBuffer>, void>,
  memory?: Pick<Reservation, 'release'>,
  headers: Record<string, string> = {},
): Response =>
  new Response(
    inPieces(pieces, () => memory?.release()),
    { headers: { 'content-type': 'application/json', ...headers } },
  );

/**
 * A body whose pieces are made one by one, each after the client has read the one before it.
 *
 * @param done called at the end: the last piece is read, the client is gone, or a piece cannot be made
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
