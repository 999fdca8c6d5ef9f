/** Requests to the API and their errors. */
import * as v from 'valibot';
import type { Name } from '../contract/endpoints';
import { ErrorAnswer } from '../contract/primitives';
import { connection } from './connection.svelte';

/**
 * A failed request. `status` is the HTTP status, or 0 if there was no response, or nothing was sent.
 * `message` is a sentence to show as it is. `field` is the dotted path of the rejected field and `column` the
 * source's column, if the service names one.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly field: string | undefined;
  readonly column: string | undefined;

  constructor(
    readonly status: number,
    message: string,
    blame: Pick<ErrorAnswer, 'field' | 'column'> = {},
  ) {
    super(message);
    this.field = blame.field;
    this.column = blame.column;
  }
}

/**
 * A request without an answer, or with one that leaves its outcome unknown. The same request may be sent again,
 * a write with its key (docs/contract/05-operations.md#sending-a-write-again).
 */
export class Unanswered extends ApiError {
  constructor(
    status: number,
    message: string,
    /** Whether the request may have been carried out nevertheless. */
    readonly outcomeUnknown = true,
  ) {
    super(status, message);
  }
}

/** The fetch to use: SvelteKit's own inside a `load`, the global one elsewhere. */
type Fetch = typeof globalThis.fetch;

/**
 * Timeout, in milliseconds, of reads that a page makes by itself: over a lost connection they would wait
 * forever.
 */
const BACKGROUND_TIMEOUT = 60_000;

/** Returns a signal that also aborts after {@link BACKGROUND_TIMEOUT}. */
export const soon = (signal?: AbortSignal): AbortSignal =>
  AbortSignal.any([...(signal ? [signal] : []), AbortSignal.timeout(BACKGROUND_TIMEOUT)]);

/** Options of every request. */
export interface CallOptions {
  fetch?: Fetch;
  signal?: AbortSignal;
  headers?: Record<string, string>;
}

/** A request to the API. */
export interface Call extends CallOptions {
  method?: string;
  body?: unknown;
}

/**
 * A request of an endpoint. Names of tables may have spaces and slashes.
 *
 * @param sent the parameters of the path, `query`, `body` and options
 */
export function requestOf<Options extends object>(
  name: Name,
  sent: Options,
): Call & { url: string } & Options {
  const [method = '', pattern = ''] = name.split(' ');
  const values = new Map<string, unknown>(Object.entries(sent));
  const path = pattern.replace(/\{(\w+)\}/g, (_, key: string) =>
    encodeURIComponent(String(values.get(key))),
  );
  const texts = Object.entries<unknown>({ ...Object(values.get('query')) }).flatMap(
    ([key, value]) =>
      value === undefined ? [] : [value].flat().map((each) => [key, String(each)]),
  );
  const search = texts.length === 0 ? '' : `?${new URLSearchParams(texts)}`;
  return { ...sent, method, url: `/api${path}${search}` };
}

/** Sends a request. @throws ApiError if there is no response, or if it is an error */
export async function send(url: string, call: Call = {}): Promise<Response> {
  const { fetch = globalThis.fetch, method = 'GET', body, headers, signal } = call;
  let response: Response;
  try {
    response = await fetch(url, {
      method,
      ...(signal && { signal }),
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  } catch (cause) {
    if (signal?.aborted) throw cause;
    connection.lose();
    throw new Unanswered(0, 'The server does not answer. Check the connection and try again.');
  }
  return accepted(response, response.redirected);
}

/** Returns a successful response. @throws ApiError for any other */
async function accepted(response: Response, isRedirected: boolean): Promise<Response> {
  // A proxy whose session has ended refuses, or redirects to a sign-in page.
  if (response.status === 401 || isRedirected) throw new ApiError(401, SIGNED_OUT);
  if (!response.ok) throw await refusal(response);
  connection.answered();
  return response;
}

/** A file to send as the body of a request. */
export interface Upload {
  file: Blob;
  type: string;
  signal?: AbortSignal | undefined;
  /** Called with the number of bytes sent, repeatedly. */
  onProgress: (bytes: number) => void;
}

/** Sends a file by POST and returns the JSON of the answer. Only XMLHttpRequest tells how much is sent. */
export async function upload<Answer>(url: string, call: Upload): Promise<Answer> {
  const { file, type, signal, onProgress } = call;
  signal?.throwIfAborted();
  const request = new XMLHttpRequest();
  const abort = () => request.abort();
  const response = new Promise<Response>((resolve, reject) => {
    request.open('POST', url);
    request.setRequestHeader('content-type', type);
    request.upload.onprogress = ({ loaded }) => onProgress(loaded);
    request.onload = () => {
      const { status, statusText, responseText } = request;
      const retry = request.getResponseHeader('retry-after');
      const headers = new Headers(retry === null ? [] : [['retry-after', retry]]);
      resolve(new Response(responseText, { status, statusText, headers }));
    };
    request.onabort = () => reject(signal?.reason);
    request.onerror = () => {
      connection.lose();
      reject(new Unanswered(0, 'The connection was cut while the file was sent. Try again.'));
    };
    signal?.addEventListener('abort', abort, { once: true });
    request.send(file);
  });
  try {
    const answer = await response;
    const isRedirected = request.responseURL !== new URL(url, location.href).href;
    return read<Answer>(await accepted(answer, isRedirected));
  } finally {
    signal?.removeEventListener('abort', abort);
  }
}

const SIGNED_OUT =
  'You are not signed in any more. Reload the page to sign in again. To keep what you entered, sign in in another tab instead, and try again here.';

async function refusal(response: Response): Promise<ApiError> {
  const { status, statusText } = response;
  const body = v.safeParse(ErrorAnswer, await response.json().catch(() => null));
  if (body.success) {
    connection.answered();
    return refusalWith(status, body.output, response.headers.has('retry-after'));
  }
  if (![502, 503, 504].includes(status)) {
    return new ApiError(status, `The server answered ${status} ${statusText}`.trim() + '.');
  }
  // A proxy answers for a server that it lost, and with 503 if it has no server to ask.
  connection.lose();
  return new Unanswered(status, NO_SERVER, status !== 503);
}

/** The error of a refusal. @param canRepeat whether the service names a time to send the request again */
const refusalWith = (status: number, body: ErrorAnswer, canRepeat: boolean): ApiError =>
  // With 500, the outcome is unknown: the only failure of the service itself after which a request may be repeated.
  status === 500 && canRepeat
    ? new Unanswered(status, body.error)
    : new ApiError(status, body.error, body);

const NO_SERVER = 'No server answers now. Try again in a moment.';

/**
 * Reads the JSON of a response, typed by the contract. The service builds it from the same types, and a test checks it
 * against the schemas, so it is not checked again here: it may be a hundred thousand rows.
 */
export const read = <Answer>(response: Response, call?: Call): Promise<Answer> =>
  complete<Answer>(async () => (response.status === 204 ? undefined : response.json()), call);

const Refused = v.object({
  ...{ status: v.number(), retry_after: v.optional(v.number()) },
  ...ErrorAnswer.entries,
});

/**
 * Reads lines of JSON, the last of which is the answer or an error.
 *
 * @param isProgress takes each line; true if it is not the answer
 * @throws ApiError
 */
export async function readLines<Answer>(
  response: Response,
  call: Call,
  isProgress: (line: unknown) => boolean,
): Promise<Answer> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  // The last line may have megabytes, so its parts are joined once.
  let parts: string[] = [];
  const last = await complete<Answer>(async () => {
    for (;;) {
      const { value = '', done } = (await reader?.read()) ?? { done: true };
      const [first = '', ...lines] = value.split('\n');
      parts.push(first);
      for (const next of lines) {
        const line: Answer = JSON.parse(parts.join(''));
        parts = [next];
        if (!isProgress(line)) return line;
      }
      if (done) throw new Error('There is no answer');
    }
  }, call);
  const refused = v.safeParse(Refused, last);
  if (refused.success) {
    const { status, retry_after, ...body } = refused.output;
    throw refusalWith(status, body, retry_after !== undefined);
  }
  return last;
}

/** Reads the rows of a response as an Arrow stream of one record batch. */
export const readArrow = (response: Response, call?: Call): Promise<ArrayBuffer> =>
  complete(() => response.arrayBuffer(), call);

/** Reads the body of a response. @throws ApiError if the connection breaks before its end */
export async function complete<Answer>(body: () => Promise<Answer>, call?: Call): Promise<Answer> {
  try {
    return await body();
  } catch (cause) {
    if (call?.signal?.aborted) throw cause;
    connection.lose();
    throw new Unanswered(0, 'The connection was cut before the answer was complete.');
  }
}
