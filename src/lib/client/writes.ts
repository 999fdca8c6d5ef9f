/** Writes that are sent again, with the same key, while nobody knows whether they were made. */
import { IDEMPOTENCY_KEY_HEADER } from '../contract/primitives';
import { ApiError, type Call, read, send } from './http';

/** How long to wait, in milliseconds, before a write without an answer is sent again. */
const SENT_AGAIN_AFTER = [250, 1500, 3000, 5000];

/** The keys of writes of which nobody knows whether they were made, by the request. */
const keysInDoubt = new Map<string, string>();

/** For so many milliseconds the same request counts as the same write; later, a person may want it twice. */
const SAME_WRITE_WITHIN = 120_000;

/**
 * A request that writes rows. If its answer is lost on the way, the same request is sent again with
 * the same key: the service then makes the write at most once, and answers what it answered. The key
 * stays if no answer comes at all, for the person may send the same once more.
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
      // "Not now" says nothing about an attempt before it.
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
  'An answer was lost, so nobody knows yet whether the change was made. Send the same once more: it is made only once.';

/** A browser has `randomUUID` only on pages that came by HTTPS. */
const randomKey = (): string =>
  crypto.getRandomValues(new Uint32Array(4)).reduce((key, part) => key + part.toString(36), '');
