/** Sends requests to the API. The descriptions of its endpoints give requests and answers their types. */
import * as v from 'valibot';
import type { AnswerOf, Api, BodyOf, Name, ParamsOf, QueryOf } from '../contract/endpoints';
import type { LoadAnswer } from '../contract/loads';
import type { RefreshAnswer } from '../contract/refreshes';
import type { LogAnswer } from '../contract/log';
import type { History } from '../contract/primitives';
import {
  ARROW,
  CSV,
  LINES,
  PREFER_HEADER,
  RETURN_MINIMAL,
  REVISION_HEADER,
  TIMELINE_HEADER,
} from '../contract/primitives';
import { type CallOptions, complete, read, readArrow, readLines, requestOf, send } from './http';
import { sendWrite, type WriteOptions } from './writes';

/** Endpoints whose writes have a key. */
type Keyed = NameOf<{ writesRows: true } | { takesKey: true }>;
/** Endpoints that answer rows as Arrow if they are asked to. */
type WithRows = NameOf<{ answer: { alsoArrow: true } }>;
/** Endpoints that answer in lines with their progress if they are asked to. */
type WithLines = NameOf<{ answer: { alsoLines: true } }>;
type NameOf<Kind> = { [N in Name]: Api[N] extends Kind ? N : never }[Name];

type Nothing = Record<never, never>;

/** A request to an endpoint: the parameters of its path, `query`, and `body`. */
type RequestParts<N extends Name> = CallOptions & ParamsOf<N> & QueryPart<N> & BodyPart<N>;
type QueryPart<N extends Name> =
  QueryOf<N> extends infer Q ? (Nothing extends Q ? { query?: Q } : { query: Q }) : never;
type BodyPart<N extends Name> = Api[N] extends { optionalBody: true }
  ? { body?: BodyOf<N> }
  : BodyOf<N> extends undefined
    ? object
    : { body: BodyOf<N> };

/**
 * Sends a request and returns the JSON of the answer. Writes with a key are sent by {@link write}.
 *
 * @param name the endpoint, as docs/contract/11-endpoints.md lists it
 * @throws ApiError
 */
export const call = async <N extends Exclude<Name, Keyed>>(
  name: N,
  sent: RequestParts<N>,
): Promise<AnswerOf<N>> => read<AnswerOf<N>>(await respond(name, sent), sent);

/** Sends a write, again while its outcome is unknown, and returns the JSON of the answer. @throws ApiError */
export const write = <N extends Keyed>(
  name: N,
  sent: RequestParts<N> & WriteOptions,
): Promise<AnswerOf<N>> => {
  const { url, ...request } = requestOf(name, sent);
  return sendWrite<AnswerOf<N>>(url, request);
};

/**
 * As {@link call}, for an endpoint that reports its progress.
 *
 * @param report gets each line of progress; none comes from a server of an older build
 */
export const callInLines = async <N extends Exclude<WithLines, Keyed>, Progress>(
  name: N,
  sent: RequestParts<N>,
  progress: v.GenericSchema<unknown, Progress>,
  report: (progress: Progress) => void,
): Promise<AnswerOf<N>> => {
  const response = await respond(name, { ...sent, headers: { accept: LINES } });
  return withProgress<AnswerOf<N>, Progress>(progress, report)(response, sent);
};

/** As {@link write}, for an endpoint that reports its progress; see {@link callInLines}. */
export const writeInLines = <N extends Keyed & WithLines, Progress>(
  name: N,
  sent: RequestParts<N> & WriteOptions,
  progress: v.GenericSchema<unknown, Progress>,
  report: (progress: Progress) => void,
): Promise<AnswerOf<N>> => {
  const { url, ...request } = requestOf(name, sent);
  const inLines = { ...request, headers: { accept: LINES } };
  return sendWrite(url, inLines, withProgress<AnswerOf<N>, Progress>(progress, report));
};

/** Reads an answer that may have lines of progress. */
const withProgress =
  <Answer, Progress>(
    progress: v.GenericSchema<unknown, Progress>,
    report: (progress: Progress) => void,
  ) =>
  (response: Response, call: CallOptions): Promise<Answer> => {
    if (response.headers.get('content-type') !== LINES) return read<Answer>(response, call);
    return readLines<Answer>(response, call, (line) => {
      const { success, output } = v.safeParse(progress, line);
      if (success) report(output);
      return success;
    });
  };

/** As {@link write}, but returns the written rows as an Arrow stream, with other facts in its metadata. */
export const writeRows = <N extends Keyed & WithRows>(
  name: N,
  sent: RequestParts<N> & WriteOptions,
): Promise<ArrayBuffer> => {
  const { url, ...request } = requestOf(name, sent);
  return sendWrite(url, { ...request, headers: ASKS_FOR_ARROW }, readArrow);
};

/** As {@link call}, but returns the rows that a write would write as an Arrow stream. */
export const previewRows = async <N extends Exclude<WithRows, Keyed>>(
  name: N,
  sent: RequestParts<N>,
): Promise<ArrayBuffer> =>
  readArrow(await respond(name, { ...sent, headers: ASKS_FOR_ARROW }), sent);

const ASKS_FOR_ARROW = { accept: ARROW };

const respond = <S extends CallOptions>(name: Name, sent: S): Promise<Response> => {
  const { url, ...request } = requestOf(name, sent);
  return send(url, request);
};

/** Reads an answer as CSV for a file, with formulas protected. @throws ApiError */
async function csv<S extends CallOptions>(name: Name, sent: S): Promise<Blob> {
  const asked = { ...sent, query: { formulas: 'protected' }, headers: { accept: CSV } };
  const response = await respond(name, asked);
  return complete(() => response.blob(), sent);
}

/** The rows of a version as CSV. @throws ApiError; 404 if `get_agg` is not generated */
export const loadCsv = (id: number, endpoint: 'data' | 'agg', o?: CallOptions): Promise<Blob> =>
  csv(`GET /versions/{id}/${endpoint}`, { ...o, id });

/** The rows of a slice with their entries as CSV. @throws ApiError */
export const listedRowsCsv = (
  id: number,
  body: BodyOf<'POST /versions/{id}/rows'>,
  o?: CallOptions,
): Promise<Blob> => csv('POST /versions/{id}/rows', { ...o, id, body });

/**
 * The rows of a version, as a response whose body is the Arrow stream: the caller reads it piece by piece to show
 * progress. With `logids`, only the rows of those entries (at most 100). Throws ApiError like every other call (404
 * if `get_agg` is not generated).
 */
export const loadRows = (
  id: number,
  endpoint: 'data' | 'agg',
  { logids, ...o }: CallOptions & { logids?: readonly number[] } = {},
): Promise<Response> =>
  respond(`GET /versions/{id}/${endpoint}`, { ...o, id, query: { logid: logids } });

/** The keys of a lookup that occur in a version, with their attributes, as an Arrow stream; empty without rows. */
export const loadLookup = async (
  id: number,
  version: number,
  o?: CallOptions,
): Promise<ArrayBuffer> =>
  readArrow(await respond('GET /lookups/{id}/rows', { ...o, id, query: { version } }), o);

/** The log of a version, newest entry first, and the history of the database that it was read from. */
export const listLog = async (
  id: number,
  o?: CallOptions,
): Promise<LogAnswer & { history: History }> => {
  const response = await respond('GET /versions/{id}/log', { ...o, id });
  return { ...(await read<LogAnswer>(response, o)), history: historyOf(response) };
};

/** Returns the history of the database that a response belongs to. */
export const historyOf = ({ headers }: Response): History => ({
  timeline: headers.get(TIMELINE_HEADER),
  revision: headers.get(REVISION_HEADER),
});

/**
 * Returns the difference between the histories of two responses, as far as both name it (a server of an older
 * build may not): the `timeline` if the database was replaced, so that ids may belong to other entries; the
 * `revision` if rows of an entry were changed.
 */
export function differenceOf(one: History, other: History): keyof History | null {
  const differs = (name: keyof History) =>
    one[name] !== null && other[name] !== null && one[name] !== other[name];
  return differs('timeline') ? 'timeline' : differs('revision') ? 'revision' : null;
}

/**
 * Undoes an entry. Returns the number of deleted rows; the service is asked to leave out their keys.
 *
 * @param pf_user the name for the list of undone entries
 */
export const undo = (logid: number, pf_user?: string) =>
  write('DELETE /log/{logid}', {
    logid,
    headers: { [PREFER_HEADER]: RETURN_MINIMAL },
    ...(pf_user !== undefined && { body: { pf_user } }),
  });

/**
 * Redoes an undone entry on the current version; returns the same as its operation or load. 422 says why that is no
 * longer possible.
 */
export const redo = (id: number, logid: number, pf_user: string) => {
  const { url, ...request } = requestOf('POST /versions/{id}/redo/{logid}', {
    id,
    logid,
    body: { pf_user },
  });
  return sendWrite<ArrayBuffer | LoadAnswer | RefreshAnswer>(
    url,
    { ...request, headers: ASKS_FOR_ARROW },
    (response, call) =>
      response.headers.get('content-type') === ARROW
        ? readArrow(response, call)
        : read<LoadAnswer | RefreshAnswer>(response, call),
  );
};
