/** Writes that are repeated with the same key while their outcome is unknown. */
import type { SliceOperation, SliceRequests } from '../contract/operations';
import { IDEMPOTENCY_KEY_HEADER } from '../contract/primitives';
import { ApiError, type Call, type CallOptions, read, requestOf, send, Unanswered } from './http';

/** Delays, in milliseconds, before a write without a response is sent again. */
const SENT_AGAIN_AFTER = [250, 1500, 3000, 5000];

/** Keys of writes with an unknown outcome, by request. */
const keysInDoubt = new Map<string, string>();

/**
 * Time, in milliseconds, within which the same request counts as the same write; later, the user may want it
 * twice.
 */
const SAME_WRITE_WITHIN = 120_000;

/** Options of a request that writes rows. */
export interface WriteOptions extends CallOptions {
  /** The key of a write that the caller repeats; it is sent once. Without one, the write is repeated here. */
  key?: string;
}

/**
 * Sends a request that writes rows. If its response is lost, the same request is sent again with the same
 * key: the service then writes at most once, and repeats its response. The key stays if there is no response
 * at all, because the user may repeat the request.
 */
export async function sendWrite<T>(
  url: string,
  { key: given, ...call }: Call & WriteOptions,
  readAnswer: (response: Response, call: Call) => Promise<T> = read,
): Promise<T> {
  const request = JSON.stringify([call.method, url, call.body]);
  const key = given ?? keysInDoubt.get(request) ?? randomKey();
  const headers = { ...call.headers, [IDEMPOTENCY_KEY_HEADER]: key };
  if (given !== undefined) return readAnswer(await send(url, { ...call, headers }), call);
  for (const milliseconds of [...SENT_AGAIN_AFTER, null]) {
    try {
      const answer = await readAnswer(await send(url, { ...call, headers }), call);
      keysInDoubt.delete(request);
      return answer;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const outcomeUnknown = error instanceof Unanswered && error.outcomeUnknown;
      if (outcomeUnknown && !keysInDoubt.has(request)) {
        keysInDoubt.set(request, key);
        setTimeout(() => keysInDoubt.delete(request), SAME_WRITE_WITHIN);
      }
      // "Not now" says nothing about the previous attempt.
      const inDoubt = keysInDoubt.has(request) && (outcomeUnknown || error.status === 503);
      if (!inDoubt) keysInDoubt.delete(request);
      if (!inDoubt) throw error;
      if (milliseconds === null) throw outcomeUnknown ? error : new Unanswered(0, IN_DOUBT);
      await new Promise((resolve) => setTimeout(resolve, milliseconds));
    }
  }
  throw new Error('The last attempt returns or throws');
}

/** Returns the body of an operation that changes nothing, which the service refuses with 422. */
function unchanging<O extends SliceOperation>(operation: O, body: SliceRequests[O]): object {
  if (operation === 'clone') return { ...body, scale_factor: 0, factors: null };
  const { pf_user } = body;
  return operation === 'scale' ? { slice: {}, pct: 0, pf_user } : { slice: {}, set: {}, pf_user };
}

/**
 * Returns whether POST /versions/:id/scale, recode or clone was carried out with a key. It sends a change of
 * nothing with this key, whose refusal says so (docs/contract/05-operations.md#sending-a-write-again).
 *
 * @throws Unanswered while that is unknown; ApiError 401
 */
export async function isWritten<O extends SliceOperation>(
  id: number,
  operation: O,
  body: SliceRequests[O],
  o: WriteOptions & { key: string },
): Promise<boolean> {
  const nothing = unchanging(operation, body);
  try {
    const request = requestOf('POST /versions/{id}/{operation}', { id, operation });
    await sendWrite(request.url, { ...o, ...request, body: nothing });
    return false;
  } catch (error) {
    if (!(error instanceof ApiError) || error.status === 401) throw error;
    // "Not now" says nothing about the write.
    if (error.status >= 500) throw new Unanswered(error.status, error.message);
    return isKeyTaken(error);
  }
}

/** Whether a write was refused because its key came with another request before. */
export const isKeyTaken = (error: unknown): boolean =>
  error instanceof ApiError &&
  error.status === 409 &&
  error.message.includes(IDEMPOTENCY_KEY_HEADER);

const IN_DOUBT =
  'The answer was lost, so the change may or may not have been made. Try again: it is never made twice.';

/** Returns a new key. Browsers have `randomUUID` only on pages that were loaded by HTTPS. */
export const randomKey = (): string =>
  crypto.getRandomValues(new Uint32Array(4)).reduce((key, part) => key + part.toString(36), '');
