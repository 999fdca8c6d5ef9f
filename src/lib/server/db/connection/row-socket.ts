/** The socket of a connection, which takes rows of a COPY past pg. */
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { Socket, type ConnectOpts, type SocketConstructorOpts } from 'node:net';

/** Bytes that are read at once. */
const ROOM = 131_072;
/** Time to wait for more rows, if fewer than one read's worth have arrived. */
const GATHER_MILLISECONDS = 1;

/**
 * Takes the next bytes, which are overwritten as soon as it returns. If it returns false, the next ones come
 * after `resume()`.
 */
type Taker = (bytes: Buffer) => boolean;

/** A connection that can give the bytes it receives to a taker instead of its listeners. */
export interface RowStream {
  /** Gives everything received from now on to `taker`. */
  takeBy(taker: Taker): void;
  /** Gives these bytes, and everything received after them, to the listeners again. */
  giveBack(bytes: Buffer): void;
  /** Continues after `taker` returned false. */
  resume(): void;
}

/** The row stream of a connection of the service; undefined for any other stream. */
export function rowsOf(stream: Duplex): RowStream | undefined {
  if (stream instanceof RowSocket) return stream;
  if (!(stream instanceof TLSSocket)) return undefined;
  const rows = ofSocket.get(stream) ?? new EncryptedRows(stream);
  ofSocket.set(stream, rows);
  return rows;
}

/**
 * The socket of a connection that is not encrypted. It reads into one buffer: a socket of Node allocates a
 * new buffer of 64 KB for each read, and freeing those takes a tenth of the time of a load.
 *
 * PostgreSQL sends 8 KB at a time, and waking the reader for each part takes a fifth of PostgreSQL's own
 * time. So the socket waits until more has arrived (docs/decisions/0004-rows-as-arrow.md).
 */
export class RowSocket extends Socket implements RowStream {
  private taker: Taker | undefined;
  /** Bytes that the taker was given. */
  private taken = 0;

  constructor() {
    const room = Buffer.allocUnsafeSlow(ROOM);
    const callback = (length: number) => this.deliver(room.subarray(0, length));
    const options: SocketConstructorOpts & ConnectOpts = { onread: { buffer: room, callback } };
    super(options);
  }

  takeBy(taker: Taker): void {
    this.taker = taker;
    this.taken = 0;
  }

  giveBack(bytes: Buffer): void {
    this.taker = undefined;
    this.deliver(bytes);
  }

  private deliver(bytes: Buffer): boolean {
    if (!this.taker) {
      this.emit('data', Buffer.from(bytes));
      return true;
    }
    this.taken += bytes.length;
    if (!this.taker(bytes)) return false;
    // The first ones are read at once, so short answers do not wait.
    if (!this.taker || bytes.length === ROOM || this.taken < ROOM) return true;
    setTimeout(() => this.resume(), GATHER_MILLISECONDS);
    return false;
  }
}

const ofSocket = new WeakMap<TLSSocket, EncryptedRows>();

/** The same on an encrypted connection, where Node decrypts each part into a new buffer. */
class EncryptedRows implements RowStream {
  private readonly listeners;
  private taker: Taker | undefined;

  /** Stands between the socket and those who listen to it now. */
  constructor(private readonly socket: TLSSocket) {
    this.listeners = socket.listeners('data');
    socket.removeAllListeners('data');
    socket.on('data', (bytes: Buffer) => {
      if (!this.taker) this.giveBack(bytes);
      else if (!this.taker(bytes)) socket.pause();
    });
  }

  takeBy(taker: Taker): void {
    this.taker = taker;
  }

  giveBack(bytes: Buffer): void {
    this.taker = undefined;
    for (const listener of this.listeners) Reflect.apply(listener, this.socket, [bytes]);
  }

  resume(): void {
    this.socket.resume();
  }
}
