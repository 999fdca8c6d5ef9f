/** Answers in lines of JSON: the progress of the work, then its result. */
import { LINES } from '../../contract/primitives';
import { answerError } from '../errors';
import { Turns } from '../turns';
import { type Connected, whileConnected } from './while-connected';

/** Least time in milliseconds between two lines of progress. */
const INTERVAL = 300;

/**
 * Milliseconds after which the last progress is sent again if nothing else was: a connection that is silent for long is
 * closed by the service (PF_READER_TIMEOUT) or a proxy.
 */
const LONGEST_SILENCE = 10_000;

/** A result as the pieces of one line. */
export const inOnePiece = (result: object): [Uint8Array<ArrayBuffer>] => [
  new TextEncoder().encode(JSON.stringify(result)),
];

/**
 * Works for a client, and answers with lines of JSON. The answer begins with the first progress, which is repeated while
 * there is no other. An error before the first progress is thrown. An error after it becomes the last line, with its
 * status and the seconds of `Retry-After`.
 *
 * @param what the work, as {@link whileConnected} names it
 * @param work returns the result as pieces of one line. It may report progress any number of times
 * @param failed gets a later error for which the service is to blame
 */
export async function inLines<Progress extends object>(
  event: Connected,
  what: string,
  work: (
    signal: AbortSignal,
    report: (progress: Progress) => void,
  ) => Promise<Iterable<Uint8Array<ArrayBuffer>>>,
  failed: (error: unknown) => void,
): Promise<Response> {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array<ArrayBuffer>>();
  const writer = writable.getWriter();
  const encoder = new TextEncoder();
  /** Returns whether the client has not gone. */
  const send = (bytes: Uint8Array) =>
    writer.write(bytes).then(
      () => true,
      () => false,
    );
  const sendLine = (value: object) => send(encoder.encode(`${JSON.stringify(value)}\n`));
  const end = () => writer.close().catch(() => {});
  let begin = () => {};
  const begun = new Promise<void>((resolve) => (begin = resolve));
  let reported = -Infinity;
  let repeating: NodeJS.Timeout | undefined;
  const report = (progress: Progress) => {
    const now = performance.now();
    if (now - reported < INTERVAL) return;
    reported = now;
    begin();
    clearInterval(repeating);
    repeating = setInterval(() => void sendLine(progress), LONGEST_SILENCE);
    void sendLine(progress);
  };
  const sent = whileConnected(event, what, async (signal) => {
    const pieces = await work(signal, report).finally(() => clearInterval(repeating));
    begin();
    const turns = new Turns();
    for (const piece of pieces) {
      await turns.give();
      if (!(await send(piece))) return;
    }
    await send(encoder.encode('\n'));
    await end();
  });
  await Promise.race([begun, sent]);
  sent.catch(async (error: unknown) => {
    const { status, headers, body } = answerError(error);
    if (status === 500) failed(error);
    const retryAfter = headers['retry-after'];
    await sendLine({
      ...{ status, ...body },
      ...(retryAfter !== undefined && { retry_after: Number(retryAfter) }),
    });
    await end();
  });
  return new Response(readable, {
    headers: {
      'content-type': LINES,
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
    },
  });
}
