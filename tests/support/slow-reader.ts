import { connect } from 'node:net';

/** A client that has read the head of its answer and waits before it reads more. */
export interface SlowReader {
  status: number;
  /** The headers by lower-case name. */
  headers: Record<string, string>;
  /** Reads at least this number of bytes of the body. @throws Error if it ends before */
  take(bytes: number): Promise<void>;
  /** Reads the rest of the answer. @returns its body @throws Error if it ends too early */
  takeRest(): Promise<Uint8Array>;
  /** Closes the connection. */
  leave(): void;
  /** Resolves when the connection is closed by either side. */
  closed: Promise<void>;
}

const HEAD_END = Buffer.from('\r\n\r\n');

/**
 * Requests a path below `/api` and reads only the head of the answer. `fetch` cannot do this, because it goes
 * on reading into its own memory.
 *
 * @param body makes it a POST
 * @throws Error if the connection ends before the head has arrived
 */
export async function readSlowly(url: string, path: string, body?: object): Promise<SlowReader> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  let broken: Error | undefined;
  socket.on('error', (error) => (broken = error));
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  const sent = body ? JSON.stringify(body) : '';
  const lines = [
    `${body ? 'POST' : 'GET'} /api${path} HTTP/1.1`,
    `Host: ${hostname}`,
    'Connection: close',
    ...(body ? ['Content-Type: application/json', `Content-Length: ${sent.length}`] : []),
  ];
  socket.write(`${lines.join('\r\n')}\r\n\r\n${sent}`);

  let received: Buffer = Buffer.alloc(0);
  let end = -1;
  const chunk = () =>
    new Promise<Buffer | undefined>((resolve) => {
      const read = () => {
        const bytes = socket.read() as Buffer | null;
        if (bytes === null && !socket.destroyed && !socket.readableEnded) return;
        for (const event of ['readable', 'end', 'close']) socket.off(event, read);
        resolve(bytes ?? undefined);
      };
      for (const event of ['readable', 'end', 'close']) socket.on(event, read);
      read();
    });
  while (end < 0) {
    const bytes = await chunk();
    if (!bytes) throw new Error('The connection ended before its answer began', { cause: broken });
    received = Buffer.concat([received, bytes]);
    end = received.indexOf(HEAD_END);
  }
  const [first = '', ...fields] = received.subarray(0, end).toString('latin1').split('\r\n');
  const headers = Object.fromEntries(
    fields.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const taken: Uint8Array[] = [received.subarray(end + HEAD_END.length)];
  const size = () => taken.reduce((sum, { length }) => sum + length, 0);
  const tooEarly = () => new Error(`The answer ended after ${size()} bytes`, { cause: broken });
  return {
    status: Number(first.split(' ')[1]),
    headers,
    take: async (bytes) => {
      for (const goal = size() + bytes; size() < goal;) {
        const more = await chunk();
        if (!more) throw tooEarly();
        taken.push(more);
      }
    },
    takeRest: async () => {
      for (let more = await chunk(); more; more = await chunk()) taken.push(more);
      if (size() !== Number(headers['content-length'])) throw tooEarly();
      return Buffer.concat(taken);
    },
    leave: () => socket.destroy(),
    closed,
  };
}
