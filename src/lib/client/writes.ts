/** Writes that are repeated with the same key while their outcome is unknown. */
import { IDEMPOTENCY_KEY_HEADER } from '../contract/primitives';
import { ApiError, type Call, read, send } from './http';

/** Delays, in milliseconds, before a write without a response is sent again. */
const SENT_AGAIN_AFTER = [250, 1500, 3000, 5000];

/** Keys of writes with an unknown outcome, by request. */
const keysInDoubt = new Map<string, string>();

/**
 * Time, in milliseconds, within which the same request counts as the same write; later, the user may want it
 * twice.
 */
const SAME_WRITE_WITHIN = 120_000;

/**
 * Sends a request that writes rows. If its response is lost, the same request is sent again with the same
 * key: the service then writes at most once, and repeats its response. The key stays if there is no response
 * at all, because the user may repeat the request.
 */
export async function write<T>(
  url: string,
  call: Call,
  readAnswer: (response: Response, call: Call) => Promise<T> = read,
): Promise<T> {
  const request = JSON.stringify([call.method, url, call.body]);
  const key = keysInDoubt.get(request) ?? randomKey();
  const headers = { ...call.headers, [IDEMPOTENCY_KEY_HEADER]: key };
  for (const milliseconds of [...SENT_AGAIN_AFTER, null]) {
    try {
      const answer = await readAnswer(await send(url, { ...call, headers }), call);
      keysInDoubt.delete(request);
      return answer;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.outcomeUnknown && !keysInDoubt.has(request)) {
        keysInDoubt.set(request, key);
        setTimeout(() => keysInDoubt.delete(request), SAME_WRITE_WITHIN);
      }
      // "Not now" says nothing about the previous attempt.
      const inDoubt = keysInDoubt.has(request) && (error.outcomeUnknown || error.status === 503);
      if (!inDoubt) keysInDoubt.delete(request);
      if (!inDoubt) throw error;
      if (milliseconds === null) throw error.outcomeUnknown ? error : new ApiError(0, IN_DOUBT);
      await new Promise((resolve) => setTimeout(resolve, milliseconds));
    }
  }
  throw new Error('The last attempt returns or throws');
}

const IN_DOUBT =
  'The answer was lost, so the change may or may not have been made. Try again: it is never made twice.';

/** Browsers have `randomUUID` only on pages that were loaded by HTTPS. */
const randomKey = (): string =>
  crypto.getRandomValues(new Uint32Array(4)).reduce((key, part) => key + part.toString(36), '');
