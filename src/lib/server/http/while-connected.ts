/** Ends work that nobody waits for any more. */
import { AppError } from '../errors';

/** A request with its connection. */
export interface Connected {
  /** Missing in the development server. */
  platform?: { req: { socket: Connection } } | undefined;
}

interface Connection {
  readonly destroyed: boolean;
  once(event: 'close', listener: () => void): unknown;
  off(event: 'close', listener: () => void): unknown;
}

/**
 * Works for a client. The signal aborts when the client closes its connection. The signal of the request itself no
 * longer does so once its body has arrived.
 *
 * @param what the work, as the end of a sentence after "while": "its file was read"
 * @throws AppError 400 if the work failed after the connection was closed
 */
export async function whileConnected<T>(
  { platform }: Connected,
  what: string,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const closed = new AbortController();
  const close = () => closed.abort();
  const socket = platform?.req.socket;
  if (socket?.destroyed) close();
  socket?.once('close', close);
  try {
    return await work(closed.signal);
  } catch (error) {
    if (!closed.signal.aborted) throw error;
    throw new AppError(400, `The client closed the connection while ${what}`, { cause: error });
  } finally {
    socket?.off('close', close);
  }
}
