/** Requests to the API and their errors. */
import * as v from 'valibot';
import { ARROW, ErrorAnswer } from '../contract/primitives';

/**
 * A request that did not succeed. `status` is the HTTP status of the answer, or 0 if no answer came
 * (server down, connection cut). `message` is a sentence to show as it is. `field` is the dotted path
 * of the field to blame and `column` the source's column, if the service names one.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly field: string | undefined;
  readonly column: string | undefined;

  constructor(
    readonly status: number,
    message: string,
    blame: Pick<ErrorAnswer, 'field' | 'column'> = {},
    /** Whether the request may have been carried out all the same. */
    readonly outcomeUnknown = status === 0,
  ) {
    super(message);
    this.field = blame.field;
    this.column = blame.column;
  }
}

/** The fetch to use: SvelteKit's own inside a `load`, the global one elsewhere. */
type Fetch = typeof globalThis.fetch;

/** Timeout of reads that a page makes by itself: over a lost connection they would wait without end. */
const BACKGROUND_TIMEOUT = 60_000;

/** Aborts with a signal, or after a minute. */
export const soon = (signal: AbortSignal): AbortSignal =>
  AbortSignal.any([signal, AbortSignal.timeout(BACKGROUND_TIMEOUT)]);

/** What a caller may pass with a request. */
export interface CallOptions {
  fetch?: Fetch;
  signal?: AbortSignal;
}

/** A request of the API. */
export interface Call extends CallOptions {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  body?: unknown;
  headers?: Record<string, string>;
}

/** Identifiers and table names go into paths percent-encoded: real names hold spaces and slashes. */
export const path = (strings: TemplateStringsArray, ...parts: (string | number)[]) =>
  '/api' + String.raw({ raw: strings }, ...parts.map((p) => encodeURIComponent(p)));

/** Sends a request. @throws ApiError if no answer comes, or if it is a refusal */
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
    throw new ApiError(0, 'The server does not answer. Check the connection and try again.');
  }
  // A proxy whose session has ended refuses, or sends to a page where to sign in.
  if (response.status === 401 || response.redirected) throw new ApiError(401, SIGNED_OUT);
  if (!response.ok) throw await refusal(response);
  return response;
}

const SIGNED_OUT = 'You are not signed in any more. Reload the page to sign in again.';

async function refusal(response: Response): Promise<ApiError> {
  const { status, statusText } = response;
  const body = v.safeParse(ErrorAnswer, await response.json().catch(() => null));
  if (body.success) {
    // The one failure of the service itself after which the same request may be sent again.
    const outcomeUnknown = status === 500 && response.headers.has('retry-after');
    return new ApiError(status, body.output.error, body.output, outcomeUnknown);
  }
  if (![502, 503, 504].includes(status)) {
    return new ApiError(status, `The server answered ${status} ${statusText}`.trim() + '.');
  }
  // A proxy answers in the place of a server that it lost, and with 503 if it has none to ask.
  return new ApiError(status, NO_SERVER, {}, status !== 503);
}

const NO_SERVER = 'No server answers now. Try again in a moment.';

/**
 * The answer to a request, as the contract has it. The service makes it of the same types, and a test
 * holds it to the schemas, so it is not checked again here: it may be a hundred thousand rows.
 */
export const json = async <Answer>(url: string, call?: Call): Promise<Answer> =>
  read<Answer>(await send(url, call), call);

/** The JSON of an answer. */
export const read = <Answer>(response: Response, call?: Call): Promise<Answer> =>
  complete<Answer>(() => response.json(), call);

/** The rows of an answer as an Arrow stream of one record batch. */
export const readArrow = (response: Response, call?: Call): Promise<ArrayBuffer> =>
  complete(() => response.arrayBuffer(), call);

/** Reads the body of an answer. @throws ApiError if the connection is cut before its end */
export async function complete<Answer>(body: () => Promise<Answer>, call?: Call): Promise<Answer> {
  try {
    return await body();
  } catch (cause) {
    if (call?.signal?.aborted) throw cause;
    throw new ApiError(0, 'The connection was cut before the answer was complete.');
  }
}

/** Of a request whose answer has rows. */
export const ASKS_FOR_ARROW = { accept: ARROW };
